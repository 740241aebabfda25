/* SPDX-License-Identifier: MIT */
/*
 * Taskflow: silent_async for independent tasks, a graph of static tasks for dependent ones. It discovers no
 * dependencies, so the edges are written down here, as for oneTBB. Building the graph is its submission and is timed,
 * tearing it down is not. The submitting thread is not one of the workers.
 */
#include <atomic>
#include <memory>
#include <taskflow/taskflow.hpp>
#include <vector>
#include "peer.h"

static std::unique_ptr<tf::Executor> executor;
static std::unique_ptr<tf::Taskflow> last;
static uint64_t *cells;

static int taskflow_start(const struct peer_options *options)
{
	executor.reset(new tf::Executor(options->workers));
	return 0;
}

static int taskflow_stop()
{
	executor.reset();
	return 0;
}

static int taskflow_share(uint64_t *shared, size_t)
{
	cells = shared;
	return 0;
}

static int taskflow_unshare()
{
	cells = nullptr;
	return 0;
}

static void taskflow_reset()
{
	last.reset();
}

template <class builder> static int run_graph(builder build)
{
	last.reset(new tf::Taskflow);
	build(*last);
	executor->run(*last).wait();
	return 0;
}

static int taskflow_independent(size_t n)
{
	for (size_t i = 0; i < n; i++)
		executor->silent_async([i] { body_count(i); });
	executor->wait_for_all();
	return 0;
}

static int taskflow_chain(size_t n)
{
	return run_graph([n](tf::Taskflow &graph) {
		tf::Task before;

		for (size_t i = 0; i < n; i++) {
			tf::Task now = graph.emplace([i] { body_chain(cells, i); });

			if (i)
				before.precede(now);
			before = now;
		}
	});
}

static int taskflow_wavefront(size_t side)
{
	return run_graph([side](tf::Taskflow &graph) {
		std::vector<tf::Task> tasks(side * side);

		for (size_t i = 0; i < side * side; i++) {
			uint64_t *own = cells + i;
			const uint64_t *left = i % side ? own - 1 : nullptr;
			const uint64_t *above = i >= side ? own - side : nullptr;

			tasks[i] = graph.emplace([=] { body_wavefront(own, left, above); });
			if (left)
				tasks[i - 1].precede(tasks[i]);
			if (above)
				tasks[i - side].precede(tasks[i]);
		}
	});
}

/* A task's readers of the step before are also the writers that it waits for. */
static int taskflow_stencil(size_t width, size_t steps)
{
	return run_graph([width, steps](tf::Taskflow &graph) {
		std::vector<tf::Task> tasks(width * steps);

		for (size_t i = 0; i < width * steps; i++) {
			size_t t = i / width, x = i % width;
			const uint64_t *from = cells + t % 2 * width + x;
			const uint64_t *left = x ? from - 1 : nullptr;
			const uint64_t *right = x + 1 < width ? from + 1 : nullptr;
			uint64_t *to = cells + (t + 1) % 2 * width + x;

			tasks[i] = graph.emplace([=] { body_stencil(to, left, from, right); });
			if (t && left)
				tasks[i - width - 1].precede(tasks[i]);
			if (t)
				tasks[i - width].precede(tasks[i]);
			if (t && right)
				tasks[i - width + 1].precede(tasks[i]);
		}
	});
}

static int taskflow_fans(size_t count, size_t width)
{
	return run_graph([count, width](tf::Taskflow &graph) {
		std::vector<tf::Task> readers(width);

		for (size_t i = 0; i < count; i++) {
			tf::Task head = graph.emplace([i] { body_chain(cells, i); });

			for (size_t j = 0; j < width; j++) {
				if (i)
					readers[j].precede(head);
				readers[j] = graph.emplace([] { body_fan(cells); });
				head.precede(readers[j]);
			}
		}
	});
}

/* The edges are those of oneTBB's program. */
static int taskflow_gated(size_t n)
{
	std::vector<tf::Task> tasks(n);
	tf::Task gate;

	last.reset(new tf::Taskflow);
	gate = last->emplace([] { body_gate(cells); });
	for (size_t i = 0; i < n; i++) {
		uint64_t *own = cells + ring_cell(i);
		const uint64_t *left = cells + ring_cell(i + PEER_RING - 1);
		const uint64_t *right = cells + ring_cell(i + 1);

		tasks[i] = last->emplace([=] { body_ring(own, cells, left, right); });
		gate.precede(tasks[i]);
		if (i)
			tasks[i - 1].precede(tasks[i]);
		if (i + 1 >= PEER_RING)
			tasks[i + 1 - PEER_RING].precede(tasks[i]);
		if (i >= PEER_RING)
			tasks[i - PEER_RING].precede(tasks[i]);
	}
	auto ends = executor->run(*last);
	bench_all_wait();
	bench_gate_open();
	ends.wait();
	return 0;
}

static int taskflow_wake(size_t n, double *latency_ns)
{
	for (size_t i = 0; i < n; i++) {
		std::atomic<double> ran(0);
		double begin;

		bench_wake_pause();
		begin = bench_now_ns();
		executor->silent_async([&ran] { ran = bench_now_ns(); });
		executor->wait_for_all();
		latency_ns[i] = ran - begin;
	}
	return 0;
}

/* Field by field: C++17 has no designated initialisers. What is not set, the runtime can't do. */
static struct peer taskflow_peer()
{
	struct peer peer = {};

	peer.name = "Taskflow";
	peer.start = taskflow_start;
	peer.stop = taskflow_stop;
	peer.share = taskflow_share;
	peer.unshare = taskflow_unshare;
	peer.independent = taskflow_independent;
	peer.chain = taskflow_chain;
	peer.wavefront = taskflow_wavefront;
	peer.stencil = taskflow_stencil;
	peer.fans = taskflow_fans;
	peer.gated = taskflow_gated;
	peer.wake = taskflow_wake;
	peer.reset = taskflow_reset;
	return peer;
}

extern "C" {
const struct peer bench_peer = taskflow_peer();
}
