/* SPDX-License-Identifier: MIT */
/*
 * The table of architectures. To add one: a constant in enum xy_arch, a field in struct xy_codelet, a row here and a
 * driver in src/drivers.
 */
#include "core/util/arch.h"

#include <xylem/component.h>

#include "core/util/message.h"

#define ARCH_NUMBERS "all, none, or numbers of devices such as 0,2"

const struct xy__arch xy__archs[XY_NARCH] = {
	[XY_CPU] = {
		.name = "cpu",
		.capitals = "CPU",
		.title = "CPU",
		.functions = offsetof(struct xy_codelet, cpu),
		.speed = 1,
		.mark = 'c',
		.colour = "#1f6fb4",
	},
	[XY_CUDA] = {
		.name = "cuda",
		.capitals = "CUDA",
		.title = "CUDA",
		.functions = offsetof(struct xy_codelet, cuda),
		.devices = "all",
		.devices_words = ARCH_NUMBERS,
		.ahead = 2,
		.speed = 20,
		.mark = 'u',
		.colour = "#2a8a3e",
	},
	[XY_OPENCL] = {
		.name = "opencl",
		.capitals = "OPENCL",
		.title = "OpenCL",
		.functions = offsetof(struct xy_codelet, opencl),
		.devices = "GPUs and accelerators",
		.devices_words = "numbers, cpu, gpu, accelerator or all, separated by ',', or none",
		.ahead = 2,
		.speed = 10,
		.mark = 'o',
		.colour = "#b4501f",
	},
	[XY_HIP] = {
		.name = "hip",
		.capitals = "HIP",
		.title = "HIP",
		.functions = offsetof(struct xy_codelet, hip),
		.devices = "all",
		.devices_words = ARCH_NUMBERS,
		.ahead = 2,
		.speed = 20,
		.mark = 'h',
		.colour = "#8a2a7e",
	},
};

_Static_assert(2 * XY_ON_TEAM <= 256, "the architectures of a task fit in eight bits");

void xy__arch_implement(struct xy_codelet *codelet, unsigned archs, xy_function *function)
{
	for (unsigned arch = 0; arch < XY_NARCH; arch++)
		if (archs & 1u << arch)
			((xy_function **)xy__arch_functions(codelet, arch))[0] = function;
}

void xy__arch_list(char *text, size_t size, const char *behind)
{
	struct xy__message message;

	xy__message_init(&message, text, size);
	for (unsigned arch = 0; arch < XY_NARCH; arch++)
		xy__message_add(&message, "%s%s%s",
				arch == 0             ? ""
				: arch + 1 < XY_NARCH ? ", "
						      : " or ",
				xy__archs[arch].name, behind);
}
