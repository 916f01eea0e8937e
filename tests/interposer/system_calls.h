// Counts the system calls of a piece of code, with the kernel's help.
#ifndef PRECEDENT_TESTS_INTERPOSER_SYSTEM_CALLS_H_
#define PRECEDENT_TESTS_INTERPOSER_SYSTEM_CALLS_H_

#include <cstdint>

namespace precedent::interposer {

struct SystemCalls {
  bool supported = false;  // false: the kernel lets no process filter its system calls
  bool finished = false;   // false: the code crashed, as code whose calls fail may
  std::uint64_t count = 0;
};

// Runs `body` in a forked process that may make no system call: each is trapped,
// counted and not carried out. A call that is answered without entering the kernel
// (the clock) is none.
SystemCalls CountSystemCalls(void (*body)(void*), void* argument);

}  // namespace precedent::interposer

#endif  // PRECEDENT_TESTS_INTERPOSER_SYSTEM_CALLS_H_
