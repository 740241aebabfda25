/* SPDX-License-Identifier: MIT */
/* Any text either makes a farm whose parts fit together or is refused with a reason. */
#include <string.h>
#include <unistd.h>

#include "farm/read.h"
#include "farm/script.h"
#include "fuzz.h"

static unsigned sentences;

static void say(void *arg, const char *line)
{
	(void)arg;
	ALWAYS(*line && !strchr(line, '\n'));
	sentences++;
}

static void look(const struct farm *farm)
{
	struct xy__buffer text = { 0 };

	ALWAYS(farm->npieces > 0 && *farm->name && farm->max_simultaneous_jobs > 0 && farm->interval_s > 0);
	for (size_t i = 0; i < farm->npieces; i++) {
		const struct farm_piece *piece = &farm->pieces[i];

		ALWAYS(*piece->name && *piece->file && !strchr(piece->file, '/') && strlen(piece->set) == 8);
		ALWAYS(piece->argv.count > 0 && *piece->argv.at[0]);
		for (size_t j = 0; j < piece->depends_on.count; j++)
			ALWAYS(piece->needs[j] < farm->npieces && piece->needs[j] != i);
	}
	farm_script_pieces(&text, farm);
	farm_script_write(&text, farm, &farm->pieces[0], "xylem", "1", "");
	ALWAYS(!text.failed && text.length);
	xy__buffer_fini(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct farm_report report = { .say = say };
	const struct farm_place place = { .host = "login", .tool = "xylem" };
	char path[] = "/tmp/xylem-fuzz-XXXXXX";
	int file = mkstemp(path);
	struct farm farm;

	ALWAYS(file >= 0 && write(file, data, size) == (ssize_t)size);
	close(file);
	sentences = 0;
	farm_init(&farm);
	if (farm_read(&farm, path, &place, &report))
		ALWAYS(sentences > 0);
	else
		look(&farm);
	farm_fini(&farm);
	unlink(path);
	return 0;
}
