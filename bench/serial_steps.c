/* SPDX-License-Identifier: MIT */
/* Single steps with ptrace, and as much of the instruction set as it takes to recognise an atomic one. */
#include "serial.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>

enum { LINE = 64, STEPS_MOST = 100000 };
#define PATIENCE_S 10 /* for one instruction; a system call that takes longer waits for somebody */

enum { ZERO_FLAG = 0x40 };
enum { REX_B = 1, REX_X = 2, REX_R = 4, REX_W = 8 };

/* An atomic read-modify-write. */
struct atomic {
	uintptr_t address;
	bool compares, exchanges; /* cmpxchg; xchg */
	bool narrow;              /* 32 bits, as the word of a lock */
};

/* --- decoding --- */

struct code {
	const uint8_t *next;
	unsigned rex;
	bool lock, word, fs;
};

static struct code code_prefixes(const uint8_t *at)
{
	struct code code = { .next = at };

	for (;; code.next++) {
		switch (*code.next) {
		case 0xf0:
			code.lock = true;
			break;
		case 0x66:
			code.word = true;
			break;
		case 0x64:
			code.fs = true;
			break;
		case 0x26:
		case 0x2e:
		case 0x36:
		case 0x3e:
		case 0x65:
		case 0x67:
		case 0xf2:
		case 0xf3:
			break;
		default:
			if ((*code.next & 0xf0) == 0x40)
				code.rex = *code.next++;
			return code;
		}
	}
}

static uint64_t general_register(const struct user_regs_struct *r, unsigned number)
{
	const uint64_t all[16] = { r->rax, r->rcx, r->rdx, r->rbx, r->rsp, r->rbp, r->rsi, r->rdi,
				   r->r8,  r->r9,  r->r10, r->r11, r->r12, r->r13, r->r14, r->r15 };

	return all[number];
}

/* The address that the bytes from `modrm` say. `after`: of the next instruction. */
static uintptr_t code_address(const struct code *code, const uint8_t *modrm, const struct user_regs_struct *r,
			      uintptr_t after)
{
	unsigned mod = *modrm >> 6, low = *modrm & 7;
	const uint8_t *rest = modrm + 1;
	uint64_t address = code->fs ? r->fs_base : 0;
	int32_t far = 0;

	if (low == 4) {
		unsigned base = *rest & 7, index = (*rest >> 3 & 7) | (code->rex & REX_X ? 8 : 0), scale = *rest >> 6;

		rest++;
		if (index != 4)
			address += general_register(r, index) << scale;
		if (base == 5 && !mod)
			mod = 2; /* 32 bits and no base */
		else
			address += general_register(r, base | (code->rex & REX_B ? 8 : 0));
	} else if (low == 5 && !mod) {
		address += after;
		mod = 2;
	} else {
		address += general_register(r, low | (code->rex & REX_B ? 8 : 0));
	}
	if (mod == 1)
		return address + (uint64_t)(int64_t)(int8_t)*rest;
	if (mod == 2)
		memcpy(&far, rest, sizeof far);
	return address + (uint64_t)(int64_t)far;
}

/* Whether the instruction at r->rip, which has been executed since, was an atomic read-modify-write of memory. `after`:
 * where it ended. */
static bool decode(const struct user_regs_struct *r, uintptr_t after, struct atomic *found)
{
	struct code code = code_prefixes((const uint8_t *)r->rip); /* the caller has the same code */
	const uint8_t *modrm = code.next + 1;
	bool two = *code.next == 0x0f, exchanges = !two && (*code.next == 0x86 || *code.next == 0x87);

	if (two)
		modrm++;
	if (!(code.lock || exchanges) || *modrm >> 6 == 3)
		return false;
	*found = (struct atomic){
		.address = code_address(&code, modrm, r, after),
		.compares = two && code.next[1] == 0xb1,
		.exchanges = exchanges && *code.next == 0x87,
		.narrow = !(code.rex & REX_W) && !code.word,
	};
	return true;
}

/* --- what it means --- */

static struct steps_spot *spot_of(struct steps_spot *spots, uintptr_t key, unsigned thread)
{
	size_t at = (key * 0x9e3779b97f4a7c15u) >> 48;

	while (spots[at % STEPS_SPOTS].key && spots[at % STEPS_SPOTS].key != key)
		at++;
	spots[at % STEPS_SPOTS].key = key;
	spots[at % STEPS_SPOTS].threads |= 1u << thread;
	return &spots[at % STEPS_SPOTS];
}

static void lock_enter(struct steps *steps, uintptr_t word)
{
	if (steps->nheld == STEPS_HELD)
		return;
	steps->held[steps->nheld].word = word;
	steps->held[steps->nheld++].since = steps->instructions;
}

static void lock_leave(struct steps *steps, uintptr_t word, unsigned thread)
{
	for (unsigned i = steps->nheld; i-- > 0;) {
		if (steps->held[i].word != word)
			continue;
		spot_of(steps->locks, word, thread)->count += steps->instructions - steps->held[i].since;
		steps->held[i] = steps->held[--steps->nheld];
		return;
	}
}

/*
 * A lock is a word of 32 bits that a compare-and-swap takes from 0, and that the same thread exchanges for 0. `now` is
 * its value after the instruction.
 */
static void note(struct steps *steps, const struct atomic *atomic, unsigned thread, bool was_zero, uint32_t now)
{
	spot_of(steps->lines, atomic->address / LINE * LINE, thread)->count++;
	if (!atomic->narrow)
		return;
	if (atomic->compares && was_zero && now)
		lock_enter(steps, atomic->address);
	else if (atomic->exchanges && !now)
		lock_leave(steps, atomic->address, thread);
}

uint64_t steps_shared(const struct steps_spot *spots, uint64_t *largest)
{
	uint64_t sum = 0;

	*largest = 0;
	for (size_t i = 0; i < STEPS_SPOTS; i++) {
		if (!(spots[i].threads & (spots[i].threads - 1)))
			continue;
		sum += spots[i].count;
		*largest = spots[i].count > *largest ? spots[i].count : *largest;
	}
	return sum;
}

/* --- ptrace --- */

static double now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int wait_stop(pid_t thread)
{
	const struct timespec pause = { .tv_nsec = 100000 };
	double end = now_s() + PATIENCE_S;
	int status = 0;

	for (unsigned i = 0;; i++) {
		pid_t pid = waitpid(thread, &status, __WALL | WNOHANG);

		if (pid < 0)
			return -errno;
		if (pid)
			return WIFSTOPPED(status) ? 0 : -ECHILD;
		if (i < 100)
			continue;
		if (now_s() > end)
			return -ETIME;
		nanosleep(&pause, NULL);
	}
}

int steps_seize(pid_t thread)
{
	if (ptrace(PTRACE_SEIZE, thread, NULL, (void *)PTRACE_O_EXITKILL) ||
	    ptrace(PTRACE_INTERRUPT, thread, NULL, NULL))
		return -errno;
	return wait_stop(thread);
}

static int steps_peek(pid_t thread, uintptr_t address, uint32_t *word)
{
	struct iovec here = { .iov_base = word, .iov_len = sizeof *word };
	struct iovec there = { .iov_base = (void *)address, .iov_len = sizeof *word };

	return process_vm_readv(thread, &here, 1, &there, 1, 0) == sizeof *word ? 0 : -errno;
}

static int steps_one(struct steps *steps, pid_t thread, unsigned number, struct user_regs_struct *r)
{
	struct user_regs_struct before = *r;
	struct atomic atomic;
	uint32_t now = 0;
	bool was_zero;
	int error;

	if (ptrace(PTRACE_SINGLESTEP, thread, NULL, NULL))
		return -errno;
	error = wait_stop(thread);
	if (error)
		return error;
	if (ptrace(PTRACE_GETREGS, thread, NULL, r))
		return -errno;
	steps->instructions++;
	if (!decode(&before, r->rip, &atomic))
		return 0;
	was_zero = (r->eflags & ZERO_FLAG) && !(uint32_t)before.rax; /* as cmpxchg finds it */
	error = steps_peek(thread, atomic.address, &now);
	if (!error)
		note(steps, &atomic, number, was_zero, now);
	return error;
}

int steps_run(struct steps *steps, pid_t thread, unsigned number, uintptr_t place)
{
	struct user_regs_struct r;
	uint64_t most;
	int error;

	if (ptrace(PTRACE_GETREGS, thread, NULL, &r))
		return -errno;
	most = steps->instructions + STEPS_MOST;
	do
		error = steps_one(steps, thread, number, &r);
	while (!error && r.rip != place && steps->instructions < most);
	steps->nheld = 0; /* what is held now is no lock */
	return error || r.rip == place ? error : -ETIME;
}
