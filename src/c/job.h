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

// Whether a text is plainly right: absent, or ASCII. Short ones by four words that overlap,
// without a branch on their length.
inline bool IsPlainText(precedent_text text) noexcept {
  const std::size_t n = text.size;
  const char* p = text.data;
  if (n == 0) return true;
  if (p == nullptr || n > kMaxTextBytes) return false;
  const auto word = [p](std::size_t i) {
    std::uint32_t word;
    std::memcpy(&word, p + i, sizeof word);
    return word;
  };
  if (n < 4) return ((p[0] | p[n >> 1] | p[n - 1]) & 0x80) == 0;
  const std::size_t q = n >> 3 << 2;
  std::uint64_t bits = word(0) | word(n - 4);
  if (n <= 16) {
    bits |= word(q) | word(n - 4 - q);
  } else {
    for (std::size_t i = 4; i < n - 4; i += 8) {
      std::uint64_t both;
      std::memcpy(&both, p + (i + 8 <= n ? i : n - 8), sizeof both);
      bits |= both;
    }
  }
  return (bits & 0x8080808080808080u) == 0;
}

// Whether nothing that `policy` looks at in `job` needs a closer look. REQUIRES: the job's
// struct is of this release.
inline bool IsPlainJob(const precedent_policy& policy, const precedent_job& job) noexcept {
  // As bytes: a bool that is neither true nor false may not be read as one.
  unsigned char preemptible, retry;
  std::memcpy(&preemptible, &job.preemptible, 1);
  std::memcpy(&retry, &job.lineage.retry_of_preempted, 1);
  if ((preemptible | retry) > 1) return false;
  // All metrics are looked at, for infinite ones.
  if ((job.label_count | job.metric_count) >= kMaxListed) return false;
  if (job.metric_count != 0 && job.metrics == nullptr) return false;
  const precedent_text* texts = &job.team;
  for (unsigned i = 0; i < policy.read.built_in_count; ++i)
    if (!IsPlainText(texts[policy.read.built_in[i]])) return false;
  if (policy.read.labels) {
    if (job.label_count != 0 && job.labels == nullptr) return false;
    for (std::size_t i = 0; i < job.label_count; ++i)
      if (!IsPlainText(job.labels[i].key) || !IsPlainText(job.labels[i].value)) return false;
  }
  if (policy.read.metrics)
    for (std::size_t i = 0; i < job.metric_count; ++i)
      if (!IsPlainText(job.metrics[i].name)) return false;
  return true;
}

// The closer look at the same; `policy` null: at everything. Names the first that is wrong.
precedent_status CheckJob(const precedent_policy* policy, const precedent_job& job, char** error);

// The job of which nothing is known.
precedent_job UnknownJob() noexcept;

// `*job` as a struct of this release: itself, or `*copy`. Null where it cannot be taken.
const precedent_job* TakeJob(const precedent_job* job, precedent_job* copy) noexcept;

}  // namespace precedent::c

#endif  // PRECEDENT_SRC_C_JOB_H_
