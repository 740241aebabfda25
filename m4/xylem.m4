dnl SPDX-License-Identifier: MIT
dnl The checks of configure.ac, one macro for each group, and the table they fill.
dnl Invariant: only hwloc and POSIX threads are required; everything else is a row of the table.

dnl XY_ROW(WHAT, FOUND, USE, PACKAGE): a row of the table. FOUND is "no" or what was found; USE says
dnl what is left out without it; PACKAGE is the Debian package that brings it.
AC_DEFUN([XY_ROW], [AS_IF([test "x$2" = xno],
	[xy_missing="$xy_missing`printf '\n  %-16s %-42s %s' "$1" "$3" "$4"`"],
	[xy_found="$xy_found`printf '\n  %-16s %s' "$1" "$2"`"])])

dnl The switches of the user: sanitizers, the library's own assertions, warnings as errors, fuzzers.
AC_DEFUN([XY_OPTIONS], [
AC_ARG_ENABLE([sanitizer],
	[AS_HELP_STRING([--enable-sanitizer=LIST],
		[build with the compiler's sanitizers: address, thread, undefined or address,undefined])],
	[], [enable_sanitizer=no])
AS_CASE([$enable_sanitizer],
	[no], [],
	[address|thread|undefined|address,undefined], [
		XY_SANITIZER_FLAGS="-fsanitize=$enable_sanitizer -fno-omit-frame-pointer"
		AS_CASE([$enable_sanitizer], [*undefined*],
			[XY_SANITIZER_FLAGS="$XY_SANITIZER_FLAGS -fno-sanitize-recover=undefined"])],
	[AC_MSG_ERROR([--enable-sanitizer takes address, thread, undefined or address,undefined])])
AS_IF([test "x$enable_sanitizer" != xno], [
	AC_MSG_CHECKING([whether $CC links with $XY_SANITIZER_FLAGS])
	xy_saved_CFLAGS=$CFLAGS
	CFLAGS="$CFLAGS $XY_SANITIZER_FLAGS"
	AC_LINK_IFELSE([AC_LANG_PROGRAM()], [AC_MSG_RESULT([yes])],
		[AC_MSG_RESULT([no])
		 AC_MSG_ERROR([$CC has no run-time library for -fsanitize=$enable_sanitizer])])
	CFLAGS=$xy_saved_CFLAGS])
AC_SUBST([XY_SANITIZER_FLAGS])
AM_CONDITIONAL([SANITIZER], [test "x$enable_sanitizer" != xno])
AM_CONDITIONAL([THREAD_SANITIZER], [test "x$enable_sanitizer" = xthread])

AC_ARG_ENABLE([debug],
	[AS_HELP_STRING([--enable-debug], [check the rules of components while they run])],
	[], [enable_debug=no])
AS_IF([test "x$enable_debug" != xno], [AC_SUBST([XY_DEBUG_FLAGS], [-DXY_DEBUG=1])])
AM_CONDITIONAL([DEBUG], [test "x$enable_debug" != xno])
AM_CONDITIONAL([STEPS], [test "x$enable_sanitizer$enable_debug$host_cpu" = xnonox86_64])

AC_ARG_ENABLE([werror],
	[AS_HELP_STRING([--enable-werror], [make compiler warnings errors])],
	[], [enable_werror=no])
AS_IF([test "x$enable_werror" != xno], [AC_SUBST([XY_WERROR_FLAGS], [-Werror])])

AC_ARG_ENABLE([fuzzer],
	[AS_HELP_STRING([--enable-fuzzer], [drive the fuzz targets with libFuzzer (needs CC=clang)])],
	[], [enable_fuzzer=no])
AS_IF([test "x$enable_fuzzer" != xno], [
	AC_MSG_CHECKING([whether $CC links with -fsanitize=fuzzer])
	xy_saved_CFLAGS=$CFLAGS
	CFLAGS="$CFLAGS -fsanitize=fuzzer"
	AC_LINK_IFELSE([AC_LANG_SOURCE([[
		#include <stddef.h>
		#include <stdint.h>
		int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
		int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
		{ (void) data; (void) size; return 0; }]])],
		[AC_MSG_RESULT([yes])],
		[AC_MSG_RESULT([no])
		 AC_MSG_ERROR([--enable-fuzzer needs clang and its run-time (CC=clang; Debian: clang libclang-rt-dev)])])
	CFLAGS=$xy_saved_CFLAGS
	AC_SUBST([XY_FUZZER_FLAGS], [-fsanitize=fuzzer-no-link])
	AC_SUBST([XY_FUZZER_MAIN], [-fsanitize=fuzzer])])
AM_CONDITIONAL([HAVE_LIBFUZZER], [test "x$enable_fuzzer" != xno])
AS_IF([test "x$enable_fuzzer" = xno], [xy_fuzzer=no], [xy_fuzzer=yes])
XY_ROW([libFuzzer], [$xy_fuzzer], [fuzz targets only replay their corpus], [--enable-fuzzer CC=clang])
])

dnl What the library can't be built without.
AC_DEFUN([XY_NEEDED], [
AC_SEARCH_LIBS([pthread_create], [pthread], [],
	[AC_MSG_ERROR([POSIX threads are needed])])
AC_SEARCH_LIBS([dlopen], [dl], [], [AC_MSG_ERROR([dlopen is needed])])
AC_SEARCH_LIBS([sqrt], [m])
PKG_CHECK_MODULES([HWLOC], [hwloc >= 2.0],
	[xy_hwloc=`$PKG_CONFIG --modversion hwloc`
	 XY_ROW([hwloc], [$xy_hwloc])],
	[AC_MSG_ERROR([hwloc 2.0 or later is needed and was not found (Debian: libhwloc-dev)])])
])

dnl The reader of the pipeline scheduler's files.
AC_DEFUN([XY_YAML], [
PKG_CHECK_MODULES([YAML], [yaml-0.1], [xy_yaml=`$PKG_CONFIG --modversion yaml-0.1`], [xy_yaml=no])
XY_ROW([libyaml], [$xy_yaml], [sched-pipeline, xylem pipeline], [libyaml-dev])
AM_CONDITIONAL([HAVE_YAML], [test "x$xy_yaml" != xno])
])

dnl The state of farms. They read YAML, too.
AC_DEFUN([XY_SQLITE], [
PKG_CHECK_MODULES([SQLITE], [sqlite3 >= 3.24], [xy_sqlite=`$PKG_CONFIG --modversion sqlite3`], [xy_sqlite=no])
XY_ROW([SQLite], [$xy_sqlite], [xylem farm (with libyaml)], [libsqlite3-dev])
AM_CONDITIONAL([HAVE_FARM], [test "x$xy_sqlite" != xno && test "x$xy_yaml" != xno])
])

dnl The solver of linear programs. It has no pkg-config file.
AC_DEFUN([XY_GLPK], [
AC_CHECK_HEADER([glpk.h], [AC_CHECK_LIB([glpk], [glp_simplex], [xy_glpk=yes], [xy_glpk=no], [-lm])], [xy_glpk=no])
AS_IF([test $xy_glpk = yes], [GLPK_LIBS=-lglpk], [GLPK_LIBS=])
AC_SUBST([GLPK_LIBS])
XY_ROW([GLPK], [$xy_glpk], [bounds by linear programs with all paths], [libglpk-dev])
AM_CONDITIONAL([HAVE_GLPK], [test $xy_glpk = yes])
])

dnl What the tests use: cmocka, spin, Relacy, valgrind.
AC_DEFUN([XY_TEST_TOOLS], [
PKG_CHECK_MODULES([CMOCKA], [cmocka >= 1.1], [xy_cmocka=`$PKG_CONFIG --modversion cmocka`], [xy_cmocka=no])
XY_ROW([cmocka], [$xy_cmocka], [unit tests], [libcmocka-dev])
AM_CONDITIONAL([HAVE_CMOCKA], [test "x$xy_cmocka" != xno])

AC_PATH_PROG([SPIN], [spin], [no])
XY_ROW([spin], [$SPIN], [checks of the sleep and wake-up models], [spin])
AM_CONDITIONAL([HAVE_SPIN], [test "x$SPIN" != xno])

dnl Relacy wants g++, whatever compiler builds the library.
AC_PATH_PROG([RELACY_CXX], [g++], [no])
AC_MSG_CHECKING([for relacy/relacy.hpp])
AS_IF([test "x$RELACY_CXX" != xno &&
	echo '@%:@include <relacy/relacy.hpp>' | $RELACY_CXX -std=c++11 -E -x c++ - >/dev/null 2>&AS_MESSAGE_LOG_FD],
	[xy_relacy=yes], [xy_relacy=no; RELACY_CXX=no])
AC_MSG_RESULT([$xy_relacy])
XY_ROW([Relacy], [$xy_relacy], [checks of the lock-free queues], [relacy-dev g++])
AM_CONDITIONAL([HAVE_RELACY], [test "x$xy_relacy" = xyes])

AC_PATH_PROG([VALGRIND], [valgrind], [no])
XY_ROW([valgrind], [$VALGRIND], [instruction counts], [valgrind])
AM_CONDITIONAL([HAVE_VALGRIND], [test "x$VALGRIND" != xno])
])

dnl A BLAS for the Cholesky example: OpenBLAS, else any CBLAS and LAPACK, else its own kernels.
AC_DEFUN([XY_BLAS], [
PKG_CHECK_MODULES([OPENBLAS], [openblas], [xy_openblas=yes], [xy_openblas=no])
xy_blas=no
xy_saved_CPPFLAGS=$CPPFLAGS
xy_saved_LIBS=$LIBS
AS_IF([test $xy_openblas = yes],
	[BLAS_CFLAGS=$OPENBLAS_CFLAGS
	 BLAS_LIBS=$OPENBLAS_LIBS],
	[BLAS_CFLAGS=
	 BLAS_LIBS="-lcblas -llapack -lblas"
	 PKG_CHECK_MODULES([NETLIB], [blas lapack],
		[BLAS_CFLAGS=$NETLIB_CFLAGS
		 BLAS_LIBS=$NETLIB_LIBS], [:])])
CPPFLAGS="$CPPFLAGS $BLAS_CFLAGS"
LIBS="$BLAS_LIBS $LIBS"
AC_MSG_CHECKING([for cblas_dgemm and dpotrf])
AC_LINK_IFELSE([AC_LANG_PROGRAM([[
	#include <cblas.h>
	void dpotrf_(const char *, const int *, double *, const int *, int *, unsigned long);]], [[
	double a = 1;
	int n = 1, info;
	cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, 1, 1, 1, 1.0, &a, 1, &a, 1, 0.0, &a, 1);
	dpotrf_("L", &n, &a, &n, &info, 1);]])],
	[AS_IF([test $xy_openblas = yes], [xy_blas="OpenBLAS `$PKG_CONFIG --modversion openblas`"],
		[xy_blas=CBLAS])],
	[xy_openblas=no
	 BLAS_CFLAGS=
	 BLAS_LIBS=])
AC_MSG_RESULT([$xy_blas])
CPPFLAGS=$xy_saved_CPPFLAGS
LIBS=$xy_saved_LIBS
AC_SUBST([BLAS_CFLAGS])
AC_SUBST([BLAS_LIBS])
XY_ROW([BLAS], [$xy_blas], [the Cholesky example uses plain C kernels], [libopenblas-dev])
AM_CONDITIONAL([HAVE_BLAS], [test "x$xy_blas" != xno])
AM_CONDITIONAL([HAVE_OPENBLAS], [test $xy_openblas = yes])
])

dnl Devices: the CUDA Toolkit (compiler and run-time library) and OpenCL.
AC_DEFUN([XY_DEVICES], [
AC_ARG_WITH([cuda],
	[AS_HELP_STRING([--with-cuda=DIR], [where the CUDA Toolkit is (default: nvcc on PATH, /usr/local/cuda)])],
	[], [with_cuda=yes])
xy_cuda=no
xy_cublas=no
AS_IF([test "x$with_cuda" != xno], [
	AS_IF([test "x$with_cuda" = xyes],
		[AC_PATH_PROG([NVCC], [nvcc], [no], [$PATH:/usr/local/cuda/bin])],
		[AC_PATH_PROG([NVCC], [nvcc], [no], [$with_cuda/bin])])
	AS_IF([test "x$NVCC" != xno], [
		AS_IF([test "x$with_cuda" = xyes],
			[xy_cuda_home=`dirname "$NVCC"`; xy_cuda_home=`dirname "$xy_cuda_home"`],
			[xy_cuda_home=$with_cuda])
		CUDA_CPPFLAGS="-isystem $xy_cuda_home/include"
		CUDA_LDFLAGS=
		AS_CASE([$xy_cuda_home],
			[/usr], [CUDA_CPPFLAGS=],
			[AS_IF([test -d "$xy_cuda_home/lib64"], [CUDA_LDFLAGS="-L$xy_cuda_home/lib64"],
				[CUDA_LDFLAGS="-L$xy_cuda_home/lib"])])
		xy_saved_CPPFLAGS=$CPPFLAGS
		xy_saved_LIBS=$LIBS
		CPPFLAGS="$CPPFLAGS $CUDA_CPPFLAGS"
		LIBS="$CUDA_LDFLAGS -lcudart $LIBS"
		AC_MSG_CHECKING([for the CUDA run-time library, and whether nvcc works])
		AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <cuda_runtime_api.h>]],
			[[int n; return cudaGetDeviceCount(&n);]])],
			[xy_cuda=`"$NVCC" --version | $SED -n 's/.*release \(@<:@0-9.@:>@*\).*/\1/p'`
			 CUDA_LIBS=-lcudart])
		AS_IF([test "x$xy_cuda" != xno], [
			echo 'int main() { return 0; }' >conftest.cu
			"$NVCC" -c conftest.cu -o conftest.o >&AS_MESSAGE_LOG_FD 2>&1 || xy_cuda=no
			rm -f conftest.cu conftest.o])
		AC_MSG_RESULT([$xy_cuda])
		dnl What those libraries need themselves is found when a program starts.
		CUBLAS_LIBS="-Wl,--allow-shlib-undefined -lcublas -lcusolver"
		LIBS="$CUDA_LDFLAGS $CUBLAS_LIBS $LIBS"
		AC_MSG_CHECKING([for cuBLAS and cuSOLVER])
		AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <cublas_v2.h>
			#include <cusolverDn.h>]],
			[[cublasHandle_t b; cusolverDnHandle_t s; return cublasCreate(&b) || cusolverDnCreate(&s);]])],
			[xy_cublas=$xy_cuda])
		AC_MSG_RESULT([$xy_cublas])
		CPPFLAGS=$xy_saved_CPPFLAGS
		LIBS=$xy_saved_LIBS])])
AC_SUBST([CUDA_CPPFLAGS])
AC_SUBST([CUDA_LDFLAGS])
AC_SUBST([CUDA_LIBS])
AC_SUBST([CUBLAS_LIBS])
XY_ROW([nvcc], [$xy_cuda], [examples with CUDA kernels], [nvidia-cuda-toolkit (non-free)])
AM_CONDITIONAL([HAVE_CUDA], [test "x$xy_cuda" != xno])
AM_CONDITIONAL([HAVE_CUBLAS], [test "x$xy_cublas" != xno])

PKG_CHECK_MODULES([OPENCL], [OpenCL], [xy_opencl=`$PKG_CONFIG --modversion OpenCL`], [xy_opencl=no])
AS_IF([test "x$xy_opencl" != xno], [
	AC_CHECK_HEADER([CL/cl.h], [], [xy_opencl=no], [#define CL_TARGET_OPENCL_VERSION 120])])
XY_ROW([OpenCL], [$xy_opencl], [driver for OpenCL devices], [ocl-icd-opencl-dev opencl-headers])
AM_CONDITIONAL([HAVE_OPENCL], [test "x$xy_opencl" != xno])
])

dnl XY_OPENMP_WITH(COMPILER, VARIABLE): VARIABLE=yes if COMPILER builds OpenMP programs.
AC_DEFUN([XY_OPENMP_WITH], [
AC_MSG_CHECKING([whether $1 builds OpenMP programs])
cat >conftest.c <<_XYEOF
#include <omp.h>
int main(void) { return omp_get_max_threads() < 1; }
_XYEOF
AS_IF([test "x$1" != xno && $1 -fopenmp conftest.c -o conftest >&AS_MESSAGE_LOG_FD 2>&1],
	[$2=yes], [$2=no])
rm -f conftest.c conftest
AC_MSG_RESULT([$$2])
])

dnl OpenMP of the compiler in use, for tests of codelets that use it.
AC_DEFUN([XY_CC_OPENMP], [
XY_OPENMP_WITH([$CC], [xy_cc_openmp])
XY_ROW([OpenMP of $CC], [$xy_cc_openmp], [tests of parallel tasks], [gcc, or clang libomp-dev])
AM_CONDITIONAL([HAVE_CC_OPENMP], [test $xy_cc_openmp = yes])
])

dnl The runtimes that the benches compare with, each left out when it isn't there.
AC_DEFUN([XY_PEERS], [
PKG_CHECK_MODULES([STARPU], [starpu-1.3], [xy_starpu=`$PKG_CONFIG --modversion starpu-1.3`], [xy_starpu=no])
XY_ROW([StarPU], [$xy_starpu], [bench peer], [libstarpu-dev])
AM_CONDITIONAL([HAVE_STARPU], [test "x$xy_starpu" != xno])

AC_PATH_PROG([BENCH_GCC], [gcc], [no])
XY_OPENMP_WITH([$BENCH_GCC], [xy_openmp])
XY_ROW([OpenMP of gcc], [$xy_openmp], [bench peer], [gcc])
AM_CONDITIONAL([HAVE_OPENMP], [test $xy_openmp = yes])

AC_PATH_PROGS([BENCH_CLANG], [clang clang-19 clang-16 clang-15 clang-14], [no])
XY_OPENMP_WITH([$BENCH_CLANG], [xy_clang_openmp])
XY_ROW([OpenMP of clang], [$xy_clang_openmp], [bench peer], [clang libomp-dev])
AM_CONDITIONAL([HAVE_CLANG_OPENMP], [test $xy_clang_openmp = yes])

PKG_CHECK_MODULES([TBB], [tbb >= 2021], [xy_tbb=`$PKG_CONFIG --modversion tbb`], [xy_tbb=no])
AS_IF([test "x$xy_tbb" != xno], [
	AC_LANG_PUSH([C++])
	AC_CHECK_HEADER([tbb/task_group.h], [], [xy_tbb=no])
	AC_LANG_POP([C++])])
XY_ROW([oneTBB], [$xy_tbb], [bench peer], [libtbb-dev g++])
AM_CONDITIONAL([HAVE_TBB], [test "x$xy_tbb" != xno])

XY_TASKFLOW
])

dnl Taskflow is a folder of headers. A folder that was named and does not serve is an error.
AC_DEFUN([XY_TASKFLOW], [
AC_ARG_WITH([taskflow], [AS_HELP_STRING([--with-taskflow=FOLDER],
	[compare with Taskflow, whose taskflow/taskflow.hpp is in FOLDER @<:@if the compiler finds it@:>@])],
	[], [with_taskflow=check])
TASKFLOW_CFLAGS=
AS_CASE([$with_taskflow], [yes | check | no], [], [TASKFLOW_CFLAGS="-isystem $with_taskflow"])
xy_taskflow=no
AS_IF([test "x$with_taskflow" != xno], [
	AC_MSG_CHECKING([for Taskflow])
	cat >conftest.cpp <<_XYEOF
#include <taskflow/taskflow.hpp>
int main() { tf::Executor executor(1); return 0; }
_XYEOF
	AS_IF([$CXX -std=c++17 -pthread $TASKFLOW_CFLAGS conftest.cpp -o conftest >&AS_MESSAGE_LOG_FD 2>&1],
		[xy_taskflow=yes])
	rm -f conftest.cpp conftest
	AC_MSG_RESULT([$xy_taskflow])
	AS_CASE([$with_taskflow:$xy_taskflow], [check:*], [],
		[*:no], [AC_MSG_ERROR([--with-taskflow=$with_taskflow: no usable taskflow/taskflow.hpp, see config.log])])])
XY_ROW([Taskflow], [$xy_taskflow], [bench peer (--with-taskflow)], [libtaskflow-cpp-dev])
AC_SUBST([TASKFLOW_CFLAGS])
AM_CONDITIONAL([HAVE_TASKFLOW], [test $xy_taskflow = yes])
])

dnl Prints what was found and what will be left out.
AC_DEFUN([XY_TABLE], [
AS_ECHO(["
xylem $VERSION, compiler $CC $CFLAGS $XY_SANITIZER_FLAGS $XY_DEBUG_FLAGS $XY_WERROR_FLAGS

Found:$xy_found"])
AS_IF([test -n "$xy_missing"], [AS_ECHO(["
Left out:          what for                                   Debian package$xy_missing"])])
AS_ECHO([""])
])
