// Every allocation of a call of the C API fails once: the call says NO_MEMORY, and what there
// was before stays usable. Not of the calls that stand on Abseil's tables, RE2 and messages,
// which do not outlive that.
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <new>

#include "precedent/c.h"

namespace {

// Allocations until one fails; below 0: none does.
long countdown = -1;

void* Allocate(std::size_t size) {
  if (countdown >= 0 && countdown-- == 0) throw std::bad_alloc();
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}

int failures = 0;

// `call` makes everything anew and frees it again.
void EveryAllocation(const char* name, const std::function<precedent_status()>& call) {
  for (long n = 0; n < 1'000'000; ++n) {
    countdown = n;
    const precedent_status status = call();
    const bool failed = countdown < 0;
    countdown = -1;
    if (!failed) {
      std::printf("%s: %ld allocations\n", name, n);
      if (status == PRECEDENT_OK && n > 0) return;
    } else if (status == PRECEDENT_NO_MEMORY) {
      continue;
    }
    std::printf("%s: allocation %ld: %s\n", name, n, precedent_status_text(status));
    ++failures;
    return;
  }
}

constexpr char kPolicy[] =
    "stages { rules { id: \"a\" when { team { in: \"search\" in: \"ads\" } } set: 7 }\n"
    "         rules { id: \"b\" when { labels { key: \"t\" value { prefix: \"a\" } } } add: 1 } "
    "}\n";
}  // namespace

void* operator new(std::size_t size) { return Allocate(size); }
void* operator new[](std::size_t size) { return Allocate(size); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  const auto to = static_cast<std::size_t>(alignment);
  if (countdown >= 0 && countdown-- == 0) throw std::bad_alloc();
  return std::aligned_alloc(to, (size + to - 1) / to * to);
}
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

int main() {
  precedent_policy* policy = nullptr;
  precedent_job job;
  precedent_job_init(&job, sizeof job);
  if (precedent_policy_load(kPolicy, sizeof kPolicy - 1, &policy, nullptr) != PRECEDENT_OK)
    return 1;

  EveryAllocation("explain", [&] {
    char* text;
    const precedent_status status = precedent_explain(policy, &job, 0, true, &text);
    precedent_free(text);
    return status;
  });
  EveryAllocation("live", [&] {
    precedent_live* opened;
    const precedent_status status = precedent_live_open(nullptr, &opened, nullptr);
    precedent_live_close(opened);
    return status;
  });
  EveryAllocation("graph", [] {
    precedent_graph* opened;
    const precedent_status status = precedent_graph_open(nullptr, &opened, nullptr);
    precedent_graph_close(opened);
    return status;
  });

  precedent_decision decision;
  decision.struct_size = sizeof decision;
  job.team = precedent_c_string("ads");
  if (precedent_evaluate(policy, &job, 0, &decision) != PRECEDENT_OK || decision.priority != 7)
    ++failures;
  precedent_policy_close(policy);
  return failures == 0 ? 0 : 1;
}
