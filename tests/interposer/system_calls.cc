// A seccomp filter answers SIGSYS to all system calls but the two that the handler
// and the end of the process need; the handler counts. The count travels through a
// page shared with the parent, as the child may not write anywhere else.
#include "tests/interposer/system_calls.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

namespace precedent::interposer {
namespace {

volatile std::uint64_t* shared_count = nullptr;

void OnSystemCall(int, siginfo_t*, void*) { *shared_count = *shared_count + 1; }

bool TrapSystemCalls() {
  struct sigaction action = {};
  action.sa_sigaction = OnSystemCall;
  action.sa_flags = SA_SIGINFO;
  if (sigaction(SIGSYS, &action, nullptr) != 0) return false;
  sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigreturn, 2, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  sock_fprog program = {sizeof filter / sizeof filter[0], filter};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

}  // namespace

SystemCalls CountSystemCalls(void (*body)(void*), void* argument) {
  constexpr int kCannotFilter = 77;
  SystemCalls result;
  void* page = mmap(nullptr, sizeof(std::uint64_t), PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return result;
  shared_count = static_cast<std::uint64_t*>(page);
  const pid_t child = fork();
  if (child == 0) {
    if (!TrapSystemCalls()) _exit(kCannotFilter);
    body(argument);
    _exit(0);
  }
  int status = 0;
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  result.supported = child > 0 && !(WIFEXITED(status) && WEXITSTATUS(status) == kCannotFilter);
  result.finished = result.supported && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  result.count = *shared_count;
  munmap(page, sizeof(std::uint64_t));
  return result;
}

}  // namespace precedent::interposer
