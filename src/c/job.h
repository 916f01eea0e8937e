// What is looked at before a job of a caller is evaluated.
#ifndef PRECEDENT_SRC_C_JOB_H_
#define PRECEDENT_SRC_C_JOB_H_

#include <cstdint>
#include <cstring>

#include "precedent/c.h"
#include "src/c/layout.h"
#include "src/c/policy.h"
#include "src/c/text.h"

namespace precedent::c {

// No job has as many labels or metrics: it is a count that nobody set.
inline constexpr std::size_t kMaxListed = std::size_t{1} << 24;

// Whether nothing that `policy` looks at in `job` needs a closer look: texts that are
// absent or of 4 to 16 ASCII characters, and no lists, which is what most jobs are. It calls
// nothing, so that the evaluation behind it has all registers. REQUIRES: the job's struct is
// of this release.
inline bool IsPlainJob(const precedent_policy& policy, const precedent_job& job) noexcept {
  // As bytes: a bool that is neither true nor false may not be read as one.
  unsigned char preemptible, retry;
  std::memcpy(&preemptible, &job.preemptible, 1);
  std::memcpy(&retry, &job.lineage.retry_of_preempted, 1);
  if ((preemptible | retry) > 1) return false;
  // All metrics are looked at, for infinite ones.
  if (policy.read.labels || job.metric_count != 0) return false;
  std::uint32_t bytes = 0;
  const auto* texts = reinterpret_cast<const unsigned char*>(&job.team);
  for (const std::uint16_t *i = policy.read.built_in, *end = i + policy.read.built_in_count;
       i != end; ++i) {
    const auto& text = *reinterpret_cast<const precedent_text*>(texts + *i);
    if (text.size - 4 <= 12 && text.data != nullptr)
      bytes |= AllBytes(text.data, text.size);
    else if (text.size != 0)
      return false;
  }
  return (bytes & kBeyondAscii) == 0;
}

// The same for texts of any length and for lists: everything that `policy` looks at is right.
bool IsGoodJob(const precedent_policy& policy, const precedent_job& job) noexcept;

// The closer look at the same; `policy` null: at everything. Names the first that is wrong.
precedent_status CheckJob(const precedent_policy* policy, const precedent_job& job, char** error);

// The job of which nothing is known.
precedent_job UnknownJob() noexcept;

// `*job` as a struct of this release: itself, or `*copy`. Null where it cannot be taken.
const precedent_job* TakeJob(const precedent_job* job, precedent_job* copy) noexcept;

}  // namespace precedent::c

#endif  // PRECEDENT_SRC_C_JOB_H_
