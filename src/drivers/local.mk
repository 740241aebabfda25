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
libxylem_all_la_SOURCES += src/drivers/cpu.c src/drivers/sim.c src/drivers/sim_flow.c

# CUDA: a plug-in that looks for libcudart when it is loaded, so that the Toolkit is not needed here.
pkglib_LTLIBRARIES += src/drivers/cuda.la
src_drivers_cuda_la_SOURCES = src/drivers/copy.h \
	src/drivers/cuda.c src/drivers/cuda.h src/drivers/cuda_api.c \
	src/drivers/cuda_api.h src/drivers/cuda_copy.c src/drivers/cuda_error.c src/drivers/cuda_event.c \
	src/drivers/cuda_select.c src/drivers/cuda_types.h
src_drivers_cuda_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared \
	-export-symbols-regex '^xy_driver$$' -Wl,-z,nodelete
