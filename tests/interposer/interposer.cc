#include "tests/interposer/interposer.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>

#include <cstddef>

// glibc's own names for what stands behind malloc and its like. Asking dlsym for
// them would not do: dlsym allocates.
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void __libc_free(void*);
}

namespace precedent::interposer {
namespace {

thread_local bool counting = false;
thread_local Counts counts;

void CountAllocation() noexcept {
  if (counting) ++counts.allocations;
}

void CountLock() noexcept {
  if (counting) ++counts.locks;
}

// The next definition of `name` behind this one, which is libc's. Found once, on
// the first call, which is long before any counting: libraries lock while loading.
template <typename Function>
Function* Next(const char* name) noexcept {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

void Start() noexcept {
  counts = Counts();
  counting = true;
}

Counts Stop() noexcept {
  counting = false;
  return counts;
}

}  // namespace precedent::interposer

using precedent::interposer::CountAllocation;
using precedent::interposer::CountLock;
using precedent::interposer::Next;

extern "C" {

void* malloc(std::size_t size) {
  CountAllocation();
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
  CountAllocation();
  return __libc_calloc(count, size);
}
void* realloc(void* old, std::size_t size) {
  CountAllocation();
  return __libc_realloc(old, size);
}
void free(void* block) {
  CountAllocation();
  __libc_free(block);
}
void* memalign(std::size_t alignment, std::size_t size) {
  CountAllocation();
  return __libc_memalign(alignment, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  CountAllocation();
  return __libc_memalign(alignment, size);
}
int posix_memalign(void** result, std::size_t alignment, std::size_t size) {
  CountAllocation();
  void* block = __libc_memalign(alignment, size);
  if (block == nullptr) return ENOMEM;
  *result = block;
  return 0;
}

// One definition of a function that locks: counts, then does what libc does.
#define PRECEDENT_LOCK(name, parameters, arguments)               \
  int name parameters {                                           \
    CountLock();                                                  \
    static int(*const next) parameters = Next<int parameters>(#name); \
    return next arguments;                                        \
  }

PRECEDENT_LOCK(pthread_mutex_lock, (pthread_mutex_t * lock), (lock))
PRECEDENT_LOCK(pthread_mutex_trylock, (pthread_mutex_t * lock), (lock))
PRECEDENT_LOCK(pthread_mutex_timedlock, (pthread_mutex_t * lock, const timespec* until),
               (lock, until))
PRECEDENT_LOCK(pthread_mutex_unlock, (pthread_mutex_t * lock), (lock))
PRECEDENT_LOCK(pthread_rwlock_rdlock, (pthread_rwlock_t * lock), (lock))
PRECEDENT_LOCK(pthread_rwlock_tryrdlock, (pthread_rwlock_t * lock), (lock))
PRECEDENT_LOCK(pthread_rwlock_wrlock, (pthread_rwlock_t * lock), (lock))
PRECEDENT_LOCK(pthread_rwlock_trywrlock, (pthread_rwlock_t * lock), (lock))
PRECEDENT_LOCK(pthread_rwlock_unlock, (pthread_rwlock_t * lock), (lock))
PRECEDENT_LOCK(pthread_spin_lock, (pthread_spinlock_t * lock), (lock))
PRECEDENT_LOCK(pthread_spin_trylock, (pthread_spinlock_t * lock), (lock))
PRECEDENT_LOCK(pthread_spin_unlock, (pthread_spinlock_t * lock), (lock))
PRECEDENT_LOCK(pthread_once, (pthread_once_t * once, void (*call)()), (once, call))
PRECEDENT_LOCK(pthread_cond_signal, (pthread_cond_t * condition), (condition))
PRECEDENT_LOCK(pthread_cond_broadcast, (pthread_cond_t * condition), (condition))
PRECEDENT_LOCK(pthread_cond_wait, (pthread_cond_t * condition, pthread_mutex_t* lock),
               (condition, lock))

#undef PRECEDENT_LOCK

}  // extern "C"
