#!/bin/sh
# SPDX-License-Identifier: MIT
# C++17 works for real, with every C++ compiler at hand: a program in C++
# computes, and a component in C++ runs in a tree. Run in the build folder.
src=${srcdir:-.}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
status=0

fail() {
	echo "FAILED: $*"
	status=1
}

# Sanitizers of different compilers don't mix: then only the compiler of the library is asked.
if [ -n "$XY_SANITIZER_FLAGS" ]; then
	compilers=${CXX##* }
else
	compilers=$(printf '%s\n' "${CXX##* }" g++ clang++ | sort -u)
fi
tried=0
for cxx in $compilers; do
	command -v "$cxx" >/dev/null || continue
	tried=$((tried + 1))
	# shellcheck disable=SC2086
	"$cxx" -std=c++17 -Wall -Wextra -Werror -I"$src/include" $XY_SANITIZER_FLAGS -pthread \
		"$src/examples/hello_cpp.cpp" -o "$work/hello" -L.libs -lxylem -Wl,-rpath,"$PWD/.libs" ||
		fail "$cxx does not compile hello_cpp.cpp"
	got=$(timeout 60 "$work/hello") || fail "hello_cpp of $cxx ends with $?"
	[ "$got" = '2.5 5 7.5 10' ] || fail "hello_cpp of $cxx prints '$got'"
	"$cxx" -std=c++17 -Wall -Wextra -Wpedantic -Werror -I"$src/include" -fsyntax-only -x c++ - <<-END ||
		#include <xylem.h>
		#include <xylem/component.h>
		int f(xy_runtime *rt, const xy_codelet *c, int *x)
		{
			return xy_insert(rt, c, xy_sched_data(x), xy_deadline_s(xy_now(rt) + 0.5));
		}
	END
		fail "$cxx does not take all terms"
	if "$cxx" -std=c++17 -I"$src/include" -fsyntax-only -x c++ - 2>"$work/out" <<-END
		#include <xylem.h>
		int f(xy_runtime *rt, const xy_codelet *c, xy_handle *h) { return xy_insert(rt, c, h); }
	END
	then
		fail "$cxx takes a handle for a term"
	fi
	# shellcheck disable=SC2086
	"$cxx" -std=c++17 -Wall -Wextra -Wpedantic -Werror -I"$src/include" $XY_SANITIZER_FLAGS -pthread \
		"$src/tests/plugins/shapes.cpp" -o "$work/shapes" -L.libs -lxylem -Wl,-rpath,"$PWD/.libs" ||
		fail "$cxx does not compile shapes.cpp"
	got=$(timeout 60 "$work/shapes") || fail "shapes of $cxx ends with $?"
	[ "$got" = '24 5 15' ] || fail "shapes of $cxx prints '$got'"
	# shellcheck disable=SC2086
	"$cxx" -std=c++17 -Wall -Wextra -Werror -I"$src/include" $XY_SANITIZER_FLAGS -shared -fPIC \
		"$src/tests/plugins/lifo.cpp" -o "$work/lifo.so" || fail "$cxx does not compile a component"
	got=$(XYLEM_PLUGINS=$work/lifo.so SCHED='lifo(weight=2) | eager | each worker { best-implementation }' \
		timeout 60 examples/hello) || fail "hello ends with $? with the component of $cxx"
	[ "$got" = '2.5 5 7.5 10' ] || fail "hello prints '$got' with the component of $cxx"
done
[ $tried -gt 0 ] || exit 77
exit $status
