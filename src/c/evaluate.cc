#include "src/c/evaluate.h"

#include <cstddef>
#include <cstring>
#include <limits>

#include "precedent/evaluator.h"
#include "precedent/explain.h"
#include "src/c/text.h"

namespace precedent::c {

Decision InvalidInput(const precedent_policy& policy) noexcept {
  JobDescriptor impossible;
  impossible.gpu_count = -1;
  return policy.evaluator().Evaluate(impossible, TimePoint());
}

namespace {

// Names are made only of what is wrong; without memory for them it is wrong all the same.
precedent_status Check(const precedent_policy& policy, const precedent_job& job) noexcept {
  if (IsGoodJob(policy, job)) return PRECEDENT_OK;
  return Guarded(nullptr, [&] { return CheckJob(&policy, job, nullptr); });
}

}  // namespace

precedent_status EvaluateSlowly(const precedent_policy& policy, const precedent_job* job,
                                std::int64_t now, precedent_decision* decision) noexcept {
  precedent_status status = PRECEDENT_NULL_ARGUMENT;
  precedent_job copy;
  if (job != nullptr) {
    job = TakeJob(job, &copy);
    status = job == nullptr ? PRECEDENT_WRONG_SIZE : Check(policy, *job);
  }
  return Give(decision, status, [&] {
    return status == PRECEDENT_OK ? policy.evaluator().Evaluate(DescriptorOf(*job), ToTime(now))
                                  : InvalidInput(policy);
  });
}

namespace {

static_assert(sizeof(BoundJob) == sizeof(const std::byte*) &&
              std::is_trivially_copyable_v<BoundJob>);

// A BoundJob is a pointer to bytes that may have been copied since Bind gave it.
BoundJob BoundAt(const void* bound) noexcept {
  const std::byte* bytes = static_cast<const std::byte*>(bound) + sizeof(std::uint64_t);
  BoundJob job;
  std::memcpy(static_cast<void*>(&job), &bytes, sizeof bytes);
  return job;
}

bool IsAligned(const void* storage) noexcept {
  return reinterpret_cast<std::uintptr_t>(storage) % alignof(std::uint64_t) == 0;
}

// Where there is no policy to ask.
precedent_status GiveNoPolicy(precedent_decision* decision, precedent_status status) noexcept {
  return Give(decision, status, [] { return FallbackDecision(Fallback()); });
}

// One of an array whose elements stand the given bytes apart.
precedent_status EvaluateElement(precedent_status handle, const precedent_policy* policy,
                                 const precedent_job* job, std::uint64_t job_size, std::int64_t now,
                                 precedent_decision* decision,
                                 std::uint64_t decision_size) noexcept {
  // Not the size that all should have: nobody knows how much may be written.
  if (decision->struct_size != decision_size) return PRECEDENT_WRONG_SIZE;
  if (handle != PRECEDENT_OK) return GiveNoPolicy(decision, handle);
  if (job->struct_size != job_size)
    return Give(decision, PRECEDENT_WRONG_SIZE, [&] { return InvalidInput(*policy); });
  return Evaluate(*policy, job, now, decision);
}

}  // namespace
}  // namespace precedent::c

using namespace precedent;
using namespace precedent::c;

precedent_status precedent_evaluate(const precedent_policy* policy, const precedent_job* job,
                                    int64_t now, precedent_decision* decision) {
  if (decision == nullptr) return PRECEDENT_NULL_ARGUMENT;
  if (const precedent_status status = CheckHandle(policy)) return GiveNoPolicy(decision, status);
  return Evaluate(*policy, job, now, decision);
}

precedent_status precedent_evaluate_array(const precedent_policy* policy, const precedent_job* jobs,
                                          size_t count, int64_t now, precedent_decision* decisions,
                                          size_t* bad) {
  if (bad != nullptr) *bad = 0;
  const precedent_status handle = CheckHandle(policy);
  if (count == 0) return handle;
  if (jobs == nullptr || decisions == nullptr) return PRECEDENT_NULL_ARGUMENT;
  const std::uint64_t job_size = jobs->struct_size;
  const std::uint64_t decision_size = decisions->struct_size;
  if (!IsStructSize(job_size) || !IsStructSize(decision_size) ||
      count > std::numeric_limits<std::ptrdiff_t>::max() / kMaxStructBytes)
    return PRECEDENT_WRONG_SIZE;
  const auto* job = reinterpret_cast<const unsigned char*>(jobs);
  auto* decision = reinterpret_cast<unsigned char*>(decisions);
  precedent_status result = PRECEDENT_OK;
  size_t first = count;
  for (size_t i = 0; i < count; ++i, job += job_size, decision += decision_size) {
    const precedent_status status =
        EvaluateElement(handle, policy, reinterpret_cast<const precedent_job*>(job), job_size, now,
                        reinterpret_cast<precedent_decision*>(decision), decision_size);
    if (status == PRECEDENT_OK || result != PRECEDENT_OK) continue;
    result = status;
    first = i;
  }
  if (bad != nullptr) *bad = first;
  return result;
}

size_t precedent_bound_size(const precedent_policy* policy) {
  if (CheckHandle(policy) != PRECEDENT_OK) return 0;
  return sizeof(std::uint64_t) + policy->evaluator().bound_size();
}

precedent_status precedent_bind(const precedent_policy* policy, const precedent_job* job,
                                void* storage, size_t size) {
  if (storage == nullptr) return PRECEDENT_NULL_ARGUMENT;
  if (size < sizeof(std::uint64_t) || !IsAligned(storage)) return PRECEDENT_WRONG_SIZE;
  auto* id = static_cast<std::uint64_t*>(storage);
  *id = 0;
  if (const precedent_status status = CheckHandle(policy)) return status;
  if (job == nullptr) return PRECEDENT_NULL_ARGUMENT;
  if (size < precedent_bound_size(policy)) return PRECEDENT_WRONG_SIZE;
  precedent_job copy;
  job = TakeJob(job, &copy);
  if (job == nullptr) return PRECEDENT_WRONG_SIZE;
  if (!IsPlainJob(*policy, *job))
    if (const precedent_status status = Check(*policy, *job)) return status;
  policy->evaluator().Bind(DescriptorOf(*job),
                           {reinterpret_cast<std::byte*>(id + 1), size - sizeof *id});
  *id = policy->id;
  return PRECEDENT_OK;
}

precedent_status precedent_evaluate_bound(const precedent_policy* policy, const void* bound,
                                          int64_t now, precedent_decision* decision) {
  if (decision == nullptr) return PRECEDENT_NULL_ARGUMENT;
  if (const precedent_status status = CheckHandle(policy)) return GiveNoPolicy(decision, status);
  precedent_status status = PRECEDENT_OK;
  if (bound == nullptr)
    status = PRECEDENT_NULL_ARGUMENT;
  else if (!IsAligned(bound))
    status = PRECEDENT_WRONG_SIZE;
  else if (*static_cast<const std::uint64_t*>(bound) != policy->id)
    status = PRECEDENT_CLOSED;
  if (status != PRECEDENT_OK) return Give(decision, status, [&] { return InvalidInput(*policy); });
  return Give(decision, status,
              [&] { return policy->evaluator().Evaluate(BoundAt(bound), ToTime(now)); });
}

precedent_status precedent_explain(const precedent_policy* policy, const precedent_job* job,
                                   int64_t now, bool all, char** text) {
  if (text == nullptr) return PRECEDENT_NULL_ARGUMENT;
  *text = nullptr;
  return Guarded(nullptr, [&] {
    if (const precedent_status status = CheckHandle(policy)) return status;
    if (job == nullptr) return PRECEDENT_NULL_ARGUMENT;
    precedent_job copy;
    const precedent_job* taken = TakeJob(job, &copy);
    if (taken == nullptr) return PRECEDENT_WRONG_SIZE;
    if (const precedent_status status = CheckJob(nullptr, *taken, nullptr)) return status;
    *text = NewText(
        FormatExplanation(Explain(policy->compiled, DescriptorOf(*taken), ToTime(now)), all));
    return *text == nullptr ? PRECEDENT_NO_MEMORY : PRECEDENT_OK;
  });
}
