/* SPDX-License-Identifier: MIT */
/* Threads, locks and barriers: POSIX's own under StarPU's names, and the forms
 * that end the program on an error. */
#ifndef XYLEM_STARPU_THREAD_H
#define XYLEM_STARPU_THREAD_H

#include <parts/util.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>

typedef pthread_t starpu_pthread_t;
typedef pthread_attr_t starpu_pthread_attr_t;
typedef pthread_mutex_t starpu_pthread_mutex_t;
typedef pthread_mutexattr_t starpu_pthread_mutexattr_t;
typedef pthread_key_t starpu_pthread_key_t;
typedef pthread_cond_t starpu_pthread_cond_t;
typedef pthread_condattr_t starpu_pthread_condattr_t;
typedef pthread_rwlock_t starpu_pthread_rwlock_t;
typedef pthread_rwlockattr_t starpu_pthread_rwlockattr_t;
typedef pthread_barrier_t starpu_pthread_barrier_t;
typedef pthread_barrierattr_t starpu_pthread_barrierattr_t;
typedef pthread_spinlock_t starpu_pthread_spinlock_t;
typedef sem_t starpu_sem_t;

#define STARPU_PTHREAD_MUTEX_INITIALIZER PTHREAD_MUTEX_INITIALIZER
#define STARPU_PTHREAD_COND_INITIALIZER PTHREAD_COND_INITIALIZER
#define STARPU_PTHREAD_RWLOCK_INITIALIZER PTHREAD_RWLOCK_INITIALIZER
#define STARPU_PTHREAD_BARRIER_SERIAL_THREAD PTHREAD_BARRIER_SERIAL_THREAD

#define starpu_pthread_equal pthread_equal
#define starpu_pthread_self pthread_self
#define starpu_pthread_create pthread_create
#define starpu_pthread_join pthread_join
#define starpu_pthread_exit pthread_exit
#define starpu_pthread_attr_init pthread_attr_init
#define starpu_pthread_attr_destroy pthread_attr_destroy
#define starpu_pthread_attr_setdetachstate pthread_attr_setdetachstate
#define starpu_pthread_mutex_init pthread_mutex_init
#define starpu_pthread_mutex_destroy pthread_mutex_destroy
#define starpu_pthread_mutex_lock pthread_mutex_lock
#define starpu_pthread_mutex_unlock pthread_mutex_unlock
#define starpu_pthread_mutex_trylock pthread_mutex_trylock
#define starpu_pthread_mutexattr_gettype pthread_mutexattr_gettype
#define starpu_pthread_mutexattr_settype pthread_mutexattr_settype
#define starpu_pthread_mutexattr_init pthread_mutexattr_init
#define starpu_pthread_mutexattr_destroy pthread_mutexattr_destroy
#define starpu_pthread_key_create pthread_key_create
#define starpu_pthread_key_delete pthread_key_delete
#define starpu_pthread_setspecific pthread_setspecific
#define starpu_pthread_getspecific pthread_getspecific
#define starpu_pthread_cond_init pthread_cond_init
#define starpu_pthread_cond_signal pthread_cond_signal
#define starpu_pthread_cond_broadcast pthread_cond_broadcast
#define starpu_pthread_cond_wait pthread_cond_wait
#define starpu_pthread_cond_timedwait pthread_cond_timedwait
#define starpu_pthread_cond_destroy pthread_cond_destroy
#define starpu_pthread_rwlock_init pthread_rwlock_init
#define starpu_pthread_rwlock_destroy pthread_rwlock_destroy
#define starpu_pthread_rwlock_rdlock pthread_rwlock_rdlock
#define starpu_pthread_rwlock_tryrdlock pthread_rwlock_tryrdlock
#define starpu_pthread_rwlock_wrlock pthread_rwlock_wrlock
#define starpu_pthread_rwlock_trywrlock pthread_rwlock_trywrlock
#define starpu_pthread_rwlock_unlock pthread_rwlock_unlock
#define starpu_pthread_barrier_init pthread_barrier_init
#define starpu_pthread_barrier_destroy pthread_barrier_destroy
#define starpu_pthread_barrier_wait pthread_barrier_wait
#define starpu_pthread_spin_init pthread_spin_init
#define starpu_pthread_spin_destroy pthread_spin_destroy
#define starpu_pthread_spin_lock pthread_spin_lock
#define starpu_pthread_spin_trylock pthread_spin_trylock
#define starpu_pthread_spin_unlock pthread_spin_unlock
#define starpu_pthread_create_on(name, thread, attr, routine, arg, where) pthread_create(thread, attr, routine, arg)
#define starpu_pthread_setname(name) pthread_setname_np(pthread_self(), name)
#define starpu_pthread_mutex_lock_sched pthread_mutex_lock
#define starpu_pthread_mutex_unlock_sched pthread_mutex_unlock
#define starpu_pthread_mutex_trylock_sched pthread_mutex_trylock
#define starpu_sem_destroy sem_destroy
#define starpu_sem_getvalue sem_getvalue
#define starpu_sem_init sem_init
#define starpu_sem_post sem_post
#define starpu_sem_trywait sem_trywait
#define starpu_sem_wait sem_wait

/* Calls a function of POSIX's; a result that is an error ends the program. */
#define XYLEM_STARPU_MUST(call) \
	do { \
		int starpu_error = (call); \
		if (STARPU_UNLIKELY(starpu_error != 0)) { \
			fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, strerror(starpu_error)); \
			STARPU_ABORT(); \
		} \
	} while (0)

#define STARPU_PTHREAD_CREATE(thread, attr, routine, arg) XYLEM_STARPU_MUST(pthread_create(thread, attr, routine, arg))
#define STARPU_PTHREAD_CREATE_ON(name, thread, attr, routine, arg, where) \
	XYLEM_STARPU_MUST(pthread_create(thread, attr, routine, arg))
#define STARPU_PTHREAD_JOIN(thread, result) XYLEM_STARPU_MUST(pthread_join(thread, result))
#define STARPU_PTHREAD_ATTR_INIT(attr) XYLEM_STARPU_MUST(pthread_attr_init(attr))
#define STARPU_PTHREAD_ATTR_DESTROY(attr) XYLEM_STARPU_MUST(pthread_attr_destroy(attr))
#define STARPU_PTHREAD_MUTEX_INIT(mutex, attr) XYLEM_STARPU_MUST(pthread_mutex_init(mutex, attr))
#define STARPU_PTHREAD_MUTEX_INIT0(mutex, attr) XYLEM_STARPU_MUST(pthread_mutex_init(mutex, attr))
#define STARPU_PTHREAD_MUTEX_DESTROY(mutex) XYLEM_STARPU_MUST(pthread_mutex_destroy(mutex))
#define STARPU_PTHREAD_MUTEX_LOCK(mutex) XYLEM_STARPU_MUST(pthread_mutex_lock(mutex))
#define STARPU_PTHREAD_MUTEX_LOCK_SCHED(mutex) XYLEM_STARPU_MUST(pthread_mutex_lock(mutex))
#define STARPU_PTHREAD_MUTEX_UNLOCK(mutex) XYLEM_STARPU_MUST(pthread_mutex_unlock(mutex))
#define STARPU_PTHREAD_MUTEX_UNLOCK_SCHED(mutex) XYLEM_STARPU_MUST(pthread_mutex_unlock(mutex))
#define STARPU_PTHREAD_KEY_CREATE(key, destr) XYLEM_STARPU_MUST(pthread_key_create(key, destr))
#define STARPU_PTHREAD_KEY_DELETE(key) XYLEM_STARPU_MUST(pthread_key_delete(key))
#define STARPU_PTHREAD_SETSPECIFIC(key, ptr) XYLEM_STARPU_MUST(pthread_setspecific(key, ptr))
#define STARPU_PTHREAD_RWLOCK_INIT(rwlock, attr) XYLEM_STARPU_MUST(pthread_rwlock_init(rwlock, attr))
#define STARPU_PTHREAD_RWLOCK_INIT0(rwlock, attr) XYLEM_STARPU_MUST(pthread_rwlock_init(rwlock, attr))
#define STARPU_PTHREAD_RWLOCK_RDLOCK(rwlock) XYLEM_STARPU_MUST(pthread_rwlock_rdlock(rwlock))
#define STARPU_PTHREAD_RWLOCK_WRLOCK(rwlock) XYLEM_STARPU_MUST(pthread_rwlock_wrlock(rwlock))
#define STARPU_PTHREAD_RWLOCK_UNLOCK(rwlock) XYLEM_STARPU_MUST(pthread_rwlock_unlock(rwlock))
#define STARPU_PTHREAD_RWLOCK_DESTROY(rwlock) XYLEM_STARPU_MUST(pthread_rwlock_destroy(rwlock))
#define STARPU_PTHREAD_COND_INIT(cond, attr) XYLEM_STARPU_MUST(pthread_cond_init(cond, attr))
#define STARPU_PTHREAD_COND_INIT0(cond, attr) XYLEM_STARPU_MUST(pthread_cond_init(cond, attr))
#define STARPU_PTHREAD_COND_DESTROY(cond) XYLEM_STARPU_MUST(pthread_cond_destroy(cond))
#define STARPU_PTHREAD_COND_SIGNAL(cond) XYLEM_STARPU_MUST(pthread_cond_signal(cond))
#define STARPU_PTHREAD_COND_BROADCAST(cond) XYLEM_STARPU_MUST(pthread_cond_broadcast(cond))
#define STARPU_PTHREAD_COND_WAIT(cond, mutex) XYLEM_STARPU_MUST(pthread_cond_wait(cond, mutex))
#define STARPU_PTHREAD_BARRIER_INIT(barrier, attr, count) XYLEM_STARPU_MUST(pthread_barrier_init(barrier, attr, count))
#define STARPU_PTHREAD_BARRIER_DESTROY(barrier) XYLEM_STARPU_MUST(pthread_barrier_destroy(barrier))
#define STARPU_PTHREAD_SPIN_INIT(lock, shared) XYLEM_STARPU_MUST(pthread_spin_init(lock, shared))
#define STARPU_PTHREAD_GETSPECIFIC(key) pthread_getspecific(key)
#define STARPU_PTHREAD_MUTEX_TRYLOCK(mutex) pthread_mutex_trylock(mutex)
#define STARPU_PTHREAD_COND_TIMEDWAIT(cond, mutex, abstime) pthread_cond_timedwait(cond, mutex, abstime)
#define STARPU_PTHREAD_RWLOCK_TRYRDLOCK(rwlock) pthread_rwlock_tryrdlock(rwlock)
#define STARPU_PTHREAD_RWLOCK_TRYWRLOCK(rwlock) pthread_rwlock_trywrlock(rwlock)
#define STARPU_PTHREAD_BARRIER_WAIT(barrier) \
	do { \
		int starpu_serial = pthread_barrier_wait(barrier); \
		if (starpu_serial != PTHREAD_BARRIER_SERIAL_THREAD) \
			XYLEM_STARPU_MUST(starpu_serial); \
	} while (0)

#define STARPU_PTHREAD_MUTEX_TRYLOCK_SCHED(mutex) STARPU_PTHREAD_MUTEX_TRYLOCK(mutex)

/* Consumers that wait for several queues at once. */
typedef struct {
	starpu_pthread_mutex_t mutex;
	starpu_pthread_cond_t cond;
	unsigned block;
} starpu_pthread_wait_t;
typedef struct {
	starpu_pthread_mutex_t mutex;
	starpu_pthread_wait_t **queue;
	unsigned allocqueue;
	unsigned nqueue;
} starpu_pthread_queue_t;

#ifdef __cplusplus
extern "C" {
#endif
int starpu_pthread_queue_init(starpu_pthread_queue_t *q);
int starpu_pthread_queue_signal(starpu_pthread_queue_t *q);
int starpu_pthread_queue_broadcast(starpu_pthread_queue_t *q);
int starpu_pthread_queue_destroy(starpu_pthread_queue_t *q);
int starpu_pthread_wait_init(starpu_pthread_wait_t *w);
int starpu_pthread_queue_register(starpu_pthread_wait_t *w, starpu_pthread_queue_t *q);
int starpu_pthread_queue_unregister(starpu_pthread_wait_t *w, starpu_pthread_queue_t *q);
int starpu_pthread_wait_reset(starpu_pthread_wait_t *w);
int starpu_pthread_wait_wait(starpu_pthread_wait_t *w);
int starpu_pthread_wait_timedwait(starpu_pthread_wait_t *w, const struct timespec *abstime);
int starpu_pthread_wait_destroy(starpu_pthread_wait_t *w);
#ifdef __cplusplus
}
#endif

#endif
