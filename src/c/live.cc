// A live policy: a Published cell of policies, as LiveEvaluator is one of evaluators, so
// that a guard gives whole policies, which explain and review as well.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <new>
#include <string>

#include "precedent/internal/published.h"
#include "precedent/live_evaluator.h"
#include "src/c/evaluate.h"
#include "src/c/handle.h"
#include "src/c/layout.h"
#include "src/c/policy.h"
#include "src/c/text.h"

namespace precedent::c {
using PolicyCell = internal::Published<precedent_policy>;
}  // namespace precedent::c

struct precedent_live {
  static constexpr precedent::c::Kind kKind = precedent::c::kLiveKind;

  precedent_live(std::int32_t priority, std::string_view priority_class, std::uint32_t slots,
                 std::size_t max_retired)
      : fallback_class(priority_class),
        fallback{priority, fallback_class},
        cell(slots, max_retired) {}

  precedent::c::Kind kind = kKind;
  const std::string fallback_class;
  const precedent::Fallback fallback;
  precedent::c::PolicyCell cell;
};

namespace precedent::c {
namespace {

// What stands in a precedent_guard.
struct GuardState {
  std::uint64_t mark;  // kGuardKind and where it stands: a copy is no guard
  const precedent_live* live;
  PolicyCell::Reader reader;
};
static_assert(sizeof(GuardState) <= sizeof(precedent_guard) &&
              alignof(GuardState) <= alignof(precedent_guard));

std::uint64_t MarkOf(const precedent_guard* guard) noexcept {
  return kGuardKind.word ^ reinterpret_cast<std::uintptr_t>(guard);
}

bool IsGuard(const precedent_guard* guard) noexcept {
  std::uint64_t mark;
  std::memcpy(&mark, guard, sizeof mark);
  return mark == MarkOf(guard);
}

const GuardState& StateOf(const precedent_guard* guard) noexcept {
  return *std::launder(reinterpret_cast<const GuardState*>(guard));
}

std::uint32_t SlotCount(std::uint32_t wanted) noexcept {
  if (wanted == 0) return internal::ClaimedSlots::DefaultCount();
  std::uint32_t count = 1;
  while (count < wanted && count < (1u << 20)) count *= 2;
  return count;
}

}  // namespace
}  // namespace precedent::c

using namespace precedent;
using namespace precedent::c;

precedent_status precedent_live_open(const precedent_live_options* options, precedent_live** live,
                                     char** error) {
  return Guarded(error, [&] {
    if (live == nullptr) return Fail(PRECEDENT_NULL_ARGUMENT, error, "live: is NULL");
    *live = nullptr;
    precedent_live_options known = {};
    known.fallback_priority = Fallback().priority;
    if (options != nullptr && !TakeStruct(options, &known))
      return Fail(PRECEDENT_WRONG_SIZE, error);
    if (const precedent_status status = CheckText(known.fallback_class, "fallback_class", error))
      return status;
    const std::size_t max_retired =
        known.max_retired == 0 ? LiveOptions().max_retired : std::size_t{known.max_retired};
    *live = new precedent_live(known.fallback_priority, ToView(known.fallback_class),
                               SlotCount(known.slots), max_retired);
    return PRECEDENT_OK;
  });
}

precedent_status precedent_live_close(precedent_live* live) { return CloseHandle(live); }

precedent_status precedent_live_publish(precedent_live* live, const precedent_policy* policy,
                                        bool allow_older) {
  if (const precedent_status status = CheckHandle(live)) return status;
  if (const precedent_status status = CheckHandle(policy)) return status;
  const std::int64_t generation = policy->evaluator().generation();
  const internal::Publication result =
      live->cell.Publish(*policy, [&](const precedent_policy* old) {
        return allow_older || old == nullptr || generation >= old->evaluator().generation();
      });
  switch (result) {
    case internal::Publication::kDone:
      return PRECEDENT_OK;
    case internal::Publication::kRefused:
      return PRECEDENT_OLDER_GENERATION;
    case internal::Publication::kFull:
      break;
  }
  return PRECEDENT_EXHAUSTED;
}

precedent_status precedent_live_synchronize(precedent_live* live, int64_t microseconds) {
  if (const precedent_status status = CheckHandle(live)) return status;
  // A day is for ever here, and no sum of it and any time overflows.
  constexpr std::int64_t kDay = std::int64_t{86'400} * 1'000'000;
  const auto wait = std::chrono::microseconds(std::clamp(microseconds, std::int64_t{0}, kDay));
  return live->cell.Synchronize(std::chrono::steady_clock::now() + wait) ? PRECEDENT_OK
                                                                         : PRECEDENT_TIMED_OUT;
}

precedent_status precedent_live_count(const precedent_live* live, precedent_live_counts* counts) {
  if (counts == nullptr) return PRECEDENT_NULL_ARGUMENT;
  precedent_live_counts known = {};
  const precedent_status status = CheckHandle(live);
  if (status == PRECEDENT_OK) {
    const PolicyCell::Counts now = live->cell.counts();
    known.published = now.published;
    known.refused_older = now.refused;
    known.refused_exhausted = now.full;
    known.retired = now.retired;
    known.freed = now.freed;
    known.overflows = now.overflows;
  }
  return GiveStruct(known, counts) ? status : PRECEDENT_WRONG_SIZE;
}

precedent_status precedent_live_read(precedent_live* live, precedent_guard* guard) {
  if (guard == nullptr) return PRECEDENT_NULL_ARGUMENT;
  std::memset(guard, 0, sizeof *guard);
  if (const precedent_status status = CheckHandle(live)) return status;
  new (guard) GuardState{MarkOf(guard), live, live->cell.Read()};
  return PRECEDENT_OK;
}

precedent_status precedent_guard_release(precedent_guard* guard) {
  if (guard == nullptr) return PRECEDENT_NULL_ARGUMENT;
  if (!IsGuard(guard)) return PRECEDENT_CLOSED;
  std::launder(reinterpret_cast<GuardState*>(guard))->~GuardState();
  std::memset(guard, 0, sizeof *guard);
  return PRECEDENT_OK;
}

const precedent_policy* precedent_guard_policy(const precedent_guard* guard) {
  return guard == nullptr || !IsGuard(guard) ? nullptr : StateOf(guard).reader.get();
}

precedent_status precedent_guard_evaluate(const precedent_guard* guard, const precedent_job* job,
                                          int64_t now, precedent_decision* decision) {
  if (decision == nullptr) return PRECEDENT_NULL_ARGUMENT;
  if (guard == nullptr || !IsGuard(guard))
    return Give(decision, guard == nullptr ? PRECEDENT_NULL_ARGUMENT : PRECEDENT_CLOSED,
                [] { return FallbackDecision(Fallback()); });
  const GuardState& state = StateOf(guard);
  const precedent_policy* policy = state.reader.get();
  if (policy != nullptr) return Evaluate(*policy, job, now, decision);
  return Give(decision, job == nullptr ? PRECEDENT_NULL_ARGUMENT : PRECEDENT_OK,
              [&] { return FallbackDecision(state.live->fallback); });
}
