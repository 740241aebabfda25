/* SPDX-License-Identifier: MIT */
/*
 * nvidia-smi as a child with a pipe, and its tables of comma-separated values.
 */
#include "farm/slots_smi.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/util/futex.h"
#include "core/util/text.h"

#define SMI_TEXT_MAX (1u << 20)

static int smi_spawn(struct slots_smi *smi, const char *query, int output)
{
	char *arguments[] = { "nvidia-smi", (char *)query, "--format=csv,noheader,nounits", NULL };
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none;
	int error;

	sigemptyset(&none);
	if (posix_spawn_file_actions_init(&actions))
		return -ENOMEM;
	if (posix_spawnattr_init(&attributes)) {
		posix_spawn_file_actions_destroy(&actions);
		return -ENOMEM;
	}
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setpgroup(&attributes, 0);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
	error = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	if (!error)
		error = posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
	if (!error)
		error = posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	if (!error)
		error = posix_spawnp(&smi->pid, arguments[0], &actions, &attributes, arguments, environ);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	return -error;
}

int slots_smi_ask(struct slots_smi *smi, const char *query)
{
	int ends[2], error;

	xy__buffer_fini(&smi->text);
	smi->output = -1;
	smi->pid = 0;
	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	error = smi_spawn(smi, query, ends[1]);
	close(ends[1]);
	if (error) {
		smi->pid = 0;
		close(ends[0]);
		return error;
	}
	smi->output = ends[0];
	return 0;
}

bool slots_smi_read(struct slots_smi *smi)
{
	char part[4096];
	ssize_t n;

	while (smi->output >= 0 && (n = read(smi->output, part, sizeof(part) - 1)) != 0) {
		if (n < 0)
			return errno != EAGAIN && errno != EINTR;
		part[n] = '\0';
		if (smi->text.length < SMI_TEXT_MAX)
			xy__buffer_add(&smi->text, "%s", part);
	}
	return true;
}

bool slots_smi_end(struct slots_smi *smi)
{
	int status = -1;

	if (smi->pid > 0) {
		bool open = !slots_smi_read(smi);

		if (open)
			kill(-smi->pid, SIGKILL);
		while (waitpid(smi->pid, &status, 0) < 0 && errno == EINTR)
			;
	}
	if (smi->output >= 0)
		close(smi->output);
	smi->output = -1;
	smi->pid = 0;
	return status == 0 && !smi->text.failed;
}

void slots_smi_fini(struct slots_smi *smi)
{
	slots_smi_end(smi);
	xy__buffer_fini(&smi->text);
}

bool slots_smi_answer(struct slots_smi *smi, const char *query, double seconds)
{
	double end = xy__now() + seconds;

	if (slots_smi_ask(smi, query))
		return false;
	while (!slots_smi_read(smi)) {
		struct pollfd wait = { .fd = smi->output, .events = POLLIN };
		double left = end - xy__now();

		if (left <= 0)
			break;
		poll(&wait, 1, (int)(left * 1000) + 1);
	}
	return slots_smi_end(smi) && smi->text.length > 0;
}

/* The next field of a line: its beginning without blanks, and its length. */
static const char *smi_field(const char **at, size_t *length)
{
	const char *begin = *at + strspn(*at, " \t");

	*length = strcspn(begin, ",\r\n");
	*at = begin + *length + (begin[*length] == ',');
	while (*length > 0 && begin[*length - 1] == ' ')
		--*length;
	return begin;
}

static const char *smi_next_line(const char *text)
{
	text += strcspn(text, "\n");
	return text + (*text == '\n');
}

bool slots_smi_address(const char *text, const char *id, char *address, size_t size)
{
	for (; *text; text = smi_next_line(text)) {
		const char *at = text, *number, *uuid, *bus;
		size_t number_length, uuid_length, bus_length, length = strlen(id);

		number = smi_field(&at, &number_length);
		uuid = smi_field(&at, &uuid_length);
		bus = smi_field(&at, &bus_length);
		if ((number_length != length || strncmp(number, id, length)) &&
		    (length < 5 || length > uuid_length || strncmp(uuid, id, length)))
			continue;
		if (bus_length == 0 || bus_length >= size)
			return false;
		snprintf(address, size, "%.*s", (int)bus_length, bus);
		return true;
	}
	return false;
}

bool slots_smi_process(const char **text, pid_t *pid, uint64_t *bytes)
{
	for (; **text; *text = smi_next_line(*text)) {
		const char *at = *text, *number, *amount;
		uint64_t value, mebibytes = 0;
		size_t length;

		number = smi_field(&at, &length);
		if (!xy__text_unsigned(&number, INT_MAX, &value) || value == 0)
			continue;
		amount = smi_field(&at, &length);
		if (!xy__text_unsigned(&amount, UINT64_MAX >> 20, &mebibytes))
			mebibytes = 0;
		*pid = (pid_t)value;
		*bytes = mebibytes << 20;
		*text = smi_next_line(*text);
		return true;
	}
	return false;
}
