/* SPDX-License-Identifier: MIT */
/* Runs a fuzz target without libFuzzer: on each file of the folders given and on every prefix of
 * it. Each input is in a block of its exact size, so that a sanitizer sees a read beyond it. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

static int replay_prefixes(const uint8_t *data, size_t size)
{
	for (size_t length = 0; length <= size; length++) {
		uint8_t *input = malloc(length ? length : 1);

		if (!input)
			return 1;
		if (length)
			memcpy(input, data, length);
		LLVMFuzzerTestOneInput(input, length);
		free(input);
	}
	return 0;
}

static int replay_file(const char *path)
{
	static uint8_t data[65536];
	FILE *file = fopen(path, "rb");
	size_t size;

	if (!file) {
		perror(path);
		return 1;
	}
	size = fread(data, 1, sizeof(data), file);
	fclose(file);
	return replay_prefixes(data, size);
}

static int replay_folder(const char *folder)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	char path[4096];
	unsigned count = 0;
	int failed = 0;

	if (!dir) {
		perror(folder);
		return 1;
	}
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		failed |= replay_file(path);
		count++;
	}
	closedir(dir);
	if (!count) {
		fprintf(stderr, "%s: there is no seed\n", folder);
		failed = 1;
	}
	return failed;
}

int main(int argc, char **argv)
{
	int failed = replay_prefixes((const uint8_t *)"", 0);

	for (int i = 1; i < argc; i++)
		failed |= replay_folder(argv[i]);
	return failed;
}
