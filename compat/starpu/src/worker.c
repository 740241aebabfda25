/* SPDX-License-Identifier: MIT */
/*
 * Workers and memory nodes, by number and by type.
 */
#include "internal.h"

#include <sched.h>

static const struct xy_worker_info *info(int id)
{
	return id >= 0 && xs_global.machine ? xy_machine_worker(xs_global.machine, (unsigned)id) : NULL;
}

static bool arch_is(enum xy_arch arch, enum starpu_worker_archtype type)
{
	switch (type) {
	case STARPU_ANY_WORKER:
		return true;
	case STARPU_CPU_WORKER:
		return arch == XY_CPU;
	case STARPU_CUDA_WORKER:
		return arch == XY_CUDA;
	case STARPU_OPENCL_WORKER:
		return arch == XY_OPENCL;
	case STARPU_HIP_WORKER:
		return arch == XY_HIP;
	default:
		return false;
	}
}

unsigned starpu_worker_get_count(void)
{
	return xs_global.nworkers;
}

unsigned starpu_worker_get_ids_by_type(enum starpu_worker_archtype type, int *workerids, unsigned maxsize)
{
	unsigned n = 0;

	for (unsigned i = 0; i < xs_global.nworkers; i++)
		if (arch_is(info((int)i)->arch, type)) {
			if (n < maxsize && workerids)
				workerids[n] = (int)i;
			n++;
		}
	return n <= maxsize || !workerids ? n : (unsigned)-ERANGE;
}

int starpu_worker_get_count_by_type(enum starpu_worker_archtype type)
{
	return (int)starpu_worker_get_ids_by_type(type, NULL, 0);
}

#define COUNT(name, TYPE) \
	unsigned starpu_##name##_worker_get_count(void) \
	{ \
		return (unsigned)starpu_worker_get_count_by_type(STARPU_##TYPE##_WORKER); \
	}
COUNT(cpu, CPU)
COUNT(cuda, CUDA)
COUNT(hip, HIP)
COUNT(opencl, OPENCL)
COUNT(mic, MIC)
COUNT(mpi_ms, MPI_MS)
COUNT(mpi_sc, MPI_SC)
COUNT(tcpip_ms, TCPIP_MS)
COUNT(tcpip_sc, TCPIP_SC)
COUNT(max_fpga, MAX_FPGA)

int starpu_worker_get_id(void)
{
	return xs_worker();
}

unsigned _starpu_worker_get_id_check(const char *f, int l)
{
	if (xs_worker() < 0)
		xs_fail(-EINVAL, "%s:%d: starpu_worker_get_id_check outside a worker", f, l);
	return xs_worker() < 0 ? 0 : (unsigned)xs_worker();
}

#undef starpu_worker_get_id_check
unsigned starpu_worker_get_id_check(void)
{
	return _starpu_worker_get_id_check(__FILE__, __LINE__);
}

int starpu_worker_get_bindid(int workerid)
{
	return info(workerid) ? info(workerid)->pu : -1;
}

enum starpu_worker_archtype starpu_worker_get_type(int id)
{
	static const enum starpu_worker_archtype types[XY_NARCH] = { STARPU_CPU_WORKER, STARPU_CUDA_WORKER,
								     STARPU_OPENCL_WORKER, STARPU_HIP_WORKER };

	return info(id) ? types[info(id)->arch] : STARPU_ANY_WORKER;
}

int starpu_worker_get_by_type(enum starpu_worker_archtype type, int num)
{
	for (unsigned i = 0; i < xs_global.nworkers && num >= 0; i++)
		if (arch_is(info((int)i)->arch, type) && !num--)
			return (int)i;
	return -1;
}

int starpu_worker_get_devid(int id)
{
	const struct xy_worker_info *worker = info(id);

	if (!worker)
		return -1;
	return worker->device >= 0 ? worker->device : (int)worker->index;
}

int starpu_worker_get_devnum(int id)
{
	return starpu_worker_get_devid(id);
}

int starpu_worker_get_subworkerid(int id)
{
	(void)id;
	return 0;
}

int starpu_worker_get_by_devid(enum starpu_worker_archtype type, int devid)
{
	for (unsigned i = 0; i < xs_global.nworkers; i++)
		if (arch_is(info((int)i)->arch, type) && starpu_worker_get_devid((int)i) == devid)
			return (int)i;
	return -1;
}

int starpu_worker_get_devids(enum starpu_worker_archtype type, int *devids, int num)
{
	int n = 0;

	for (unsigned i = 0; i < xs_global.nworkers && n < num; i++)
		if (arch_is(info((int)i)->arch, type))
			devids[n++] = starpu_worker_get_devid((int)i);
	return n;
}

void starpu_worker_get_name(int id, char *dst, size_t maxlen)
{
	const struct xy_worker_info *worker = info(id);

	if (worker)
		snprintf(dst, maxlen, "%s %u", starpu_worker_get_type_as_string(starpu_worker_get_type(id)),
			 worker->index);
	else
		snprintf(dst, maxlen, "no worker");
}

char *starpu_worker_get_type_as_string(enum starpu_worker_archtype type)
{
	switch (type) {
	case STARPU_CPU_WORKER:
		return "CPU";
	case STARPU_CUDA_WORKER:
		return "CUDA";
	case STARPU_OPENCL_WORKER:
		return "OpenCL";
	case STARPU_HIP_WORKER:
		return "HIP";
	case STARPU_MPI_MS_WORKER:
		return "MPI_SC";
	case STARPU_TCPIP_MS_WORKER:
		return "TCPIP_SC";
	case STARPU_ANY_WORKER:
		return "any";
	default:
		return "unknown";
	}
}

void starpu_worker_display_names(FILE *output, enum starpu_worker_archtype type)
{
	starpu_worker_display_count(output, type);
	for (unsigned i = 0; i < xs_global.nworkers; i++) {
		char name[64];

		if (!arch_is(info((int)i)->arch, type))
			continue;
		starpu_worker_get_name((int)i, name, sizeof name);
		fprintf(output, "\t%s\n", name);
	}
}

void starpu_worker_display_count(FILE *output, enum starpu_worker_archtype type)
{
	fprintf(output, "%d %s workers\n", starpu_worker_get_count_by_type(type),
		starpu_worker_get_type_as_string(type));
}

void starpu_worker_display_all(FILE *output)
{
	starpu_worker_display_names(output, STARPU_ANY_WORKER);
}

/* --- teams --- */

int starpu_combined_worker_get_id(void)
{
	const struct starpu_task *task = xs_thread.task;

	if (task && task->execute_on_a_specific_worker && starpu_worker_is_combined_worker((int)task->workerid))
		return (int)task->workerid;
	return xs_worker();
}

int starpu_combined_worker_get_size(void)
{
	return xs_thread.call ? (int)xs_thread.call->nranks : 1;
}

int starpu_combined_worker_get_rank(void)
{
	return xs_thread.call ? (int)xs_thread.call->rank : 0;
}

/* --- memory nodes --- */

unsigned starpu_memory_nodes_get_count(void)
{
	return xs_global.nnodes + xs_disks();
}

unsigned starpu_worker_get_memory_node(unsigned workerid)
{
	return info((int)workerid) ? info((int)workerid)->node : 0;
}

unsigned starpu_worker_get_local_memory_node(void)
{
	return xs_worker() < 0 ? STARPU_MAIN_RAM : starpu_worker_get_memory_node((unsigned)xs_worker());
}

enum starpu_node_kind starpu_node_get_kind(unsigned node)
{
	static const enum starpu_node_kind kinds[XY_NARCH] = { STARPU_CPU_RAM, STARPU_CUDA_RAM, STARPU_OPENCL_RAM,
							       STARPU_HIP_RAM };
	const struct xy_node_info *there = xs_global.machine ? xy_machine_node(xs_global.machine, node) : NULL;

	return there ? kinds[there->arch] : xs_disk_is((int)node) ? STARPU_DISK_RAM : STARPU_UNUSED;
}

unsigned starpu_memory_node_get_ids_by_type(enum starpu_node_kind kind, unsigned *memory_nodes_ids, unsigned maxsize)
{
	unsigned n = 0;

	for (unsigned i = 0; i < xs_global.nnodes; i++)
		if (starpu_node_get_kind(i) == kind) {
			if (n < maxsize && memory_nodes_ids)
				memory_nodes_ids[n] = i;
			n++;
		}
	return n;
}

unsigned starpu_memory_nodes_get_count_by_kind(enum starpu_node_kind kind)
{
	return starpu_memory_node_get_ids_by_type(kind, NULL, 0);
}

int starpu_memory_nodes_get_numa_count(void)
{
	return (int)starpu_memory_nodes_get_count_by_kind(STARPU_CPU_RAM);
}

int starpu_memory_nodes_numa_id_to_devid(int osid)
{
	return osid;
}

int starpu_memory_nodes_numa_devid_to_id(unsigned id)
{
	return (int)id;
}

int starpu_memory_nodes_numa_id_to_hwloclogid(unsigned id)
{
	return starpu_memory_nodes_numa_devid_to_id(id);
}

int starpu_memory_node_get_devid(unsigned node)
{
	const struct xy_node_info *there = xs_global.machine ? xy_machine_node(xs_global.machine, node) : NULL;

	return there && there->device >= 0 ? there->device : 0;
}

int starpu_memory_node_get_name(unsigned node, char *name, size_t size)
{
	const struct xy_node_info *there = xs_global.machine ? xy_machine_node(xs_global.machine, node) : NULL;

	return snprintf(name, size, "%s", there ? there->name : "no node");
}

/* --- binding --- */

static int bind_to(int processor)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((unsigned)processor, &set);
	return pthread_setaffinity_np(pthread_self(), sizeof set, &set);
}

unsigned starpu_get_next_bindid(unsigned flags, unsigned *preferred, unsigned npreferred)
{
	(void)flags;
	if (npreferred)
		return preferred[0];
	return xs_global.machine ? xs_global.nworkers % xy_machine_ncores(xs_global.machine) : 0;
}

int starpu_bind_thread_on(int cpuid, unsigned flags, const char *name)
{
	(void)flags;
	(void)name;
	return bind_to(cpuid) ? -1 : 0;
}

void starpu_bind_thread_on_worker(unsigned workerid)
{
	if (info((int)workerid) && info((int)workerid)->pu >= 0)
		bind_to(info((int)workerid)->pu);
}

void starpu_bind_thread_on_cpu(int cpuid)
{
	bind_to(cpuid);
}

void starpu_bind_thread_on_main(void)
{
	bind_to(0);
}

/* --- what workers can run --- */

int starpu_worker_can_execute_task(unsigned workerid, struct starpu_task *task, unsigned nimpl)
{
	const struct xy_worker_info *worker = info((int)workerid);
	const struct starpu_codelet *cl = task->cl;
	uint32_t where = cl && task->where == -1 ? cl->where : (uint32_t)task->where;
	bool there;

	if (!worker || !cl || nimpl >= STARPU_MAXIMPLEMENTATIONS)
		return 0;
	if (where && !(xs_archs(where) & 1u << worker->arch))
		return 0;
	if (task->workerids && task->workerids_len &&
	    (workerid / 32 >= task->workerids_len || !(task->workerids[workerid / 32] >> workerid % 32 & 1)))
		return 0;
	there = worker->arch == XY_CPU      ? cl->cpu_funcs[nimpl] || (!nimpl && cl->cpu_func)
		: worker->arch == XY_CUDA   ? cl->cuda_funcs[nimpl] != NULL
		: worker->arch == XY_OPENCL ? cl->opencl_funcs[nimpl] != NULL
					    : cl->hip_funcs[nimpl] != NULL;
	return there && (!cl->can_execute || cl->can_execute(workerid, task, nimpl));
}

int starpu_worker_can_execute_task_impl(unsigned workerid, struct starpu_task *task, unsigned *impl_mask)
{
	unsigned mask = 0;

	for (unsigned i = 0; i < STARPU_MAXIMPLEMENTATIONS; i++)
		if (starpu_worker_can_execute_task(workerid, task, i))
			mask |= 1u << i;
	if (impl_mask)
		*impl_mask = mask;
	return mask != 0;
}

unsigned starpu_worker_type_can_execute_task(enum starpu_worker_archtype worker_type, const struct starpu_task *task)
{
	for (unsigned i = 0; i < xs_global.nworkers; i++)
		if (arch_is(info((int)i)->arch, worker_type) &&
		    starpu_worker_can_execute_task_impl(i, (struct starpu_task *)task, NULL))
			return 1;
	return 0;
}

int starpu_worker_can_execute_task_first_impl(unsigned workerid, struct starpu_task *task, unsigned *nimpl)
{
	for (unsigned i = 0; i < STARPU_MAXIMPLEMENTATIONS; i++)
		if (starpu_worker_can_execute_task(workerid, task, i)) {
			if (nimpl)
				*nimpl = i;
			return 1;
		}
	return 0;
}

/* --- priorities: any number is one --- */

int starpu_sched_get_min_priority(void)
{
	return starpu_sched_ctx_get_min_priority(xs_context_current());
}

int starpu_sched_get_max_priority(void)
{
	return starpu_sched_ctx_get_max_priority(xs_context_current());
}

int starpu_sched_set_min_priority(int min_prio)
{
	return starpu_sched_ctx_set_min_priority(xs_context_current(), min_prio);
}

int starpu_sched_set_max_priority(int max_prio)
{
	return starpu_sched_ctx_set_max_priority(xs_context_current(), max_prio);
}

/* --- hwloc --- */

static pthread_mutex_t topology_lock = PTHREAD_MUTEX_INITIALIZER;
static hwloc_topology_t topology; /* with topology_lock; until the runtime stops */

hwloc_topology_t starpu_get_hwloc_topology(void)
{
	pthread_mutex_lock(&topology_lock);
	if (!topology && (hwloc_topology_init(&topology) || hwloc_topology_load(topology))) {
		xs_fail(-ENODEV, "hwloc does not know this computer");
		topology = NULL;
	}
	pthread_mutex_unlock(&topology_lock);
	return topology;
}

void xs_topology_fini(void)
{
	if (topology)
		hwloc_topology_destroy(topology);
	topology = NULL;
}

hwloc_cpuset_t starpu_worker_get_hwloc_cpuset(int workerid)
{
	hwloc_cpuset_t set = info(workerid) ? hwloc_bitmap_alloc() : NULL;

	if (set && info(workerid)->pu >= 0)
		hwloc_bitmap_only(set, (unsigned)info(workerid)->pu);
	else if (set)
		hwloc_bitmap_fill(set);
	return set;
}

hwloc_obj_t starpu_worker_get_hwloc_obj(int workerid)
{
	hwloc_topology_t t = starpu_get_hwloc_topology();
	int bind = starpu_worker_get_bindid(workerid);

	return t && bind >= 0 ? hwloc_get_obj_by_type(t, HWLOC_OBJ_PU, (unsigned)bind) : NULL;
}

int starpu_get_pu_os_index(unsigned logical_index)
{
	hwloc_topology_t t = starpu_get_hwloc_topology();
	hwloc_obj_t pu = t ? hwloc_get_obj_by_type(t, HWLOC_OBJ_PU, logical_index) : NULL;

	return pu ? (int)pu->os_index : -1;
}

int starpu_bindid_get_workerids(int bindid, int **workerids)
{
	static XS_THREAD_LOCAL int list[STARPU_NMAXWORKERS];
	int n = 0;

	for (int w = 0; w < (int)xs_global.nworkers && n < STARPU_NMAXWORKERS; w++)
		if (starpu_worker_get_bindid(w) == bindid)
			list[n++] = w;
	*workerids = n ? list : NULL;
	return n;
}

int starpu_worker_get_mp_nodeid(int id)
{
	(void)id;
	return -1;
}

unsigned starpu_mic_device_get_count(void)
{
	return 0;
}

void starpu_display_bindings(void)
{
	for (int w = 0; w < (int)xs_global.nworkers; w++) {
		char name[64];

		starpu_worker_get_name(w, name, sizeof name);
		fprintf(stderr, "%s: processing unit %d\n", name, starpu_worker_get_bindid(w));
	}
}

/* Not known here: now. */
void starpu_worker_get_current_task_exp_end(unsigned workerid, struct timespec *date)
{
	(void)workerid;
	clock_gettime(CLOCK_MONOTONIC, date);
}

void starpu_worker_set_going_to_sleep_callback(void (*callback)(unsigned workerid))
{
	if (callback)
		xs_note("starpu_worker_set_going_to_sleep_callback has no effect");
}

void starpu_worker_set_waking_up_callback(void (*callback)(unsigned workerid))
{
	if (callback)
		xs_note("starpu_worker_set_waking_up_callback has no effect");
}
