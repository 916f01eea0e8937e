// Counts what the evaluator promises not to do: allocations and locks.
//
// Linking interposer.cc puts its malloc, pthread_mutex_lock and so on in front of
// libc's for the whole process, shared libraries included. operator new ends in
// malloc, std::mutex and std::shared_mutex in pthread's locks.
#ifndef PRECEDENT_TESTS_INTERPOSER_INTERPOSER_H_
#define PRECEDENT_TESTS_INTERPOSER_INTERPOSER_H_

#include <cstdint>

namespace precedent::interposer {

struct Counts {
  std::uint64_t allocations = 0;  // malloc, calloc, realloc, free, aligned allocation
  std::uint64_t locks = 0;        // mutexes, reader-writer locks, spin locks, once, condition variables
};

// Zeroes this thread's counts and starts counting; Stop ends it and tells them.
void Start() noexcept;
Counts Stop() noexcept;

}  // namespace precedent::interposer

#endif  // PRECEDENT_TESTS_INTERPOSER_INTERPOSER_H_
