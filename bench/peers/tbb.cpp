/* SPDX-License-Identifier: MIT */
/*
 * oneTBB: a task_group for independent tasks, continue_nodes of a flow graph for dependent ones. The
 * flow graph discovers nothing, so the edges are written down here. A node that has fired takes no
 * more predecessors, so a graph starts when it is built; building it is its submission and is timed,
 * tearing it down is not. The submitting thread is one of the workers.
 */
#include <atomic>
#include <deque>
#include <memory>
#include <tbb/flow_graph.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>
#include "peer.h"

using node = tbb::flow::continue_node<tbb::flow::continue_msg>;

/* A flow graph and its nodes; deque, as nodes must not move. */
struct flow {
	tbb::flow::graph graph;
	std::deque<node> nodes;

	template <class body> node &add(body run)
	{
		nodes.emplace_back(graph, [run](const tbb::flow::continue_msg &) { run(); });
		return nodes.back();
	}
};

static std::unique_ptr<tbb::global_control> limit;
static std::unique_ptr<tbb::task_arena> arena;
static std::unique_ptr<flow> last;
static uint64_t *cells;

static int tbb_start(const struct peer_options *options)
{
	limit.reset(new tbb::global_control(tbb::global_control::max_allowed_parallelism, options->workers));
	arena.reset(new tbb::task_arena((int)options->workers, 1));
	return 0;
}

static int tbb_stop()
{
	arena.reset();
	limit.reset();
	return 0;
}

static int tbb_share(uint64_t *shared, size_t)
{
	cells = shared;
	return 0;
}

static int tbb_unshare()
{
	cells = nullptr;
	return 0;
}

static void tbb_reset()
{
	last.reset();
}

/* Builds a flow graph inside the arena, fires its first nodes and waits for the last. */
template <class builder> static int run_flow(builder build)
{
	arena->execute([&] {
		last.reset(new flow);
		build(*last);
		last->graph.wait_for_all();
	});
	return 0;
}

static int tbb_independent(size_t n)
{
	arena->execute([&] {
		tbb::task_group group;

		for (size_t i = 0; i < n; i++)
			group.run([i] { body_count(i); });
		group.wait();
	});
	return 0;
}

static int tbb_chain(size_t n)
{
	return run_flow([n](flow &f) {
		node *before = nullptr;

		for (size_t i = 0; i < n; i++) {
			node &now = f.add([i] { body_chain(cells, i); });

			if (before)
				make_edge(*before, now);
			before = &now;
		}
		f.nodes.front().try_put(tbb::flow::continue_msg());
	});
}

static int tbb_wavefront(size_t side)
{
	return run_flow([side](flow &f) {
		for (size_t i = 0; i < side * side; i++) {
			uint64_t *own = cells + i;
			const uint64_t *left = i % side ? own - 1 : nullptr;
			const uint64_t *above = i >= side ? own - side : nullptr;
			node &now = f.add([=] { body_wavefront(own, left, above); });

			if (left)
				make_edge(f.nodes[i - 1], now);
			if (above)
				make_edge(f.nodes[i - side], now);
		}
		f.nodes.front().try_put(tbb::flow::continue_msg());
	});
}

/* A task's readers of the step before are also the writers that it waits for. */
static int tbb_stencil(size_t width, size_t steps)
{
	return run_flow([width, steps](flow &f) {
		for (size_t i = 0; i < width * steps; i++) {
			size_t t = i / width, x = i % width;
			const uint64_t *from = cells + t % 2 * width + x;
			const uint64_t *left = x ? from - 1 : nullptr;
			const uint64_t *right = x + 1 < width ? from + 1 : nullptr;
			uint64_t *to = cells + (t + 1) % 2 * width + x;
			node &now = f.add([=] { body_stencil(to, left, from, right); });

			if (t && left)
				make_edge(f.nodes[i - width - 1], now);
			if (t)
				make_edge(f.nodes[i - width], now);
			if (t && right)
				make_edge(f.nodes[i - width + 1], now);
		}
		for (size_t x = 0; x < width; x++)
			f.nodes[x].try_put(tbb::flow::continue_msg());
	});
}

static int tbb_fans(size_t count, size_t width)
{
	return run_flow([count, width](flow &f) {
		for (size_t i = 0; i < count; i++) {
			size_t first_before = f.nodes.size() - width;
			node &head = f.add([i] { body_chain(cells, i); });

			for (size_t j = 0; i && j < width; j++)
				make_edge(f.nodes[first_before + j], head);
			for (size_t j = 0; j < width; j++)
				make_edge(head, f.add([] { body_fan(cells); }));
		}
		f.nodes.front().try_put(tbb::flow::continue_msg());
	});
}

/* Edges as the accesses imply them: to the gate, to the last writers of both neighbours and of the own
 * cell, and to the two tasks that read the own cell since; these are the neighbours' last writers. */
static int tbb_gated(size_t n)
{
	return run_flow([n](flow &f) {
		node &gate = f.add([] { body_gate(cells); });

		for (size_t i = 0; i < n; i++) {
			uint64_t *own = cells + ring_cell(i);
			const uint64_t *left = cells + ring_cell(i + PEER_RING - 1);
			const uint64_t *right = cells + ring_cell(i + 1);
			node &now = f.add([=] { body_ring(own, cells, left, right); });

			make_edge(gate, now);
			if (i)
				make_edge(f.nodes[i], now);
			if (i + 1 >= PEER_RING)
				make_edge(f.nodes[i + 2 - PEER_RING], now);
			if (i >= PEER_RING)
				make_edge(f.nodes[i + 1 - PEER_RING], now);
		}
		gate.try_put(tbb::flow::continue_msg());
		bench_all_wait();
		bench_gate_open();
	});
}

/* The calling thread stays outside the arena, so that another one must wake up for the task. */
static int tbb_wake(size_t n, double *latency_ns)
{
	if (limit->active_value(tbb::global_control::max_allowed_parallelism) < 2)
		return PEER_CANNOT;
	for (size_t i = 0; i < n; i++) {
		std::atomic<double> ran(0);
		double begin;

		bench_wake_pause();
		begin = bench_now_ns();
		arena->enqueue([&ran] { ran = bench_now_ns(); });
		while (ran == 0)
			bench_wake_watch();
		latency_ns[i] = ran - begin;
	}
	return 0;
}

/* Field by field: C++17 has no designated initialisers. What is not set, the runtime can't do. */
static struct peer tbb_peer()
{
	struct peer peer = {};

	peer.name = "oneTBB";
	peer.start = tbb_start;
	peer.stop = tbb_stop;
	peer.share = tbb_share;
	peer.unshare = tbb_unshare;
	peer.independent = tbb_independent;
	peer.chain = tbb_chain;
	peer.wavefront = tbb_wavefront;
	peer.stencil = tbb_stencil;
	peer.fans = tbb_fans;
	peer.gated = tbb_gated;
	peer.wake = tbb_wake;
	peer.reset = tbb_reset;
	return peer;
}

extern "C" {
const struct peer bench_peer = tbb_peer();
}
