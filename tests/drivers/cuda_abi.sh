#!/bin/sh
# SPDX-License-Identifier: MIT
# What we declare of CUDA is what CUDA declares: prototypes, values and layouts, where the Toolkit is there.
src=${srcdir:-.}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT

# Compilers and flags are lists of words.
# shellcheck disable=SC2086
compile() {
	${CC:-cc} -std=gnu11 -Wall -Wextra -Werror -I"$src/include" -I"$src/src" -I"$src/tests/double" \
		$CUDA_CPPFLAGS "$@"
}

echo '#include <cuda_runtime_api.h>' >"$work/there.c"
if ! compile -fsyntax-only "$work/there.c" 2>/dev/null; then
	echo "no headers of CUDA"
	exit 77
fi

# Prototypes: each is declared twice. Values: each line of our enums is an assertion.
values=$(sed -n 's/^\t\(cuda[A-Za-z0-9]*\) = \([0-9]*\),$/_Static_assert(\1 == \2, "\1");/p' \
	"$src/src/drivers/gpu_types.h" "$src/tests/double/more_api.h")
[ "$(echo "$values" | wc -l)" -gt 50 ] || exit 99
cat >"$work/same.c" <<EOF
#include <cuda_runtime_api.h>
#define XYLEM_GPU_TYPES_H
#define CUDART_DOUBLE_TYPES
#include "more_api.h"
$values
EOF
compile -fsyntax-only "$work/same.c" || exit 1

# Layouts: one program with our types and one with those of CUDA print the same.
cat >"$work/layout.h" <<'EOF'
#include <stdio.h>
#define SIZE(type) printf(#type " %zu\n", sizeof(type))
#define AT(type, field) printf(#type "." #field " %zu\n", offsetof(type, field))
int main(void)
{
	SIZE(struct cudaPos);
	SIZE(struct cudaExtent);
	AT(struct cudaExtent, height);
	SIZE(struct cudaPitchedPtr);
	AT(struct cudaPitchedPtr, pitch);
	AT(struct cudaPitchedPtr, ysize);
	SIZE(struct cudaMemcpy3DParms);
	AT(struct cudaMemcpy3DParms, srcPtr);
	AT(struct cudaMemcpy3DParms, dstPtr);
	AT(struct cudaMemcpy3DParms, extent);
	AT(struct cudaMemcpy3DParms, kind);
	SIZE(struct cudaMemcpy3DPeerParms);
	AT(struct cudaMemcpy3DPeerParms, srcPtr);
	AT(struct cudaMemcpy3DPeerParms, srcDevice);
	AT(struct cudaMemcpy3DPeerParms, dstPtr);
	AT(struct cudaMemcpy3DPeerParms, dstDevice);
	AT(struct cudaMemcpy3DPeerParms, extent);
	AT(struct cudaPointerAttributes, hostPointer);
	SIZE(struct cudaMemPoolProps);
	AT(struct cudaMemPoolProps, location);
	AT(struct cudaMemPoolProps, reserved);
	SIZE(struct cudaMemAccessDesc);
	AT(PROPERTIES, totalGlobalMem);
	AT(PROPERTIES, memPitch);
	AT(PROPERTIES, maxThreadsPerBlock);
	SIZE(struct dim3);
	return sizeof(PROPERTIES) > 8192;
}
EOF
cat >"$work/ours.c" <<'EOF'
#include "more_api.h"
#define PROPERTIES struct double_properties
#include "layout.h"
EOF
cat >"$work/theirs.c" <<'EOF'
#include <stddef.h>
#include <cuda_runtime_api.h>
#define PROPERTIES struct cudaDeviceProp
#include "layout.h"
EOF
for which in ours theirs; do
	compile -I"$work" "$work/$which.c" -o "$work/$which" && "$work/$which" >"$work/$which.out" || exit 1
	sed -i 's/^struct \(double_properties\|cudaDeviceProp\)/properties/; s/^PROPERTIES/properties/' "$work/$which.out"
done
diff "$work/ours.out" "$work/theirs.out" && echo "$(echo "$values" | wc -l) values, $(wc -l <"$work/ours.out") layouts"
