// What can hold the policy that is live: ours and its rivals, behind one interface, so
// that all are measured by the same loop.
#ifndef PRECEDENT_BENCH_RELOAD_HOLDER_H_
#define PRECEDENT_BENCH_RELOAD_HOLDER_H_

#include <cstdint>
#include <memory>

#include "precedent/evaluator.h"

namespace precedent::bench {

// How a loop reads; each holder runs it with its own inlined read, so that no virtual
// call is measured but one a slice.
struct ReadLoop {
  int reads = 0;
  // Empty: only look at the policy's generation. Else evaluate each job.
  Span<const JobDescriptor> jobs;
  TimePoint now{};
};

class Holder {
 public:
  virtual ~Holder() = default;
  virtual const char* name() const = 0;
  // Once in each thread that reads, around its reads.
  virtual void Enter() {}
  virtual void Leave() {}
  // False if it could not be published now.
  virtual bool Publish(const Evaluator& evaluator) = 0;
  // The sum of what was read, which every holder must agree on.
  virtual std::int64_t Run(const ReadLoop& loop) = 0;
};

// `read(use)` calls use(evaluator) while the evaluator is safe.
template <typename Read>
std::int64_t RunLoop(const ReadLoop& loop, Read&& read) {
  std::int64_t sum = 0;
  if (loop.jobs.empty()) {
    for (int i = 0; i < loop.reads; ++i)
      read([&](const Evaluator& evaluator) { sum += evaluator.generation(); });
    return sum;
  }
  std::size_t next = 0;
  for (int i = 0; i < loop.reads; ++i) {
    read([&](const Evaluator& evaluator) {
      sum += evaluator.Evaluate(loop.jobs[next], loop.now).priority;
    });
    if (++next == loop.jobs.size()) next = 0;
  }
  return sum;
}

std::unique_ptr<Holder> MakeLiveEvaluator();
std::unique_ptr<Holder> MakeSharedMutex();
std::unique_ptr<Holder> MakeAtomicSharedPtr();
// Null where the benchmark was built without liburcu.
std::unique_ptr<Holder> MakeUrcu();

}  // namespace precedent::bench

#endif  // PRECEDENT_BENCH_RELOAD_HOLDER_H_
