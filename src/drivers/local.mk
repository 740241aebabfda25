# One file per kind of device. A line for each: libxylem_all_la_SOURCES += FILES

# OpenCL: a plug-in, loaded when there is one. It stays loaded: implementations have threads of their own.
if HAVE_OPENCL
pkglib_LTLIBRARIES += src/drivers/opencl.la
endif
src_drivers_opencl_la_SOURCES = src/drivers/copy.h \
	src/drivers/opencl.c src/drivers/opencl.h src/drivers/opencl_copy.c \
	src/drivers/opencl_error.c src/drivers/opencl_program.c src/drivers/opencl_select.c
src_drivers_opencl_la_CFLAGS = $(AM_CFLAGS) $(OPENCL_CFLAGS)
src_drivers_opencl_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared \
	-export-symbols-regex '^xy_driver$$' -Wl,-z,nodelete
src_drivers_opencl_la_LIBADD = $(OPENCL_LIBS)
libxylem_all_la_SOURCES += src/drivers/sim.c src/drivers/sim_flow.c

# GPUs whose run-time library is CUDA's or looks like it: what the plug-ins share.
gpu_sources = src/drivers/copy.h src/drivers/gpu.c src/drivers/gpu.h src/drivers/gpu_api.c \
	src/drivers/gpu_api.h src/drivers/gpu_copy.c src/drivers/gpu_error.c src/drivers/gpu_event.c \
	src/drivers/gpu_library.c src/drivers/gpu_pool.c src/drivers/gpu_select.c src/drivers/gpu_stage.c \
	src/drivers/gpu_types.h

# CUDA: a plug-in that looks for libcudart when it is loaded, so that the Toolkit is not needed here.
pkglib_LTLIBRARIES += src/drivers/cuda.la
src_drivers_cuda_la_SOURCES = src/drivers/cuda.c $(gpu_sources)
src_drivers_cuda_la_CFLAGS = $(AM_CFLAGS)
src_drivers_cuda_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared \
	-export-symbols-regex '^xy_driver$$' -Wl,-z,nodelete

# HIP: the same for AMD's libamdhip64.
pkglib_LTLIBRARIES += src/drivers/hip.la
src_drivers_hip_la_SOURCES = src/drivers/hip.c $(gpu_sources)
src_drivers_hip_la_CFLAGS = $(AM_CFLAGS)
src_drivers_hip_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared \
	-export-symbols-regex '^xy_driver$$' -Wl,-z,nodelete
