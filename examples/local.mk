# Programs that use the public interface only, built by `make` and not installed, and their tests.
examples_programs = examples/batch examples/cholesky examples/complex examples/dot examples/hello examples/errors examples/graph \
	examples/hand_built_tree examples/pipeline examples/spmd
noinst_PROGRAMS += $(examples_programs)
examples_batch_SOURCES = examples/batch.c examples/batch.h
if HAVE_OPENCL
examples_batch_SOURCES += examples/batch_opencl.c
examples_batch_CFLAGS = $(AM_CFLAGS) $(OPENCL_CFLAGS)
examples_batch_LDADD = libxylem.la $(OPENCL_LIBS) -lm
else
examples_batch_SOURCES += examples/batch_no_opencl.c
examples_batch_LDADD = libxylem.la -lm
endif
EXTRA_DIST += examples/batch_opencl.c examples/batch_no_opencl.c
examples_complex_LDADD = libxylem.la
examples_dot_LDADD = libxylem.la
examples_hello_LDADD = libxylem.la
examples_errors_LDADD = libxylem.la
examples_pipeline_LDADD = libxylem.la -lm
examples_spmd_LDADD = libxylem.la
examples_graph_LDADD = libxylem.la
examples_hand_built_tree_LDADD = libxylem.la

# The kernels come from BLAS where there is one; each variant is a file of its own.
if HAVE_OPENBLAS
cholesky_blas = examples/cholesky_blas.c examples/cholesky_openblas.c
cholesky_blas_name = OpenBLAS
else
if HAVE_BLAS
cholesky_blas = examples/cholesky_blas.c examples/cholesky_onethread.c
else
cholesky_blas = examples/cholesky_noblas.c examples/cholesky_onethread.c
endif
cholesky_blas_name = BLAS
endif
cholesky_kernels = examples/cholesky.h examples/cholesky_own.c $(cholesky_blas)
cholesky_cflags = $(AM_CFLAGS) $(BLAS_CFLAGS) -DBLAS_NAME='"$(cholesky_blas_name)"'
EXTRA_DIST += examples/cholesky_blas.c examples/cholesky_openblas.c examples/cholesky_noblas.c \
	examples/cholesky_onethread.c

examples_cholesky_SOURCES = examples/cholesky.c examples/cholesky_chart.c examples/cholesky_graph.c examples/cholesky_matrix.c \
	examples/cholesky_options.c examples/cholesky_options.h examples/cholesky_report.c $(cholesky_kernels)
examples_cholesky_CFLAGS = $(cholesky_cflags)
examples_cholesky_LDADD = libxylem.la $(BLAS_LIBS) -lm

# Components of one's own: shared objects that are loaded at run time, never linked.
noinst_LTLIBRARIES += examples/component/lifo.la examples/component/soonest.la examples/component/bandit.la \
	examples/component/buffer.la examples/component/edf.la examples/component/limit.la examples/component/rate.la
examples_component_lifo_la_SOURCES = examples/component/lifo.c
examples_component_lifo_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared -rpath /nowhere
examples_component_lifo_la_LIBADD = libxylem.la
examples_component_soonest_la_SOURCES = examples/component/soonest.c
examples_component_soonest_la_LDFLAGS = $(examples_component_lifo_la_LDFLAGS)
examples_component_soonest_la_LIBADD = libxylem.la
examples_component_bandit_la_SOURCES = examples/component/bandit.c
examples_component_bandit_la_LDFLAGS = $(examples_component_lifo_la_LDFLAGS)
examples_component_bandit_la_LIBADD = libxylem.la
examples_component_buffer_la_SOURCES = examples/component/buffer.c
examples_component_buffer_la_LDFLAGS = $(examples_component_lifo_la_LDFLAGS)
examples_component_buffer_la_LIBADD = libxylem.la
examples_component_edf_la_SOURCES = examples/component/edf.c
examples_component_edf_la_LDFLAGS = $(examples_component_lifo_la_LDFLAGS)
examples_component_edf_la_LIBADD = libxylem.la
examples_component_limit_la_SOURCES = examples/component/limit.c
examples_component_limit_la_LDFLAGS = $(examples_component_lifo_la_LDFLAGS)
examples_component_limit_la_LIBADD = libxylem.la
examples_component_rate_la_SOURCES = examples/component/rate.c
examples_component_rate_la_LDFLAGS = $(examples_component_lifo_la_LDFLAGS)
examples_component_rate_la_LIBADD = libxylem.la

# Tests: a program that prints TAP, and scripts.
check_PROGRAMS += examples/test_kernels
examples_test_kernels_SOURCES = examples/test_kernels.c $(cholesky_kernels)
examples_test_kernels_CFLAGS = $(cholesky_cflags)
examples_test_kernels_LDADD = libxylem.la $(BLAS_LIBS) -lm
examples_scripts = examples/test-cholesky.sh examples/test-examples.sh examples/test-installed.sh \
	examples/component/test-plugin.sh examples/test-batch.sh examples/test-pipeline.sh
TESTS += examples/test_kernels $(examples_scripts)
EXTRA_DIST += $(examples_scripts)

# OpenCL: built where it is, run where there are devices.
if HAVE_OPENCL
noinst_PROGRAMS += examples/opencl/product
endif
examples_opencl_product_CFLAGS = $(AM_CFLAGS) $(OPENCL_CFLAGS)
examples_opencl_product_LDADD = libxylem.la $(OPENCL_LIBS)
TESTS += examples/opencl/test-product.sh
EXTRA_DIST += examples/opencl/test-product.sh

# CUDA: what nvcc compiles is an object like others; its program needs the C++ and the CUDA run-time.
SUFFIXES = .cu
NVCCFLAGS = -O2
.cu.o:
	$(AM_V_GEN)$(NVCC) -std=c++17 -I$(top_srcdir)/include $(NVCCFLAGS) -c $< -o $@
if HAVE_CUDA
noinst_PROGRAMS += examples/cuda/axpy
endif
examples_cuda_axpy_SOURCES = examples/cuda/axpy.c examples/cuda/axpy_cuda.cu examples/cuda/axpy_kernel.h
examples_cuda_axpy_LDADD = libxylem.la $(CUDA_LDFLAGS) $(CUDA_LIBS) -lstdc++
examples/cuda/axpy_cuda.$(OBJEXT): examples/cuda/axpy_kernel.h include/xylem/cuda.h
TESTS += examples/cuda/test-axpy.sh
EXTRA_DIST += examples/cuda/test-axpy.sh
if HAVE_CUBLAS
noinst_PROGRAMS += examples/cuda/dense
endif
examples_cuda_dense_SOURCES = examples/cuda/dense.c examples/cuda/dense.h examples/cuda/dense_cuda.cu
examples_cuda_dense_LDADD = libxylem.la $(CUDA_LDFLAGS) $(CUBLAS_LIBS) $(CUDA_LIBS) -lstdc++ -lm
examples/cuda/dense_cuda.$(OBJEXT): examples/cuda/dense.h include/xylem/cuda.h
TESTS += examples/cuda/test-dense.sh
EXTRA_DIST += examples/cuda/test-dense.sh

# Sources, beside the installed pages that name them.
examplesdir = $(docdir)/examples
dist_examples_DATA = examples/hello_cpp.cpp examples/batch.c examples/batch.h examples/batch_no_opencl.c examples/batch_opencl.c examples/complex.c examples/dot.c examples/errors.c examples/graph.c examples/hand_built_tree.c \
	examples/hello.c examples/pipeline.c examples/spmd.c
dist_examples_DATA += examples/cholesky.c examples/cholesky.h examples/cholesky_chart.c examples/cholesky_graph.c \
	examples/cholesky_matrix.c examples/cholesky_noblas.c examples/cholesky_onethread.c examples/cholesky_options.c \
	examples/cholesky_options.h examples/cholesky_own.c examples/cholesky_report.c
examplescomponentdir = $(examplesdir)/component
dist_examplescomponent_DATA = examples/component/lifo.c examples/component/soonest.c examples/component/bandit.c \
	examples/component/buffer.c examples/component/edf.c examples/component/limit.c examples/component/rate.c
examplescudadir = $(examplesdir)/cuda
dist_examplescuda_DATA = examples/cuda/axpy.c examples/cuda/axpy_cuda.cu examples/cuda/axpy_kernel.h \
	examples/cuda/dense.c examples/cuda/dense.h examples/cuda/dense_cuda.cu
examplesopencldir = $(examplesdir)/opencl
dist_examplesopencl_DATA = examples/opencl/product.c

# A piece of a farm, in C and in Python.
noinst_PROGRAMS += examples/farm/sampler
examples_farm_sampler_LDADD = libxylem-farm.la -lm
TESTS += examples/farm/test-sampler.sh examples/farm/test-farm.sh
EXTRA_DIST += examples/farm/test-sampler.sh examples/farm/test-farm.sh
examplesfarmdir = $(examplesdir)/farm
dist_examplesfarm_DATA = examples/farm/farm.yml examples/farm/sampler.c examples/farm/sampler.py
