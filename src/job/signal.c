/* SPDX-License-Identifier: MIT */
/*
 * The signals of a scheduler, noted by handlers for the next checkpoint. A handler can't be told apart by piece, so
 * what came is a property of the process: the only changing global state of the library.
 */
#include <stddef.h>

#include "job/job.h"

static const int signal_numbers[2] = { SIGTERM, SIGUSR1 };
static volatile sig_atomic_t signal_came[2];

static void signal_note(int number)
{
	signal_came[number == SIGUSR1] = 1;
}

void job_signal_begin(struct xy_farm_piece *piece)
{
	for (unsigned i = 0; i < 2; i++) {
		struct sigaction action = { .sa_handler = signal_note, .sa_flags = SA_RESTART }, old;

		signal_came[i] = 0;
		if (sigaction(signal_numbers[i], NULL, &old) || (old.sa_flags & SA_SIGINFO) ||
		    old.sa_handler != SIG_DFL)
			continue; /* the program's own business */
		piece->handles[i] = sigaction(signal_numbers[i], &action, NULL) == 0;
	}
}

void job_signal_end(struct xy_farm_piece *piece)
{
	for (unsigned i = 0; i < 2; i++) {
		struct sigaction action = { .sa_handler = SIG_DFL };

		if (piece->handles[i])
			sigaction(signal_numbers[i], &action, NULL);
		piece->handles[i] = false;
	}
}

bool job_signal_came(int number)
{
	bool came = signal_came[number == SIGUSR1];

	if (came)
		signal_came[number == SIGUSR1] = 0;
	return came;
}
