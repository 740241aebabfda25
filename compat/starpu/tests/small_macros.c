/* SPDX-License-Identifier: MIT */
/* Atomic operations, locks and other small things of the headers, without a runtime. */
#include "check.h"

static void atomics(void)
{
	unsigned u = 1;
	unsigned long l = 1;
	uint64_t w = 1;
	void *p = NULL;

	CHECK(STARPU_ATOMIC_ADD64(&w, 2) == 3 && STARPU_ATOMIC_ADDL(&l, 2) == 3);
	CHECK((STARPU_ATOMIC_OR(&u, 2), u) == 3 && (STARPU_ATOMIC_ORL(&l, 4), l) == 7);
	CHECK((STARPU_ATOMIC_OR64(&w, 8), w) == 11);
	CHECK(STARPU_BOOL_COMPARE_AND_SWAP(&u, 3, 4) && !STARPU_BOOL_COMPARE_AND_SWAP(&u, 3, 5) && u == 4);
	CHECK(STARPU_BOOL_COMPARE_AND_SWAP32(&u, 4, 5) && STARPU_BOOL_COMPARE_AND_SWAP64(&w, 11, 12));
	CHECK(STARPU_BOOL_COMPARE_AND_SWAP_PTR(&p, NULL, &u) && p == &u);
	CHECK(STARPU_VAL_COMPARE_AND_SWAP(&u, 5, 6) == 5 && STARPU_VAL_COMPARE_AND_SWAP32(&u, 6, 7) == 6);
	CHECK(STARPU_VAL_COMPARE_AND_SWAP64(&w, 12, 13) == 12);
	CHECK(STARPU_VAL_COMPARE_AND_SWAP_PTR(&p, &u, NULL) == &u && !p);
	CHECK(STARPU_VAL_EXCHANGE(&u, 1) == 7 && STARPU_VAL_EXCHANGE32(&u, 2) == 1);
	CHECK(STARPU_VAL_EXCHANGEL(&l, 1) == 7 && STARPU_VAL_EXCHANGE64(&w, 1) == 13);
	u = 0;
	CHECK(!STARPU_TEST_AND_SET(&u, 1) && STARPU_TEST_AND_SET(&u, 1));
	STARPU_RELEASE(&u);
	CHECK(!u);
}

static void locks(void)
{
	starpu_pthread_mutex_t mutex = STARPU_PTHREAD_MUTEX_INITIALIZER;
	starpu_pthread_rwlock_t readers = STARPU_PTHREAD_RWLOCK_INITIALIZER;
	starpu_pthread_cond_t cond;
	starpu_pthread_spinlock_t spin;
	starpu_pthread_key_t key;
	starpu_pthread_barrier_t barrier;
	starpu_sem_t sem;
	int value;

	CHECK(!STARPU_PTHREAD_MUTEX_TRYLOCK(&mutex) && STARPU_PTHREAD_MUTEX_TRYLOCK(&mutex) == EBUSY);
	STARPU_PTHREAD_MUTEX_UNLOCK(&mutex);
	STARPU_PTHREAD_MUTEX_INIT0(&mutex, NULL);
	STARPU_PTHREAD_MUTEX_LOCK_SCHED(&mutex);
	CHECK(STARPU_PTHREAD_MUTEX_TRYLOCK_SCHED(&mutex) == EBUSY);
	STARPU_PTHREAD_MUTEX_UNLOCK_SCHED(&mutex);
	CHECK(!starpu_pthread_mutex_lock(&mutex) && starpu_pthread_mutex_trylock(&mutex) == EBUSY);
	CHECK(!starpu_pthread_mutex_unlock(&mutex) && !starpu_pthread_mutex_destroy(&mutex));
	STARPU_PTHREAD_RWLOCK_RDLOCK(&readers);
	CHECK(!STARPU_PTHREAD_RWLOCK_TRYRDLOCK(&readers) && STARPU_PTHREAD_RWLOCK_TRYWRLOCK(&readers) == EBUSY);
	STARPU_PTHREAD_RWLOCK_UNLOCK(&readers);
	STARPU_PTHREAD_RWLOCK_UNLOCK(&readers);
	STARPU_PTHREAD_RWLOCK_WRLOCK(&readers);
	STARPU_PTHREAD_RWLOCK_UNLOCK(&readers);
	STARPU_PTHREAD_RWLOCK_DESTROY(&readers);
	STARPU_PTHREAD_RWLOCK_INIT(&readers, NULL);
	STARPU_PTHREAD_RWLOCK_DESTROY(&readers);
	STARPU_PTHREAD_COND_INIT0(&cond, NULL);
	STARPU_PTHREAD_COND_BROADCAST(&cond);
	CHECK(!starpu_pthread_cond_signal(&cond) && !starpu_pthread_cond_destroy(&cond));
	STARPU_PTHREAD_SPIN_INIT(&spin, 0);
	CHECK(!starpu_pthread_spin_lock(&spin) && starpu_pthread_spin_trylock(&spin) == EBUSY);
	CHECK(!starpu_pthread_spin_unlock(&spin) && !starpu_pthread_spin_destroy(&spin));
	STARPU_PTHREAD_KEY_CREATE(&key, NULL);
	STARPU_PTHREAD_SETSPECIFIC(key, &key);
	CHECK(STARPU_PTHREAD_GETSPECIFIC(key) == &key);
	STARPU_PTHREAD_KEY_DELETE(key);
	CHECK(!starpu_pthread_barrier_init(&barrier, NULL, 1));
	CHECK(starpu_pthread_barrier_wait(&barrier) == STARPU_PTHREAD_BARRIER_SERIAL_THREAD);
	CHECK(!starpu_pthread_barrier_destroy(&barrier));
	CHECK(!starpu_sem_init(&sem, 0, 1) && !starpu_sem_getvalue(&sem, &value) && value == 1);
	CHECK(!starpu_sem_wait(&sem) && starpu_sem_trywait(&sem) && !starpu_sem_post(&sem) &&
	      !starpu_sem_destroy(&sem));
	CHECK(starpu_pthread_equal(starpu_pthread_self(), starpu_pthread_self()));
}

static void times(void)
{
	struct timespec a = { 2, 500000000 }, b = { 1, 600000000 }, sum;

	starpu_timespec_add(&a, &b, &sum);
	CHECK(sum.tv_sec == 4 && sum.tv_nsec == 100000000);
	starpu_timespec_sub(&a, &b, &sum);
	CHECK(sum.tv_sec == 0 && sum.tv_nsec == 900000000);
	starpu_timespec_accumulate(&sum, &b);
	CHECK(sum.tv_sec == 2 && sum.tv_nsec == 500000000 && starpu_timespec_cmp(&sum, &a, ==));
	starpu_timespec_clear(&sum);
	CHECK(!sum.tv_sec && !sum.tv_nsec);
}

static void variables(void)
{
	setenv("A_NUMBER", "12", 1);
	setenv("A_FRACTION", "0.5", 1);
	CHECK(starpu_getenv_number("A_NUMBER") == 12 && starpu_getenv_number("NO_NUMBER") == -1);
	CHECK(starpu_get_env_number("A_NUMBER") == 12 && starpu_get_env_number_default("NO_NUMBER", 3) == 3);
	CHECK(starpu_getenv_float_default("A_FRACTION", 1) == 0.5F &&
	      starpu_get_env_float_default("NO_NUMBER", 2) == 2);
}

int main(void)
{
	atomics();
	locks();
	times();
	variables();
	CHECK(STARPU_GNUC_PREREQ(3, 0));
	return 0;
}
