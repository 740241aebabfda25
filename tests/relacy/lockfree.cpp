// SPDX-License-Identifier: MIT
// The headers of src/core/lockfree, as they are, in random interleavings and with the reorderings that
// C11 allows. What travels through them is plain memory, so that a missing order is a race.
// mutant: xy__ring_put release
// mutant: xy__ring_look acquire
// mutant: xy__stack_push release
// mutant: xy__stack_take acquire
// mutant: xy__successors_add release
// mutant: xy__successors_add acquire
// mutant: xy__successors_add_to release
// mutant: add_to acquire
// mutant: xy__successors_close acq_rel
// mutant: open_again release
// mutant: is_past acquire
#include <stdint.h>
#include "stdatomic.h"

// The members that the headers use, and a value to guard.
struct ring_item {
	relacy_plain<int> value;
};

struct stack_node {
	relacy_plain<stack_node *> next;
	relacy_plain<int> value;
};

struct list_edge {
	_Atomic(list_edge *) next;
	relacy_plain<int> value;
};

#define XY__ITEM ring_item
#define XY__RING_ALIGN
#include "core/lockfree/ring.h"
#define XY__NODE stack_node
#include "core/lockfree/stack.h"
#define XY__EDGE list_edge
#include "core/lockfree/successors.h"

enum { PRODUCERS = 2, EACH = 2, SLOTS = 2 };

// --- ring: two producers fill it over and over, one consumer empties it ---

struct ring_check : rl::test_suite<ring_check, PRODUCERS + 1> {
	xy__ring ring;
	xy__ring_slot slots[SLOTS];
	ring_item items[PRODUCERS][EACH];

	void before()
	{
		xy__ring_init(&ring, slots, SLOTS);
	}

	void produce(unsigned producer)
	{
		for (int i = 0; i < EACH; i++) {
			items[producer][i].value = (int)producer * EACH + i;
			while (!xy__ring_put(&ring, &items[producer][i]))
				rl::yield(1, $);
		}
	}

	// Whether there is an item, which is then the next one of its producer.
	bool check(ring_item *found, int *next)
	{
		if (!found)
			return false;
		int producer = found->value / EACH, i = found->value % EACH;

		RL_ASSERT(found == &items[producer][i] && i == next[producer]++);
		return true;
	}

	void consume()
	{
		int next[PRODUCERS] = { 0 };

		for (int taken = 0; taken < PRODUCERS * EACH;) {
			bool has = xy__ring_has(&ring);
			size_t head = xy__ring_head(&ring), n = 0;

			while (n < SLOTS && check(xy__ring_look(&ring, head + n), next))
				n++;
			xy__ring_took(&ring, head + n);
			RL_ASSERT(!has || n); // nobody else takes
			taken += (int)n;
			if (!n)
				rl::yield(1, $);
		}
		RL_ASSERT(!xy__ring_take(&ring) && !xy__ring_has(&ring));
	}

	void thread(unsigned self)
	{
		if (self < PRODUCERS)
			produce(self);
		else
			consume();
	}
};

// --- stack: two push chains, one takes everything, several times ---

struct stack_check : rl::test_suite<stack_check, PRODUCERS + 1> {
	_Atomic(stack_node *) stack;
	stack_node nodes[PRODUCERS][EACH];

	void before()
	{
		atomic_store_explicit(&stack, (stack_node *)0, memory_order_relaxed);
	}

	void push(unsigned producer)
	{
		stack_node *first = &nodes[producer][0], *last = &nodes[producer][EACH - 1];

		for (int i = 0; i < EACH; i++) {
			nodes[producer][i].value = (int)producer * EACH + i;
			if (i + 1 < EACH)
				nodes[producer][i].next = &nodes[producer][i + 1];
		}
		xy__stack_push(&stack, first, last);
	}

	void take()
	{
		unsigned seen = 0;

		while (seen != (1u << PRODUCERS * EACH) - 1) {
			stack_node *taken = xy__stack_take(&stack);

			if (!taken)
				rl::yield(1, $);
			for (; taken; taken = taken->next) {
				RL_ASSERT(!(seen & 1u << taken->value));
				seen |= 1u << taken->value;
			}
		}
	}

	void thread(unsigned self)
	{
		if (self < PRODUCERS)
			push(self);
		else
			take();
	}
};

// --- successors: two add, one closes and uses the memory again, as xy__task_open and xy__deps_after_use
// do; who comes too late sees what was done before the closing ---

struct successors_check : rl::test_suite<successors_check, PRODUCERS + 1> {
	enum { EVENT = 65535, NEXT };   // generations whose tags differ, as the higher one's is 0

	_Atomic(uint64_t) list;
	_Atomic(uint32_t) generation;
	list_edge edges[PRODUCERS][EACH];
	relacy_plain<int> result;
	bool added[PRODUCERS * EACH], found[PRODUCERS * EACH];

	void before()
	{
		atomic_store_explicit(&generation, (uint32_t)EVENT, memory_order_relaxed);
		atomic_store_explicit(&list, xy__head_tag(EVENT), memory_order_relaxed);
		for (int i = 0; i < PRODUCERS * EACH; i++)
			added[i] = found[i] = false;
	}

	void open_again()
	{
		atomic_store_explicit(&generation, (uint32_t)NEXT, memory_order_release);
		atomic_store_explicit(&list, xy__head_tag(NEXT), memory_order_release);
	}

	bool is_past()
	{
		return atomic_load_explicit(&generation, memory_order_acquire) != EVENT;
	}

	// As plain_wait does: the head is read first.
	bool add_to(list_edge *edge)
	{
		uint64_t head = atomic_load_explicit(&list, memory_order_acquire);

		return !is_past() && xy__successors_add_to(&list, head, edge, EVENT);
	}

	void add(unsigned producer)
	{
		for (int i = 0; i < EACH; i++) {
			int number = (int)producer * EACH + i;

			edges[producer][i].value = number;
			if (producer)
				added[number] = add_to(&edges[producer][i]);
			else
				added[number] = !is_past() && xy__successors_add(&list, &edges[producer][i], EVENT);
			if (!added[number])
				RL_ASSERT(result == 42);
		}
	}

	void close()
	{
		int last[PRODUCERS] = { -1, -1 };

		result = 42;
		list_edge *edge = xy__successors_close(&list, EVENT);

		open_again();
		for (; edge; edge = atomic_load_explicit(&edge->next, memory_order_relaxed)) {
			int number = edge->value;

			RL_ASSERT(!found[number] && number % EACH > last[number / EACH]);
			last[number / EACH] = number % EACH;
			found[number] = true;
		}
	}

	void thread(unsigned self)
	{
		if (self < PRODUCERS)
			add(self);
		else
			close();
	}

	void after()
	{
		for (int i = 0; i < PRODUCERS * EACH; i++)
			RL_ASSERT(added[i] == found[i]);
		RL_ASSERT(atomic_load(&list) == xy__head_tag(NEXT));
	}
};

int main(int argc, char **argv)
{
	unsigned iterations = relacy_read_fault(argc, argv) ? 1000 : 30000;

	return !(relacy_holds<ring_check>(iterations) && relacy_holds<stack_check>(iterations) &&
		 relacy_holds<successors_check>(iterations));
}
