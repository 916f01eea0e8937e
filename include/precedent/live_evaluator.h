// LiveEvaluator: the policy that is live now, replaced while others evaluate with it.
//
//   precedent::LiveEvaluator live(precedent::Fallback{500, "standard"});
//   ...
//   auto guard = live.read();                          // any thread, any time
//   precedent::Decision decision = guard.Evaluate(job, now);
//   ...
//   if (live.Publish(evaluator) != precedent::PublishStatus::kPublished) ...
//
// Header-only, target precedent::evaluator. PolicyFile (policy_file.h) keeps one up to
// date with a file. When the policy never changes, an Evaluator alone is simpler.
//
// A read takes one atomic compare-and-swap on a line of its own and a few loads and
// stores, some 7 ns, whatever the number of readers; it never waits for a writer or
// another reader. It allocates nothing, takes no lock, makes no system call and needs no
// registered thread; threads and shared libraries that read may go at any time. Memory:
// 128 bytes a slot, four slots a core and 64 at least, and the policies that somebody
// still reads.
//
// Fork: the child reads and publishes as usual (if no other thread was publishing at
// the time of the fork). Guards taken before it protect nothing there: let go of them
// and take new ones. Not async-signal-safe.
//
// How it works, and why that is right: internal/published.h, internal/claimed_slots.h.
#ifndef PRECEDENT_LIVE_EVALUATOR_H_
#define PRECEDENT_LIVE_EVALUATOR_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "precedent/decision.h"
#include "precedent/evaluator.h"
#include "precedent/internal/abi.h"
#include "precedent/internal/published.h"
#include "precedent/job_descriptor.h"
#include "precedent/time.h"

namespace precedent {
inline namespace PRECEDENT_ABI {

// What became of a policy that was to go live. Unless kPublished, nothing changed.
enum class PublishStatus : std::uint8_t {
  kPublished,
  kOlderGeneration,    // below the live policy's, and not told that this is meant
  kResourceExhausted,  // too many replaced policies are still being read
};

// A sentence for people: lower case, no final period.
constexpr std::string_view PublishStatusText(PublishStatus status) noexcept {
  switch (status) {
    case PublishStatus::kPublished: return "the policy is live";
    case PublishStatus::kOlderGeneration:
      return "the live policy is of a higher generation: raise the generation, or allow going back";
    case PublishStatus::kResourceExhausted:
      return "too many replaced policies are still being read: some reader has kept its guard or "
             "does not run; try again when it is gone";
  }
  return "unknown status";
}

struct PublishOptions {
  // Lets a policy of a lower generation replace the live one: a rollback on purpose.
  bool allow_older_generation = false;
};

// What a LiveEvaluator has done so far, for metrics.
struct LiveCounts {
  std::uint64_t published = 0;
  std::uint64_t refused_older = 0;      // kOlderGeneration
  std::uint64_t refused_exhausted = 0;  // kResourceExhausted
  // Policies replaced and not yet freed, because they are read or nobody has looked
  // since. If this stays above 0 over a Synchronize, a reader keeps its guard too long.
  std::uint64_t retired = 0;
  std::uint64_t freed = 0;
  // Reads that found no free slot and took the slower way. Many: raise LiveOptions::slots.
  std::uint64_t overflows = 0;
};

struct LiveOptions {
  // Guards held at once before reads take the slower way; rounded up to a power of two,
  // 2^20 at most. 0: four a core and 64 at least.
  std::uint32_t slots = 0;
  // Replaced policies that may wait for their readers before Publish refuses.
  std::size_t max_retired = 64;
};

// Thread-safety: every call may be made from any thread at any time; one Guard is used
// by one thread at a time.
class LiveEvaluator {
  using Cell = internal::Published<Evaluator>;

 public:
  // One policy, or its absence, as it was when the guard was taken; it stays the same
  // and alive as long as the guard. One guard may serve a whole batch of jobs. Keep it
  // only for as long as the work: it keeps the memory of a replaced policy.
  //
  // Move-only; may be moved to another thread and dropped there. A moved-from guard is
  // one without policy. REQUIRES: gone before its LiveEvaluator.
  class Guard {
   public:
    // By the policy; without one the fallback with Reason::kFallbackNoPolicy. The
    // decision's views live as long as this guard. Not on a temporary: the views would
    // outlive it.
    Decision Evaluate(const JobDescriptor& job, TimePoint now) const& noexcept {
      const Evaluator* evaluator = reader_.get();
      return evaluator != nullptr ? evaluator->Evaluate(job, now) : FallbackDecision(*fallback_);
    }
    Decision Evaluate(const JobDescriptor& job, TimePoint now) const&& = delete;

    // The live policy, for everything else that an Evaluator does; null while there is
    // none, and then fallback() is the decision for every job. A copy of the Evaluator
    // may outlive the guard where it owns its block (see Evaluator::FromImage).
    const Evaluator* evaluator() const& noexcept { return reader_.get(); }
    const Evaluator* evaluator() const&& = delete;

    // The decision for any job where evaluator() is null.
    Decision fallback() const noexcept { return FallbackDecision(*fallback_); }

   private:
    friend class LiveEvaluator;
    Guard(Cell::Reader reader, const Fallback* fallback) noexcept
        : reader_(std::move(reader)), fallback_(fallback) {}
    Cell::Reader reader_;
    const Fallback* fallback_;
  };

  // No policy is live; `fallback` decides until one is. Its class is copied. Allocates
  // all that readers need; throws std::bad_alloc where that fails.
  explicit LiveEvaluator(const Fallback& fallback = {}, const LiveOptions& options = {})
      : priority_class_(fallback.priority_class),
        fallback_{fallback.priority, priority_class_},
        cell_(SlotCount(options.slots), options.max_retired) {}
  LiveEvaluator(const LiveEvaluator&) = delete;
  LiveEvaluator& operator=(const LiveEvaluator&) = delete;

  // The policy that is live now. Wait-free.
  Guard read() noexcept { return Guard(cell_.Read(), &fallback_); }

  // Makes `evaluator` the live policy: every read that begins after the return gets it,
  // or one published later. Refuses a generation below the live policy's (equal is
  // fine) unless told. Frees replaced policies that nobody reads. Waits for other
  // publishers only; time linear in the slots.
  [[nodiscard]] PublishStatus Publish(Evaluator evaluator,
                                      const PublishOptions& options = {}) noexcept {
    const std::int64_t generation = evaluator.generation();
    const internal::Publication result =
        cell_.Publish(std::move(evaluator), [&](const Evaluator* live) {
          return options.allow_older_generation || live == nullptr ||
                 generation >= live->generation();
        });
    switch (result) {
      case internal::Publication::kDone: return PublishStatus::kPublished;
      case internal::Publication::kRefused: return PublishStatus::kOlderGeneration;
      case internal::Publication::kFull: break;
    }
    return PublishStatus::kResourceExhausted;
  }

  // Waits until nobody uses a policy that was replaced before this call and all of them
  // are freed; false where `deadline` came first. A deadline in the past looks once.
  // The caller must hold no guard on such a policy: it would wait for itself.
  bool Synchronize(std::chrono::steady_clock::time_point deadline) noexcept {
    return cell_.Synchronize(deadline);
  }

  // Waits for publishers; not for a hot path.
  LiveCounts counts() const noexcept {
    const Cell::Counts counts = cell_.counts();
    return {counts.published, counts.refused, counts.full,
            counts.retired,   counts.freed,   counts.overflows};
  }

 private:
  static std::uint32_t SlotCount(std::uint32_t wanted) noexcept {
    if (wanted == 0) return internal::ClaimedSlots::DefaultCount();
    std::uint32_t count = 1;
    while (count < wanted && count < (1u << 20)) count *= 2;
    return count;
  }

  const std::string priority_class_;
  const Fallback fallback_;
  Cell cell_;
};

}  // namespace PRECEDENT_ABI
}  // namespace precedent

#endif  // PRECEDENT_LIVE_EVALUATOR_H_
