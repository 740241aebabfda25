/* SPDX-License-Identifier: MIT */
/* The predefined shapes of data as codelets see them, their registration, and
 * interfaces of the program's own. */
#ifndef XYLEM_STARPU_INTERFACES_H
#define XYLEM_STARPU_INTERFACES_H

#include <parts/data.h>
#include <stdarg.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- interfaces of the program's own --- */

/* Copies between two places of memory: any_to_any or ram_to_ram is called; the
 * others are kept for programs that set them. */
struct starpu_data_copy_methods {
	int (*can_copy)(void *src_interface, unsigned src_node, void *dst_interface, unsigned dst_node,
			unsigned handling_node);
	int (*ram_to_ram)(void *src_interface, unsigned src_node, void *dst_interface, unsigned dst_node);
	int (*ram_to_cuda)(void *src_interface, unsigned src_node, void *dst_interface, unsigned dst_node);
	int (*ram_to_opencl)(void *src_interface, unsigned src_node, void *dst_interface, unsigned dst_node);
	int (*ram_to_hip)(void *src_interface, unsigned src_node, void *dst_interface, unsigned dst_node);
	int (*ram_to_mic)(void *src_interface, unsigned src_node, void *dst_interface, unsigned dst_node);
	int (*ram_to_mpi_ms)(void *src_interface, unsigned src_node, void *dst_interface, unsigned dst_node);
	int (*ram_to_max_fpga)(void *src_interface, unsigned src_node, void *dst_interface, unsigned dst_node);
	int (*cuda_to_ram)(void *src_interface, unsigned src_node, void *dst_interface, unsigned dst_node);
	int (*cuda_to_cuda)(void *src_interface, unsigned src_node, void *dst_interface, unsigned dst_node);
	int (*cuda_to_opencl)(void *src_interface, unsigned src_node, void *dst_interface, unsigned dst_node);
	int (*cuda_to_hip)(void *src_interface, unsigned src_node, void *dst_interface, unsigned dst_node);
	int (*cuda_to_mic)(void *src_interface, unsigned src_node, void *dst_interface, unsigned dst_node);
	int (*cuda_to_mpi_ms)(void *src_interface, unsigned src_node, void *dst_interface, unsigned dst_node);
	int (*cuda_to_max_fpga)(void *src_interface, unsigned src_node, void *dst_interface, unsigned dst_node);
	int (*opencl_to_ram)(void *src_interface, unsigned src_node, void *dst_interface, unsigned dst_node);
	int (*opencl_to_cuda)(void *src_interface, unsigned src_node, void *dst_interface, unsigned dst_node);
	int (*opencl_to_opencl)(void *src_interface, unsigned src_node, void *dst_interface, unsigned dst_node);
	int (*opencl_to_hip)(void *src_interface, unsigned src_node, void *dst_interface, unsigned dst_node);
	int (*opencl_to_mic)(void *src_interface, unsigned src_node, void *dst_interface, unsigned dst_node);
	int (*opencl_to_mpi_ms)(void *src_interface, unsigned src_node, void *dst_interface, unsigned dst_node);
	int (*opencl_to_max_fpga)(void *src_interface, unsigned src_node, void *dst_interface, unsigned dst_node);
	int (*hip_to_ram)(void *src_interface, unsigned src_node, void *dst_interface, unsigned dst_node);
	int (*hip_to_cuda)(void *src_interface, unsigned src_node, void *dst_interface, unsigned dst_node);
	int (*hip_to_opencl)(void *src_interface, unsigned src_node, void *dst_interface, unsigned dst_node);
	int (*hip_to_hip)(void *src_interface, unsigned src_node, void *dst_interface, unsigned dst_node);
	int (*hip_to_mic)(void *src_interface, unsigned src_node, void *dst_interface, unsigned dst_node);
	int (*hip_to_mpi_ms)(void *src_interface, unsigned src_node, void *dst_interface, unsigned dst_node);
	int (*hip_to_max_fpga)(void *src_interface, unsigned src_node, void *dst_interface, unsigned dst_node);
	int (*mic_to_ram)(void *src_interface, unsigned src_node, void *dst_interface, unsigned dst_node);
	int (*mic_to_cuda)(void *src_interface, unsigned src_node, void *dst_interface, unsigned dst_node);
	int (*mic_to_opencl)(void *src_interface, unsigned src_node, void *dst_interface, unsigned dst_node);
	int (*mic_to_hip)(void *src_interface, unsigned src_node, void *dst_interface, unsigned dst_node);
	int (*mic_to_mic)(void *src_interface, unsigned src_node, void *dst_interface, unsigned dst_node);
	int (*mic_to_mpi_ms)(void *src_interface, unsigned src_node, void *dst_interface, unsigned dst_node);
	int (*mic_to_max_fpga)(void *src_interface, unsigned src_node, void *dst_interface, unsigned dst_node);
	int (*mpi_ms_to_ram)(void *src_interface, unsigned src_node, void *dst_interface, unsigned dst_node);
	int (*mpi_ms_to_cuda)(void *src_interface, unsigned src_node, void *dst_interface, unsigned dst_node);
	int (*mpi_ms_to_opencl)(void *src_interface, unsigned src_node, void *dst_interface, unsigned dst_node);
	int (*mpi_ms_to_hip)(void *src_interface, unsigned src_node, void *dst_interface, unsigned dst_node);
	int (*mpi_ms_to_mic)(void *src_interface, unsigned src_node, void *dst_interface, unsigned dst_node);
	int (*mpi_ms_to_mpi_ms)(void *src_interface, unsigned src_node, void *dst_interface, unsigned dst_node);
	int (*mpi_ms_to_max_fpga)(void *src_interface, unsigned src_node, void *dst_interface, unsigned dst_node);
	int (*max_fpga_to_ram)(void *src_interface, unsigned src_node, void *dst_interface, unsigned dst_node);
	int (*max_fpga_to_cuda)(void *src_interface, unsigned src_node, void *dst_interface, unsigned dst_node);
	int (*max_fpga_to_opencl)(void *src_interface, unsigned src_node, void *dst_interface, unsigned dst_node);
	int (*max_fpga_to_hip)(void *src_interface, unsigned src_node, void *dst_interface, unsigned dst_node);
	int (*max_fpga_to_mic)(void *src_interface, unsigned src_node, void *dst_interface, unsigned dst_node);
	int (*max_fpga_to_mpi_ms)(void *src_interface, unsigned src_node, void *dst_interface, unsigned dst_node);
	int (*max_fpga_to_max_fpga)(void *src_interface, unsigned src_node, void *dst_interface, unsigned dst_node);
	int (*ram_to_cuda_async)(XYLEM_STARPU_ANY);
	int (*ram_to_opencl_async)(XYLEM_STARPU_ANY);
	int (*ram_to_hip_async)(XYLEM_STARPU_ANY);
	int (*ram_to_mic_async)(XYLEM_STARPU_ANY);
	int (*ram_to_mpi_ms_async)(XYLEM_STARPU_ANY);
	int (*ram_to_max_fpga_async)(XYLEM_STARPU_ANY);
	int (*cuda_to_ram_async)(XYLEM_STARPU_ANY);
	int (*cuda_to_cuda_async)(XYLEM_STARPU_ANY);
	int (*cuda_to_opencl_async)(XYLEM_STARPU_ANY);
	int (*cuda_to_hip_async)(XYLEM_STARPU_ANY);
	int (*cuda_to_mic_async)(XYLEM_STARPU_ANY);
	int (*cuda_to_mpi_ms_async)(XYLEM_STARPU_ANY);
	int (*cuda_to_max_fpga_async)(XYLEM_STARPU_ANY);
	int (*opencl_to_ram_async)(XYLEM_STARPU_ANY);
	int (*opencl_to_cuda_async)(XYLEM_STARPU_ANY);
	int (*opencl_to_opencl_async)(XYLEM_STARPU_ANY);
	int (*opencl_to_hip_async)(XYLEM_STARPU_ANY);
	int (*opencl_to_mic_async)(XYLEM_STARPU_ANY);
	int (*opencl_to_mpi_ms_async)(XYLEM_STARPU_ANY);
	int (*opencl_to_max_fpga_async)(XYLEM_STARPU_ANY);
	int (*hip_to_ram_async)(XYLEM_STARPU_ANY);
	int (*hip_to_cuda_async)(XYLEM_STARPU_ANY);
	int (*hip_to_opencl_async)(XYLEM_STARPU_ANY);
	int (*hip_to_hip_async)(XYLEM_STARPU_ANY);
	int (*hip_to_mic_async)(XYLEM_STARPU_ANY);
	int (*hip_to_mpi_ms_async)(XYLEM_STARPU_ANY);
	int (*hip_to_max_fpga_async)(XYLEM_STARPU_ANY);
	int (*mic_to_ram_async)(XYLEM_STARPU_ANY);
	int (*mic_to_cuda_async)(XYLEM_STARPU_ANY);
	int (*mic_to_opencl_async)(XYLEM_STARPU_ANY);
	int (*mic_to_hip_async)(XYLEM_STARPU_ANY);
	int (*mic_to_mic_async)(XYLEM_STARPU_ANY);
	int (*mic_to_mpi_ms_async)(XYLEM_STARPU_ANY);
	int (*mic_to_max_fpga_async)(XYLEM_STARPU_ANY);
	int (*mpi_ms_to_ram_async)(XYLEM_STARPU_ANY);
	int (*mpi_ms_to_cuda_async)(XYLEM_STARPU_ANY);
	int (*mpi_ms_to_opencl_async)(XYLEM_STARPU_ANY);
	int (*mpi_ms_to_hip_async)(XYLEM_STARPU_ANY);
	int (*mpi_ms_to_mic_async)(XYLEM_STARPU_ANY);
	int (*mpi_ms_to_mpi_ms_async)(XYLEM_STARPU_ANY);
	int (*mpi_ms_to_max_fpga_async)(XYLEM_STARPU_ANY);
	int (*max_fpga_to_ram_async)(XYLEM_STARPU_ANY);
	int (*max_fpga_to_cuda_async)(XYLEM_STARPU_ANY);
	int (*max_fpga_to_opencl_async)(XYLEM_STARPU_ANY);
	int (*max_fpga_to_hip_async)(XYLEM_STARPU_ANY);
	int (*max_fpga_to_mic_async)(XYLEM_STARPU_ANY);
	int (*max_fpga_to_mpi_ms_async)(XYLEM_STARPU_ANY);
	int (*max_fpga_to_max_fpga_async)(XYLEM_STARPU_ANY);
	int (*any_to_any)(void *src_interface, unsigned src_node, void *dst_interface, unsigned dst_node,
			  void *async_data);
};

enum starpu_data_interface_id {
	STARPU_UNKNOWN_INTERFACE_ID = -1,
	STARPU_MATRIX_INTERFACE_ID = 0,
	STARPU_BLOCK_INTERFACE_ID = 1,
	STARPU_VECTOR_INTERFACE_ID = 2,
	STARPU_CSR_INTERFACE_ID = 3,
	STARPU_BCSR_INTERFACE_ID = 4,
	STARPU_VARIABLE_INTERFACE_ID = 5,
	STARPU_VOID_INTERFACE_ID = 6,
	STARPU_MULTIFORMAT_INTERFACE_ID = 7,
	STARPU_COO_INTERFACE_ID = 8,
	STARPU_TENSOR_INTERFACE_ID = 9,
	STARPU_NDIM_INTERFACE_ID = 10,
	STARPU_MAX_INTERFACE_ID = 11
};

struct starpu_multiformat_data_interface_ops;

/* The type of a home node changed after 1.3. */
#if STARPU_MINOR_VERSION < 4
#define XYLEM_STARPU_HOME unsigned
#else
#define XYLEM_STARPU_HOME int
#endif

struct starpu_data_interface_ops {
	void (*register_data_handle)(starpu_data_handle_t handle, XYLEM_STARPU_HOME home_node, void *data_interface);
	void (*unregister_data_handle)(starpu_data_handle_t handle);
	starpu_ssize_t (*allocate_data_on_node)(void *data_interface, unsigned node);
	void (*free_data_on_node)(void *data_interface, unsigned node);
	void (*cache_data_on_node)(void *cached_interface, void *src_data_interface, unsigned node);
	void (*reuse_data_on_node)(void *dst_data_interface, const void *cached_interface, unsigned node);
	int (*map_data)(void *src_interface, unsigned src_node, void *dst_interface, unsigned dst_node);
	int (*unmap_data)(void *src_interface, unsigned src_node, void *dst_interface, unsigned dst_node);
	int (*update_map)(void *src_interface, unsigned src_node, void *dst_interface, unsigned dst_node);
	void (*init)(void *data_interface);
	const struct starpu_data_copy_methods *copy_methods;
	void *(*handle_to_pointer)(starpu_data_handle_t handle, unsigned node);
	void *(*to_pointer)(void *data_interface, unsigned node);
	int (*pointer_is_inside)(void *data_interface, unsigned node, void *ptr);
	size_t (*get_size)(starpu_data_handle_t handle);
	size_t (*get_alloc_size)(starpu_data_handle_t handle);
	size_t (*get_max_size)(starpu_data_handle_t handle);
	uint32_t (*footprint)(starpu_data_handle_t handle);
	uint32_t (*alloc_footprint)(starpu_data_handle_t handle);
	int (*compare)(void *data_interface_a, void *data_interface_b);
	int (*alloc_compare)(void *data_interface_a, void *data_interface_b);
	void (*display)(starpu_data_handle_t handle, FILE *f);
	starpu_ssize_t (*describe)(void *data_interface, char *buf, size_t size);
	enum starpu_data_interface_id interfaceid;
	size_t interface_size;
	char is_multiformat;
	char dontcache;
	struct starpu_multiformat_data_interface_ops *(*get_mf_ops)(void *data_interface);
	int (*pack_data)(starpu_data_handle_t handle, unsigned node, void **ptr, starpu_ssize_t *count);
	int (*peek_data)(starpu_data_handle_t handle, unsigned node, void *ptr, size_t count);
	int (*unpack_data)(starpu_data_handle_t handle, unsigned node, void *ptr, size_t count);
	int (*pack_meta)(void *data_interface, void **ptr, starpu_ssize_t *count);
	int (*unpack_meta)(void **data_interface, void *ptr, starpu_ssize_t *count);
	int (*free_meta)(void *data_interface);
	char *name;
};

void starpu_data_register(starpu_data_handle_t *handleptr, int home_node, void *data_interface,
			  struct starpu_data_interface_ops *ops);
void starpu_data_register_same(starpu_data_handle_t *handledst, starpu_data_handle_t handlesrc);
void *starpu_data_handle_to_pointer(starpu_data_handle_t handle, unsigned node);
int starpu_data_pointer_is_inside(starpu_data_handle_t handle, unsigned node, void *ptr);
void *starpu_data_get_local_ptr(starpu_data_handle_t handle);
void *starpu_data_get_interface_on_node(starpu_data_handle_t handle, unsigned memory_node);
enum starpu_data_interface_id starpu_data_get_interface_id(starpu_data_handle_t handle);
int starpu_data_pack(starpu_data_handle_t handle, void **ptr, starpu_ssize_t *count);
int starpu_data_peek(starpu_data_handle_t handle, void *ptr, size_t count);
int starpu_data_unpack(starpu_data_handle_t handle, void *ptr, size_t count);
size_t starpu_data_get_size(starpu_data_handle_t handle);
size_t starpu_data_get_alloc_size(starpu_data_handle_t handle);
int starpu_data_get_home_node(starpu_data_handle_t handle);
int starpu_data_interface_get_next_id(void);
starpu_data_handle_t starpu_data_lookup(const void *ptr);

int starpu_data_pack_node(starpu_data_handle_t handle, unsigned node, void **ptr, starpu_ssize_t *count);
int starpu_data_peek_node(starpu_data_handle_t handle, unsigned node, void *ptr, size_t count);
int starpu_data_unpack_node(starpu_data_handle_t handle, unsigned node, void *ptr, size_t count);
size_t starpu_data_get_max_size(starpu_data_handle_t handle);
int starpu_data_register_ops(struct starpu_data_interface_ops *ops);
/* Where the program's own memory for a handle is, on a node. */
void starpu_data_ptr_register(starpu_data_handle_t handle, unsigned node);
void starpu_vector_ptr_register(starpu_data_handle_t handle, unsigned node, uintptr_t ptr, uintptr_t dev_handle,
				size_t offset);
void starpu_variable_ptr_register(starpu_data_handle_t handle, unsigned node, uintptr_t ptr, uintptr_t dev_handle,
				  size_t offset);
void starpu_matrix_ptr_register(starpu_data_handle_t handle, unsigned node, uintptr_t ptr, uintptr_t dev_handle,
				size_t offset, uint32_t ld);
void starpu_block_ptr_register(starpu_data_handle_t handle, unsigned node, uintptr_t ptr, uintptr_t dev_handle,
			       size_t offset, uint32_t ldy, uint32_t ldz);
void starpu_tensor_ptr_register(starpu_data_handle_t handle, unsigned node, uintptr_t ptr, uintptr_t dev_handle,
				size_t offset, uint32_t ldy, uint32_t ldz, uint32_t ldt);
void starpu_ndim_ptr_register(starpu_data_handle_t handle, unsigned node, uintptr_t ptr, uintptr_t dev_handle,
			      size_t offset, uint32_t *ldn);
int starpu_interface_copy2d(uintptr_t src, size_t src_offset, unsigned src_node, uintptr_t dst, size_t dst_offset,
			    unsigned dst_node, size_t blocksize, size_t numblocks, size_t ld_src, size_t ld_dst,
			    void *async_data);
/* Memory of another node in place: never, so a negative number; copies are made instead. */
uintptr_t starpu_interface_map(uintptr_t src, size_t src_offset, unsigned src_node, unsigned dst_node, size_t size,
			       int *ret);
int starpu_interface_unmap(uintptr_t src, size_t src_offset, unsigned src_node, uintptr_t dst, unsigned dst_node,
			   size_t size);
int starpu_interface_update_map(uintptr_t src, size_t src_offset, unsigned src_node, uintptr_t dst, size_t dst_offset,
				unsigned dst_node, size_t size);
int starpu_interface_copy3d(uintptr_t src, size_t src_offset, unsigned src_node, uintptr_t dst, size_t dst_offset,
			    unsigned dst_node, size_t blocksize, size_t numblocks_1, size_t ld1_src, size_t ld1_dst,
			    size_t numblocks_2, size_t ld2_src, size_t ld2_dst, void *async_data);
int starpu_interface_copy4d(uintptr_t src, size_t src_offset, unsigned src_node, uintptr_t dst, size_t dst_offset,
			    unsigned dst_node, size_t blocksize, size_t numblocks_1, size_t ld1_src, size_t ld1_dst,
			    size_t numblocks_2, size_t ld2_src, size_t ld2_dst, size_t numblocks_3, size_t ld3_src,
			    size_t ld3_dst, void *async_data);
int starpu_interface_copynd(uintptr_t src, size_t src_offset, unsigned src_node, uintptr_t dst, size_t dst_offset,
			    unsigned dst_node, size_t elemsize, size_t ndim, uint32_t *nn, uint32_t *ldn_src,
			    uint32_t *ldn_dst, void *async_data);
void starpu_interface_start_driver_copy_async(unsigned src_node, unsigned dst_node, double *start);
void starpu_interface_end_driver_copy_async(unsigned src_node, unsigned dst_node, double start);
void starpu_interface_data_copy(unsigned src_node, unsigned dst_node, size_t size);
int starpu_interface_copy(uintptr_t src, size_t src_offset, unsigned src_node, uintptr_t dst, size_t dst_offset,
			  unsigned dst_node, size_t size, void *async_data);

/* --- matrix --- */

extern struct starpu_data_interface_ops starpu_interface_matrix_ops;
struct starpu_matrix_interface {
	enum starpu_data_interface_id id;
	uintptr_t ptr;
	uintptr_t dev_handle;
	size_t offset;
	uint32_t nx;
	uint32_t ny;
	uint32_t ld;
	size_t elemsize;
	size_t allocsize;
};
#define STARPU_MATRIX_CHECK(interface) STARPU_ASSERT((interface) != NULL)
#define STARPU_MATRIX_GET_PTR(interface) (((struct starpu_matrix_interface *)(interface))->ptr)
#define STARPU_MATRIX_GET_DEV_HANDLE(interface) (((struct starpu_matrix_interface *)(interface))->ptr)
#define STARPU_MATRIX_GET_OFFSET(interface) ((void)(interface), (size_t)0)
#define STARPU_MATRIX_GET_NX(interface) (((struct starpu_matrix_interface *)(interface))->nx)
#define STARPU_MATRIX_GET_NY(interface) (((struct starpu_matrix_interface *)(interface))->ny)
#define STARPU_MATRIX_GET_LD(interface) (((struct starpu_matrix_interface *)(interface))->ld)
#define STARPU_MATRIX_GET_ELEMSIZE(interface) (((struct starpu_matrix_interface *)(interface))->elemsize)
#define STARPU_MATRIX_GET_ALLOCSIZE(interface) (((struct starpu_matrix_interface *)(interface))->allocsize)
#define STARPU_MATRIX_SET_NX(interface, value) \
	do { \
		((struct starpu_matrix_interface *)(interface))->nx = (value); \
	} while (0)
#define STARPU_MATRIX_SET_NY(interface, value) \
	do { \
		((struct starpu_matrix_interface *)(interface))->ny = (value); \
	} while (0)
#define STARPU_MATRIX_SET_LD(interface, value) \
	do { \
		((struct starpu_matrix_interface *)(interface))->ld = (value); \
	} while (0)
uint32_t starpu_matrix_get_nx(starpu_data_handle_t handle);
uint32_t starpu_matrix_get_ny(starpu_data_handle_t handle);
uint32_t starpu_matrix_get_local_ld(starpu_data_handle_t handle);
size_t starpu_matrix_get_elemsize(starpu_data_handle_t handle);
size_t starpu_matrix_get_allocsize(starpu_data_handle_t handle);
uintptr_t starpu_matrix_get_local_ptr(starpu_data_handle_t handle);

/* --- block --- */

extern struct starpu_data_interface_ops starpu_interface_block_ops;
struct starpu_block_interface {
	enum starpu_data_interface_id id;
	uintptr_t ptr;
	uintptr_t dev_handle;
	size_t offset;
	uint32_t nx;
	uint32_t ny;
	uint32_t nz;
	uint32_t ldy;
	uint32_t ldz;
	size_t elemsize;
};
#define STARPU_BLOCK_CHECK(interface) STARPU_ASSERT((interface) != NULL)
#define STARPU_BLOCK_GET_PTR(interface) (((struct starpu_block_interface *)(interface))->ptr)
#define STARPU_BLOCK_GET_DEV_HANDLE(interface) (((struct starpu_block_interface *)(interface))->ptr)
#define STARPU_BLOCK_GET_OFFSET(interface) ((void)(interface), (size_t)0)
#define STARPU_BLOCK_GET_NX(interface) (((struct starpu_block_interface *)(interface))->nx)
#define STARPU_BLOCK_GET_NY(interface) (((struct starpu_block_interface *)(interface))->ny)
#define STARPU_BLOCK_GET_NZ(interface) (((struct starpu_block_interface *)(interface))->nz)
#define STARPU_BLOCK_GET_LDY(interface) (((struct starpu_block_interface *)(interface))->ldy)
#define STARPU_BLOCK_GET_LDZ(interface) (((struct starpu_block_interface *)(interface))->ldz)
#define STARPU_BLOCK_GET_ELEMSIZE(interface) (((struct starpu_block_interface *)(interface))->elemsize)
#define STARPU_BLOCK_SET_NX(interface, value) \
	do { \
		((struct starpu_block_interface *)(interface))->nx = (value); \
	} while (0)
#define STARPU_BLOCK_SET_NY(interface, value) \
	do { \
		((struct starpu_block_interface *)(interface))->ny = (value); \
	} while (0)
#define STARPU_BLOCK_SET_NZ(interface, value) \
	do { \
		((struct starpu_block_interface *)(interface))->nz = (value); \
	} while (0)
#define STARPU_BLOCK_SET_LDY(interface, value) \
	do { \
		((struct starpu_block_interface *)(interface))->ldy = (value); \
	} while (0)
#define STARPU_BLOCK_SET_LDZ(interface, value) \
	do { \
		((struct starpu_block_interface *)(interface))->ldz = (value); \
	} while (0)
uint32_t starpu_block_get_nx(starpu_data_handle_t handle);
uint32_t starpu_block_get_ny(starpu_data_handle_t handle);
uint32_t starpu_block_get_nz(starpu_data_handle_t handle);
uint32_t starpu_block_get_local_ldy(starpu_data_handle_t handle);
uint32_t starpu_block_get_local_ldz(starpu_data_handle_t handle);
size_t starpu_block_get_elemsize(starpu_data_handle_t handle);
uintptr_t starpu_block_get_local_ptr(starpu_data_handle_t handle);

/* --- tensor --- */

extern struct starpu_data_interface_ops starpu_interface_tensor_ops;
struct starpu_tensor_interface {
	enum starpu_data_interface_id id;
	uintptr_t ptr;
	uintptr_t dev_handle;
	size_t offset;
	uint32_t nx;
	uint32_t ny;
	uint32_t nz;
	uint32_t nt;
	uint32_t ldy;
	uint32_t ldz;
	uint32_t ldt;
	size_t elemsize;
};
#define STARPU_TENSOR_CHECK(interface) STARPU_ASSERT((interface) != NULL)
#define STARPU_TENSOR_GET_PTR(interface) (((struct starpu_tensor_interface *)(interface))->ptr)
#define STARPU_TENSOR_GET_DEV_HANDLE(interface) (((struct starpu_tensor_interface *)(interface))->ptr)
#define STARPU_TENSOR_GET_OFFSET(interface) ((void)(interface), (size_t)0)
#define STARPU_TENSOR_GET_NX(interface) (((struct starpu_tensor_interface *)(interface))->nx)
#define STARPU_TENSOR_GET_NY(interface) (((struct starpu_tensor_interface *)(interface))->ny)
#define STARPU_TENSOR_GET_NZ(interface) (((struct starpu_tensor_interface *)(interface))->nz)
#define STARPU_TENSOR_GET_NT(interface) (((struct starpu_tensor_interface *)(interface))->nt)
#define STARPU_TENSOR_GET_LDY(interface) (((struct starpu_tensor_interface *)(interface))->ldy)
#define STARPU_TENSOR_GET_LDZ(interface) (((struct starpu_tensor_interface *)(interface))->ldz)
#define STARPU_TENSOR_GET_LDT(interface) (((struct starpu_tensor_interface *)(interface))->ldt)
#define STARPU_TENSOR_GET_ELEMSIZE(interface) (((struct starpu_tensor_interface *)(interface))->elemsize)
#define STARPU_TENSOR_SET_NX(interface, value) \
	do { \
		((struct starpu_tensor_interface *)(interface))->nx = (value); \
	} while (0)
#define STARPU_TENSOR_SET_NY(interface, value) \
	do { \
		((struct starpu_tensor_interface *)(interface))->ny = (value); \
	} while (0)
#define STARPU_TENSOR_SET_NZ(interface, value) \
	do { \
		((struct starpu_tensor_interface *)(interface))->nz = (value); \
	} while (0)
#define STARPU_TENSOR_SET_NT(interface, value) \
	do { \
		((struct starpu_tensor_interface *)(interface))->nt = (value); \
	} while (0)
#define STARPU_TENSOR_SET_LDY(interface, value) \
	do { \
		((struct starpu_tensor_interface *)(interface))->ldy = (value); \
	} while (0)
#define STARPU_TENSOR_SET_LDZ(interface, value) \
	do { \
		((struct starpu_tensor_interface *)(interface))->ldz = (value); \
	} while (0)
#define STARPU_TENSOR_SET_LDT(interface, value) \
	do { \
		((struct starpu_tensor_interface *)(interface))->ldt = (value); \
	} while (0)
uint32_t starpu_tensor_get_nx(starpu_data_handle_t handle);
uint32_t starpu_tensor_get_ny(starpu_data_handle_t handle);
uint32_t starpu_tensor_get_nz(starpu_data_handle_t handle);
uint32_t starpu_tensor_get_nt(starpu_data_handle_t handle);
uint32_t starpu_tensor_get_local_ldy(starpu_data_handle_t handle);
uint32_t starpu_tensor_get_local_ldz(starpu_data_handle_t handle);
uint32_t starpu_tensor_get_local_ldt(starpu_data_handle_t handle);
size_t starpu_tensor_get_elemsize(starpu_data_handle_t handle);
uintptr_t starpu_tensor_get_local_ptr(starpu_data_handle_t handle);

/* --- ndim: up to 8 dimensions, the contiguous one first --- */

extern struct starpu_data_interface_ops starpu_interface_ndim_ops;
struct starpu_ndim_interface {
	enum starpu_data_interface_id id;
	uintptr_t ptr;
	uintptr_t dev_handle;
	size_t offset;
	size_t allocsize;
	uint32_t *nn;
	uint32_t *ldn;
	size_t ndim;
	size_t elemsize;
};
#define STARPU_NDIM_CHECK(interface) STARPU_ASSERT((interface) != NULL)
#define STARPU_NDIM_GET_PTR(interface) (((struct starpu_ndim_interface *)(interface))->ptr)
#define STARPU_NDIM_GET_DEV_HANDLE(interface) (((struct starpu_ndim_interface *)(interface))->ptr)
#define STARPU_NDIM_GET_OFFSET(interface) ((void)(interface), (size_t)0)
#define STARPU_NDIM_GET_NN(interface) (((struct starpu_ndim_interface *)(interface))->nn)
#define STARPU_NDIM_GET_LDN(interface) (((struct starpu_ndim_interface *)(interface))->ldn)
#define STARPU_NDIM_GET_NDIM(interface) (((struct starpu_ndim_interface *)(interface))->ndim)
#define STARPU_NDIM_GET_ELEMSIZE(interface) (((struct starpu_ndim_interface *)(interface))->elemsize)
void starpu_ndim_data_register(starpu_data_handle_t *handleptr, int home_node, uintptr_t ptr, uint32_t *ldn,
			       uint32_t *nn, size_t ndim, size_t elemsize);
uint32_t *starpu_ndim_get_nn(starpu_data_handle_t handle);
uint32_t starpu_ndim_get_ni(starpu_data_handle_t handle, size_t i);
uint32_t *starpu_ndim_get_local_ldn(starpu_data_handle_t handle);
uint32_t starpu_ndim_get_local_ldi(starpu_data_handle_t handle, size_t i);
uintptr_t starpu_ndim_get_local_ptr(starpu_data_handle_t handle);
size_t starpu_ndim_get_ndim(starpu_data_handle_t handle);
size_t starpu_ndim_get_elemsize(starpu_data_handle_t handle);

/* --- vector --- */

extern struct starpu_data_interface_ops starpu_interface_vector_ops;
struct starpu_vector_interface {
	enum starpu_data_interface_id id;
	uintptr_t ptr;
	uintptr_t dev_handle;
	size_t offset;
	uint32_t nx;
	size_t elemsize;
	uint32_t slice_base;
	size_t allocsize;
};
#define STARPU_VECTOR_CHECK(interface) STARPU_ASSERT((interface) != NULL)
#define STARPU_VECTOR_GET_PTR(interface) (((struct starpu_vector_interface *)(interface))->ptr)
#define STARPU_VECTOR_GET_DEV_HANDLE(interface) (((struct starpu_vector_interface *)(interface))->ptr)
#define STARPU_VECTOR_GET_OFFSET(interface) ((void)(interface), (size_t)0)
#define STARPU_VECTOR_GET_NX(interface) (((struct starpu_vector_interface *)(interface))->nx)
#define STARPU_VECTOR_GET_ELEMSIZE(interface) (((struct starpu_vector_interface *)(interface))->elemsize)
#define STARPU_VECTOR_GET_SLICE_BASE(interface) (((struct starpu_vector_interface *)(interface))->slice_base)
#define STARPU_VECTOR_GET_ALLOCSIZE(interface) (((struct starpu_vector_interface *)(interface))->allocsize)
#define STARPU_VECTOR_SET_NX(interface, value) \
	do { \
		((struct starpu_vector_interface *)(interface))->nx = (value); \
	} while (0)
uint32_t starpu_vector_get_nx(starpu_data_handle_t handle);
size_t starpu_vector_get_elemsize(starpu_data_handle_t handle);
size_t starpu_vector_get_allocsize(starpu_data_handle_t handle);
uintptr_t starpu_vector_get_local_ptr(starpu_data_handle_t handle);

/* --- variable --- */

extern struct starpu_data_interface_ops starpu_interface_variable_ops;
struct starpu_variable_interface {
	enum starpu_data_interface_id id;
	uintptr_t ptr;
	uintptr_t dev_handle;
	size_t offset;
	size_t elemsize;
};
#define STARPU_VARIABLE_CHECK(interface) STARPU_ASSERT((interface) != NULL)
#define STARPU_VARIABLE_GET_PTR(interface) (((struct starpu_variable_interface *)(interface))->ptr)
#define STARPU_VARIABLE_GET_DEV_HANDLE(interface) (((struct starpu_variable_interface *)(interface))->ptr)
#define STARPU_VARIABLE_GET_OFFSET(interface) ((void)(interface), (size_t)0)
#define STARPU_VARIABLE_GET_ELEMSIZE(interface) (((struct starpu_variable_interface *)(interface))->elemsize)
size_t starpu_variable_get_elemsize(starpu_data_handle_t handle);
uintptr_t starpu_variable_get_local_ptr(starpu_data_handle_t handle);

void starpu_matrix_data_register(starpu_data_handle_t *handle, int home_node, uintptr_t ptr, uint32_t ld, uint32_t nx,
				 uint32_t ny, size_t elemsize);
void starpu_matrix_data_register_allocsize(starpu_data_handle_t *handle, int home_node, uintptr_t ptr, uint32_t ld,
					   uint32_t nx, uint32_t ny, size_t elemsize, size_t allocsize);
void starpu_block_data_register(starpu_data_handle_t *handle, int home_node, uintptr_t ptr, uint32_t ldy, uint32_t ldz,
				uint32_t nx, uint32_t ny, uint32_t nz, size_t elemsize);
void starpu_tensor_data_register(starpu_data_handle_t *handle, int home_node, uintptr_t ptr, uint32_t ldy, uint32_t ldz,
				 uint32_t ldt, uint32_t nx, uint32_t ny, uint32_t nz, uint32_t nt, size_t elemsize);
void starpu_vector_data_register(starpu_data_handle_t *handle, int home_node, uintptr_t ptr, uint32_t nx,
				 size_t elemsize);
void starpu_vector_data_register_allocsize(starpu_data_handle_t *handle, int home_node, uintptr_t ptr, uint32_t nx,
					   size_t elemsize, size_t allocsize);
void starpu_variable_data_register(starpu_data_handle_t *handle, int home_node, uintptr_t ptr, size_t size);

/* --- sparse --- */

extern struct starpu_data_interface_ops starpu_interface_coo_ops, starpu_interface_csr_ops, starpu_interface_bcsr_ops;
struct starpu_coo_interface {
	enum starpu_data_interface_id id;
	uint32_t *columns;
	uint32_t *rows;
	uintptr_t values;
	uint32_t nx;
	uint32_t ny;
	uint32_t n_values;
	size_t elemsize;
};
struct starpu_csr_interface {
	enum starpu_data_interface_id id;
	uint32_t nnz;
	uint32_t nrow;
	uintptr_t nzval;
	uint32_t *colind;
	uint32_t *rowptr;
	uint32_t *ram_colind;
	uint32_t *ram_rowptr;
	uint32_t firstentry;
	size_t elemsize;
};
struct starpu_bcsr_interface {
	enum starpu_data_interface_id id;
	uint32_t nnz;
	uint32_t nrow;
	uintptr_t nzval;
	uint32_t *colind;
	uint32_t *rowptr;
	uint32_t *ram_colind;
	uint32_t *ram_rowptr;
	uint32_t firstentry;
	uint32_t r;
	uint32_t c;
	size_t elemsize;
};
#define STARPU_COO_GET_COLUMNS(interface) (((struct starpu_coo_interface *)(interface))->columns)
#define STARPU_COO_GET_COLUMNS_DEV_HANDLE(interface) STARPU_COO_GET_COLUMNS(interface)
#define STARPU_COO_GET_ROWS(interface) (((struct starpu_coo_interface *)(interface))->rows)
#define STARPU_COO_GET_ROWS_DEV_HANDLE(interface) STARPU_COO_GET_ROWS(interface)
#define STARPU_COO_GET_VALUES(interface) (((struct starpu_coo_interface *)(interface))->values)
#define STARPU_COO_GET_VALUES_DEV_HANDLE(interface) STARPU_COO_GET_VALUES(interface)
#define STARPU_COO_GET_NX(interface) (((struct starpu_coo_interface *)(interface))->nx)
#define STARPU_COO_GET_NY(interface) (((struct starpu_coo_interface *)(interface))->ny)
#define STARPU_COO_GET_ELEMSIZE(interface) (((struct starpu_coo_interface *)(interface))->elemsize)
#define STARPU_COO_GET_OFFSET 0
#define STARPU_CSR_GET_NNZ(interface) (((struct starpu_csr_interface *)(interface))->nnz)
#define STARPU_CSR_GET_NROW(interface) (((struct starpu_csr_interface *)(interface))->nrow)
#define STARPU_CSR_GET_NZVAL(interface) (((struct starpu_csr_interface *)(interface))->nzval)
#define STARPU_CSR_GET_NZVAL_DEV_HANDLE(interface) STARPU_CSR_GET_NZVAL(interface)
#define STARPU_CSR_GET_COLIND(interface) (((struct starpu_csr_interface *)(interface))->colind)
#define STARPU_CSR_GET_COLIND_DEV_HANDLE(interface) STARPU_CSR_GET_COLIND(interface)
#define STARPU_CSR_GET_ROWPTR(interface) (((struct starpu_csr_interface *)(interface))->rowptr)
#define STARPU_CSR_GET_ROWPTR_DEV_HANDLE(interface) STARPU_CSR_GET_ROWPTR(interface)
#define STARPU_CSR_GET_RAM_COLIND(interface) (((struct starpu_csr_interface *)(interface))->ram_colind)
#define STARPU_CSR_GET_RAM_ROWPTR(interface) (((struct starpu_csr_interface *)(interface))->ram_rowptr)
#define STARPU_CSR_GET_FIRSTENTRY(interface) (((struct starpu_csr_interface *)(interface))->firstentry)
#define STARPU_CSR_GET_ELEMSIZE(interface) (((struct starpu_csr_interface *)(interface))->elemsize)
#define STARPU_CSR_GET_OFFSET 0
#define STARPU_BCSR_GET_NNZ(interface) (((struct starpu_bcsr_interface *)(interface))->nnz)
#define STARPU_BCSR_GET_NROW(interface) (((struct starpu_bcsr_interface *)(interface))->nrow)
#define STARPU_BCSR_GET_NZVAL(interface) (((struct starpu_bcsr_interface *)(interface))->nzval)
#define STARPU_BCSR_GET_NZVAL_DEV_HANDLE(interface) STARPU_BCSR_GET_NZVAL(interface)
#define STARPU_BCSR_GET_COLIND(interface) (((struct starpu_bcsr_interface *)(interface))->colind)
#define STARPU_BCSR_GET_COLIND_DEV_HANDLE(interface) STARPU_BCSR_GET_COLIND(interface)
#define STARPU_BCSR_GET_ROWPTR(interface) (((struct starpu_bcsr_interface *)(interface))->rowptr)
#define STARPU_BCSR_GET_ROWPTR_DEV_HANDLE(interface) STARPU_BCSR_GET_ROWPTR(interface)
#define STARPU_BCSR_GET_RAM_COLIND(interface) (((struct starpu_bcsr_interface *)(interface))->ram_colind)
#define STARPU_BCSR_GET_RAM_ROWPTR(interface) (((struct starpu_bcsr_interface *)(interface))->ram_rowptr)
#define STARPU_BCSR_GET_FIRSTENTRY(interface) (((struct starpu_bcsr_interface *)(interface))->firstentry)
#define STARPU_BCSR_GET_R(interface) (((struct starpu_bcsr_interface *)(interface))->r)
#define STARPU_BCSR_GET_C(interface) (((struct starpu_bcsr_interface *)(interface))->c)
#define STARPU_BCSR_GET_ELEMSIZE(interface) (((struct starpu_bcsr_interface *)(interface))->elemsize)
#define STARPU_BCSR_GET_OFFSET 0
#define STARPU_COO_GET_NVALUES(interface) (((struct starpu_coo_interface *)(interface))->n_values)
void starpu_coo_data_register(starpu_data_handle_t *handleptr, int home_node, uint32_t nx, uint32_t ny,
			      uint32_t n_values, uint32_t *columns, uint32_t *rows, uintptr_t values, size_t elemsize);
void starpu_csr_data_register(starpu_data_handle_t *handle, int home_node, uint32_t nnz, uint32_t nrow, uintptr_t nzval,
			      uint32_t *colind, uint32_t *rowptr, uint32_t firstentry, size_t elemsize);
void starpu_bcsr_data_register(starpu_data_handle_t *handle, int home_node, uint32_t nnz, uint32_t nrow,
			       uintptr_t nzval, uint32_t *colind, uint32_t *rowptr, uint32_t firstentry, uint32_t r,
			       uint32_t c, size_t elemsize);
uint32_t starpu_csr_get_nnz(starpu_data_handle_t handle);
uint32_t starpu_csr_get_nrow(starpu_data_handle_t handle);
uint32_t starpu_csr_get_firstentry(starpu_data_handle_t handle);
uintptr_t starpu_csr_get_local_nzval(starpu_data_handle_t handle);
uint32_t *starpu_csr_get_local_colind(starpu_data_handle_t handle);
uint32_t *starpu_csr_get_local_rowptr(starpu_data_handle_t handle);
size_t starpu_csr_get_elemsize(starpu_data_handle_t handle);
uint32_t starpu_bcsr_get_nnz(starpu_data_handle_t handle);
uint32_t starpu_bcsr_get_nrow(starpu_data_handle_t handle);
uint32_t starpu_bcsr_get_firstentry(starpu_data_handle_t handle);
uintptr_t starpu_bcsr_get_local_nzval(starpu_data_handle_t handle);
uint32_t *starpu_bcsr_get_local_colind(starpu_data_handle_t handle);
uint32_t *starpu_bcsr_get_local_rowptr(starpu_data_handle_t handle);
uint32_t starpu_bcsr_get_r(starpu_data_handle_t handle);
uint32_t starpu_bcsr_get_c(starpu_data_handle_t handle);
size_t starpu_bcsr_get_elemsize(starpu_data_handle_t handle);

/* --- no data --- */

extern struct starpu_data_interface_ops starpu_interface_void_ops;
void starpu_void_data_register(starpu_data_handle_t *handle);

/* --- several formats: on CPUs, the CPU's --- */

struct starpu_multiformat_data_interface_ops {
	size_t cpu_elemsize;
	size_t opencl_elemsize;
	struct starpu_codelet *cpu_to_opencl_cl;
	struct starpu_codelet *opencl_to_cpu_cl;
	size_t cuda_elemsize;
	struct starpu_codelet *cpu_to_cuda_cl;
	struct starpu_codelet *cuda_to_cpu_cl;
	size_t hip_elemsize;
	struct starpu_codelet *cpu_to_hip_cl;
	struct starpu_codelet *hip_to_cpu_cl;
	size_t mic_elemsize;
	struct starpu_codelet *cpu_to_mic_cl;
	struct starpu_codelet *mic_to_cpu_cl;
};
extern struct starpu_data_interface_ops starpu_interface_multiformat_ops;
struct starpu_multiformat_interface {
	enum starpu_data_interface_id id;
	void *cpu_ptr;
	void *cuda_ptr;
	void *hip_ptr;
	void *opencl_ptr;
	void *mic_ptr;
	uint32_t nx;
	struct starpu_multiformat_data_interface_ops *ops;
};
void starpu_multiformat_data_register(starpu_data_handle_t *handle, int home_node, void *ptr, uint32_t nobjects,
				      struct starpu_multiformat_data_interface_ops *format_ops);
#define STARPU_MULTIFORMAT_GET_CPU_PTR(interface) (((struct starpu_multiformat_interface *)(interface))->cpu_ptr)
#define STARPU_MULTIFORMAT_GET_CUDA_PTR(interface) (((struct starpu_multiformat_interface *)(interface))->cuda_ptr)
#define STARPU_MULTIFORMAT_GET_HIP_PTR(interface) (((struct starpu_multiformat_interface *)(interface))->hip_ptr)
#define STARPU_MULTIFORMAT_GET_OPENCL_PTR(interface) (((struct starpu_multiformat_interface *)(interface))->opencl_ptr)
#define STARPU_MULTIFORMAT_GET_NX(interface) (((struct starpu_multiformat_interface *)(interface))->nx)

/* --- filters --- */

struct starpu_data_filter {
	void (*filter_func)(void *parent_interface, void *child_interface, struct starpu_data_filter *, unsigned id,
			    unsigned nparts);
	unsigned nchildren;
	unsigned (*get_nchildren)(struct starpu_data_filter *, starpu_data_handle_t initial_handle);
	struct starpu_data_interface_ops *(*get_child_ops)(struct starpu_data_filter *, unsigned id);
	unsigned filter_arg;
	void *filter_arg_ptr;
};

void starpu_data_partition(starpu_data_handle_t initial_handle, struct starpu_data_filter *f);
void starpu_data_unpartition(starpu_data_handle_t root_data, unsigned gathering_node);
starpu_data_handle_t starpu_data_get_child(starpu_data_handle_t handle, unsigned i);
int starpu_data_get_nb_children(starpu_data_handle_t handle);
starpu_data_handle_t starpu_data_get_sub_data(starpu_data_handle_t root_data, unsigned depth, ...);
starpu_data_handle_t starpu_data_vget_sub_data(starpu_data_handle_t root_data, unsigned depth, va_list pa);
void starpu_data_map_filters(starpu_data_handle_t root_data, unsigned nfilters, ...);
void starpu_data_vmap_filters(starpu_data_handle_t root_data, unsigned nfilters, va_list pa);
void starpu_data_map_filters_parray(starpu_data_handle_t root_handle, int nfilters,
				    struct starpu_data_filter **filters);
void starpu_data_map_filters_array(starpu_data_handle_t root_handle, int nfilters, struct starpu_data_filter *filters);
void starpu_data_partition_plan(starpu_data_handle_t initial_handle, struct starpu_data_filter *f,
				starpu_data_handle_t *children);
unsigned starpu_data_partition_get_nplans(starpu_data_handle_t handle);
int starpu_data_get_nb_children_async(starpu_data_handle_t handle);
void starpu_data_partition_submit(starpu_data_handle_t initial_handle, unsigned nparts, starpu_data_handle_t *children);
void starpu_data_partition_readonly_submit(starpu_data_handle_t initial_handle, unsigned nparts,
					   starpu_data_handle_t *children);
void starpu_data_partition_readonly_submit_sequential_consistency(starpu_data_handle_t initial_handle, unsigned nparts,
								  starpu_data_handle_t *children,
								  int sequential_consistency);
void starpu_data_partition_readwrite_upgrade_submit(starpu_data_handle_t initial_handle, unsigned nparts,
						    starpu_data_handle_t *children);
void starpu_data_partition_readonly_downgrade_submit(starpu_data_handle_t initial_handle, unsigned nparts,
						     starpu_data_handle_t *children);
void starpu_data_partition_not_automatic(starpu_data_handle_t handle);
void starpu_data_unpartition_submit(starpu_data_handle_t initial_handle, unsigned nparts,
				    starpu_data_handle_t *children, int gathering_node);
void starpu_data_unpartition_submit_r(starpu_data_handle_t initial_handle, int gathering_node);
void starpu_data_unpartition_readonly_submit(starpu_data_handle_t initial_handle, unsigned nparts,
					     starpu_data_handle_t *children, int gathering_node);
void starpu_data_partition_clean(starpu_data_handle_t root_data, unsigned nparts, starpu_data_handle_t *children);
void starpu_data_partition_clean_node(starpu_data_handle_t root_data, unsigned nparts, starpu_data_handle_t *children,
				      int gather_node);
void starpu_data_partition_submit_sequential_consistency(starpu_data_handle_t initial_handle, unsigned nparts,
							 starpu_data_handle_t *children, int sequential_consistency);
void starpu_data_unpartition_submit_sequential_consistency_cb(starpu_data_handle_t initial_handle, unsigned nparts,
							      starpu_data_handle_t *children, int gather_node,
							      int sequential_consistency, void (*callback_func)(void *),
							      void *callback_arg);
void starpu_data_unpartition_submit_sequential_consistency(starpu_data_handle_t initial_handle, unsigned nparts,
							   starpu_data_handle_t *children, int gathering_node,
							   int sequential_consistency);

void starpu_bcsr_filter_canonical_block(void *parent_interface, void *child_interface, struct starpu_data_filter *f,
					unsigned id, unsigned nparts);
void starpu_bcsr_filter_vertical_block(void *parent_interface, void *child_interface, struct starpu_data_filter *f,
				       unsigned id, unsigned nparts);
void starpu_csr_filter_vertical_block(void *parent_interface, void *child_interface, struct starpu_data_filter *f,
				      unsigned id, unsigned nparts);
void starpu_matrix_filter_block(void *parent_interface, void *child_interface, struct starpu_data_filter *f,
				unsigned id, unsigned nparts);
void starpu_matrix_filter_block_shadow(void *parent_interface, void *child_interface, struct starpu_data_filter *f,
				       unsigned id, unsigned nparts);
void starpu_matrix_filter_vertical_block(void *parent_interface, void *child_interface, struct starpu_data_filter *f,
					 unsigned id, unsigned nparts);
void starpu_matrix_filter_vertical_block_shadow(void *parent_interface, void *child_interface,
						struct starpu_data_filter *f, unsigned id, unsigned nparts);
void starpu_matrix_filter_pick_vector_y(void *parent_interface, void *child_interface, struct starpu_data_filter *f,
					unsigned id, unsigned nparts);
void starpu_vector_filter_block(void *parent_interface, void *child_interface, struct starpu_data_filter *f,
				unsigned id, unsigned nparts);
void starpu_vector_filter_block_shadow(void *parent_interface, void *child_interface, struct starpu_data_filter *f,
				       unsigned id, unsigned nparts);
void starpu_vector_filter_list_long(void *parent_interface, void *child_interface, struct starpu_data_filter *f,
				    unsigned id, unsigned nparts);
void starpu_vector_filter_list(void *parent_interface, void *child_interface, struct starpu_data_filter *f, unsigned id,
			       unsigned nparts);
void starpu_vector_filter_divide_in_2(void *parent_interface, void *child_interface, struct starpu_data_filter *f,
				      unsigned id, unsigned nparts);
void starpu_vector_filter_pick_variable(void *parent_interface, void *child_interface, struct starpu_data_filter *f,
					unsigned id, unsigned nparts);
void starpu_block_filter_block(void *parent_interface, void *child_interface, struct starpu_data_filter *f, unsigned id,
			       unsigned nparts);
void starpu_block_filter_block_shadow(void *parent_interface, void *child_interface, struct starpu_data_filter *f,
				      unsigned id, unsigned nparts);
void starpu_block_filter_vertical_block(void *parent_interface, void *child_interface, struct starpu_data_filter *f,
					unsigned id, unsigned nparts);
void starpu_block_filter_vertical_block_shadow(void *parent_interface, void *child_interface,
					       struct starpu_data_filter *f, unsigned id, unsigned nparts);
void starpu_block_filter_depth_block(void *parent_interface, void *child_interface, struct starpu_data_filter *f,
				     unsigned id, unsigned nparts);
void starpu_block_filter_depth_block_shadow(void *parent_interface, void *child_interface, struct starpu_data_filter *f,
					    unsigned id, unsigned nparts);
void starpu_tensor_filter_block(void *parent_interface, void *child_interface, struct starpu_data_filter *f,
				unsigned id, unsigned nparts);
void starpu_tensor_filter_vertical_block(void *parent_interface, void *child_interface, struct starpu_data_filter *f,
					 unsigned id, unsigned nparts);
void starpu_tensor_filter_depth_block(void *parent_interface, void *child_interface, struct starpu_data_filter *f,
				      unsigned id, unsigned nparts);
void starpu_tensor_filter_time_block(void *parent_interface, void *child_interface, struct starpu_data_filter *f,
				     unsigned id, unsigned nparts);
struct starpu_data_interface_ops *starpu_bcsr_filter_canonical_block_child_ops(struct starpu_data_filter *f,
									       unsigned child);
struct starpu_data_interface_ops *starpu_matrix_filter_pick_vector_child_ops(struct starpu_data_filter *f,
									     unsigned child);
struct starpu_data_interface_ops *starpu_vector_filter_pick_variable_child_ops(struct starpu_data_filter *f,
									       unsigned child);
unsigned starpu_bcsr_filter_canonical_block_get_nchildren(struct starpu_data_filter *f, starpu_data_handle_t handle);
void starpu_matrix_filter_pick_variable(void *parent_interface, void *child_interface, struct starpu_data_filter *f,
					unsigned id, unsigned nparts);
void starpu_block_filter_pick_matrix_z(void *parent_interface, void *child_interface, struct starpu_data_filter *f,
				       unsigned id, unsigned nparts);
void starpu_block_filter_pick_matrix_y(void *parent_interface, void *child_interface, struct starpu_data_filter *f,
				       unsigned id, unsigned nparts);
void starpu_block_filter_pick_variable(void *parent_interface, void *child_interface, struct starpu_data_filter *f,
				       unsigned id, unsigned nparts);
void starpu_tensor_filter_block_shadow(void *parent_interface, void *child_interface, struct starpu_data_filter *f,
				       unsigned id, unsigned nparts);
void starpu_tensor_filter_vertical_block_shadow(void *parent_interface, void *child_interface,
						struct starpu_data_filter *f, unsigned id, unsigned nparts);
void starpu_tensor_filter_depth_block_shadow(void *parent_interface, void *child_interface,
					     struct starpu_data_filter *f, unsigned id, unsigned nparts);
void starpu_tensor_filter_time_block_shadow(void *parent_interface, void *child_interface, struct starpu_data_filter *f,
					    unsigned id, unsigned nparts);
void starpu_tensor_filter_pick_block_t(void *parent_interface, void *child_interface, struct starpu_data_filter *f,
				       unsigned id, unsigned nparts);
void starpu_tensor_filter_pick_block_z(void *parent_interface, void *child_interface, struct starpu_data_filter *f,
				       unsigned id, unsigned nparts);
void starpu_tensor_filter_pick_block_y(void *parent_interface, void *child_interface, struct starpu_data_filter *f,
				       unsigned id, unsigned nparts);
void starpu_tensor_filter_pick_variable(void *parent_interface, void *child_interface, struct starpu_data_filter *f,
					unsigned id, unsigned nparts);
void starpu_ndim_filter_block(void *parent_interface, void *child_interface, struct starpu_data_filter *f, unsigned id,
			      unsigned nparts);
void starpu_ndim_filter_block_shadow(void *parent_interface, void *child_interface, struct starpu_data_filter *f,
				     unsigned id, unsigned nparts);
void starpu_ndim_filter_to_tensor(void *parent_interface, void *child_interface, struct starpu_data_filter *f,
				  unsigned id, unsigned nparts);
void starpu_ndim_filter_to_block(void *parent_interface, void *child_interface, struct starpu_data_filter *f,
				 unsigned id, unsigned nparts);
void starpu_ndim_filter_to_matrix(void *parent_interface, void *child_interface, struct starpu_data_filter *f,
				  unsigned id, unsigned nparts);
void starpu_ndim_filter_to_vector(void *parent_interface, void *child_interface, struct starpu_data_filter *f,
				  unsigned id, unsigned nparts);
void starpu_ndim_filter_to_variable(void *parent_interface, void *child_interface, struct starpu_data_filter *f,
				    unsigned id, unsigned nparts);
void starpu_ndim_filter_pick_ndim(void *parent_interface, void *child_interface, struct starpu_data_filter *f,
				  unsigned id, unsigned nparts);
void starpu_ndim_filter_5d_pick_tensor(void *parent_interface, void *child_interface, struct starpu_data_filter *f,
				       unsigned id, unsigned nparts);
void starpu_ndim_filter_4d_pick_block(void *parent_interface, void *child_interface, struct starpu_data_filter *f,
				      unsigned id, unsigned nparts);
void starpu_ndim_filter_3d_pick_matrix(void *parent_interface, void *child_interface, struct starpu_data_filter *f,
				       unsigned id, unsigned nparts);
void starpu_ndim_filter_2d_pick_vector(void *parent_interface, void *child_interface, struct starpu_data_filter *f,
				       unsigned id, unsigned nparts);
void starpu_ndim_filter_1d_pick_variable(void *parent_interface, void *child_interface, struct starpu_data_filter *f,
					 unsigned id, unsigned nparts);
void starpu_ndim_filter_pick_variable(void *parent_interface, void *child_interface, struct starpu_data_filter *f,
				      unsigned id, unsigned nparts);
struct starpu_data_interface_ops *starpu_matrix_filter_pick_variable_child_ops(struct starpu_data_filter *f,
									       unsigned child);
struct starpu_data_interface_ops *starpu_block_filter_pick_matrix_child_ops(struct starpu_data_filter *f,
									    unsigned child);
struct starpu_data_interface_ops *starpu_block_filter_pick_variable_child_ops(struct starpu_data_filter *f,
									      unsigned child);
struct starpu_data_interface_ops *starpu_tensor_filter_pick_block_child_ops(struct starpu_data_filter *f,
									    unsigned child);
struct starpu_data_interface_ops *starpu_tensor_filter_pick_variable_child_ops(struct starpu_data_filter *f,
									       unsigned child);
struct starpu_data_interface_ops *starpu_ndim_filter_pick_tensor_child_ops(struct starpu_data_filter *f,
									   unsigned child);
struct starpu_data_interface_ops *starpu_ndim_filter_pick_block_child_ops(struct starpu_data_filter *f, unsigned child);
struct starpu_data_interface_ops *starpu_ndim_filter_pick_matrix_child_ops(struct starpu_data_filter *f,
									   unsigned child);
struct starpu_data_interface_ops *starpu_ndim_filter_pick_vector_child_ops(struct starpu_data_filter *f,
									   unsigned child);
struct starpu_data_interface_ops *starpu_ndim_filter_pick_variable_child_ops(struct starpu_data_filter *f,
									     unsigned child);
struct starpu_data_interface_ops *starpu_ndim_filter_to_tensor_child_ops(struct starpu_data_filter *f, unsigned child);
struct starpu_data_interface_ops *starpu_ndim_filter_to_block_child_ops(struct starpu_data_filter *f, unsigned child);
struct starpu_data_interface_ops *starpu_ndim_filter_to_matrix_child_ops(struct starpu_data_filter *f, unsigned child);
struct starpu_data_interface_ops *starpu_ndim_filter_to_vector_child_ops(struct starpu_data_filter *f, unsigned child);
struct starpu_data_interface_ops *starpu_ndim_filter_to_variable_child_ops(struct starpu_data_filter *f,
									   unsigned child);
/* The names before 1.4. */
#define starpu_ndim_filter_pick_tensor starpu_ndim_filter_5d_pick_tensor
#define starpu_ndim_filter_pick_block starpu_ndim_filter_4d_pick_block
#define starpu_ndim_filter_pick_matrix starpu_ndim_filter_3d_pick_matrix
#define starpu_ndim_filter_pick_vector starpu_ndim_filter_2d_pick_vector
void starpu_filter_nparts_compute_chunk_size_and_offset(unsigned n, unsigned nparts, size_t elemsize, unsigned id,
							unsigned ld, unsigned *chunk_size, size_t *offset);

#ifdef __cplusplus
}
#endif
#endif
