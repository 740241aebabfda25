/* SPDX-License-Identifier: MIT */
/*
 * Names near to a misspelt one. A name that contains the wanted one ("ws" in "tree-ws") is near too, and so is
 * one whose part behind the first dash is ("lws" and "tree-ws"); if that part is the wanted name, nothing is nearer.
 */
#include "core/util/nearest.h"

#include <string.h>
#include "core/util/text.h"

void xy__nearest_init(struct xy__nearest *nearest, const char *wanted, size_t length)
{
	memset(nearest, 0, sizeof(*nearest));
	if (length < sizeof(nearest->wanted))
		memcpy(nearest->wanted, wanted, length);
}

static unsigned nearest_distance(const struct xy__nearest *nearest, const char *name)
{
	unsigned distance = xy__text_distance(nearest->wanted, name), tail;
	const char *dash = strchr(name, '-');

	if (dash && !strcmp(nearest->wanted, dash + 1))
		return 0;
	if (distance > 1 && strlen(nearest->wanted) > 1 && strstr(name, nearest->wanted))
		return 1;
	tail = dash ? xy__text_distance(nearest->wanted, dash + 1) : distance;
	return tail < distance && tail <= strlen(nearest->wanted) / 3 ? tail : distance;
}

void xy__nearest_look(struct xy__nearest *nearest, const char *name)
{
	unsigned distance = nearest_distance(nearest, name), i;
	bool whole = xy__text_distance(nearest->wanted, name) == distance;

	if (!xy__text_is_near(nearest->wanted, distance))
		return;
	for (i = nearest->count; i > 0 && (nearest->distances[i - 1] > distance ||
					   (nearest->distances[i - 1] == distance && !nearest->whole[i - 1] && whole));
	     i--) {
		if (i < XY__NEAREST) {
			nearest->names[i] = nearest->names[i - 1];
			nearest->distances[i] = nearest->distances[i - 1];
			nearest->whole[i] = nearest->whole[i - 1];
		}
	}
	if (i >= XY__NEAREST)
		return;
	nearest->names[i] = name;
	nearest->distances[i] = distance;
	nearest->whole[i] = whole;
	if (nearest->count < XY__NEAREST)
		nearest->count++;
}

bool xy__nearest_say(const struct xy__nearest *nearest, struct xy__message *message)
{
	unsigned count = 0;

	while (count < nearest->count && nearest->distances[count] <= nearest->distances[0] + 1)
		count++;
	for (unsigned i = 0; i < count; i++)
		xy__message_add(message, "%s\"%s\"",
				i == 0          ? "; did you mean "
				: i + 1 < count ? ", "
						: " or ",
				nearest->names[i]);
	if (count)
		xy__message_add(message, "?");
	return count > 0;
}
