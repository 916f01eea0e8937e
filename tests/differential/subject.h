// One policy on both sides: the library's evaluator and the reference, and whether
// they agree about a job.
#ifndef PRECEDENT_TESTS_DIFFERENTIAL_SUBJECT_H_
#define PRECEDENT_TESTS_DIFFERENTIAL_SUBJECT_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "precedent/evaluator.h"
#include "precedent/policy.h"
#include "tests/differential/random.h"
#include "tests/reference/job.h"
#include "tests/reference/reference.h"

namespace precedent::differential {

// The library's view of `job`, which must outlive it. Owns the lists.
class View {
 public:
  explicit View(const reference::Job& job);
  const JobDescriptor& job() const { return job_; }

 private:
  std::vector<Label> labels_;
  std::vector<Metric> metrics_;
  JobDescriptor job_;
};

struct CheckOptions {
  bool explain = false;      // Explain's decision too
  bool later_times = false;  // that nothing changes before valid_until
};

class Subject {
 public:
  // Null, and why in `*error`, where the library does not compile the policy.
  // `policy` must outlive the result.
  static std::unique_ptr<Subject> Make(const v1::Policy& policy, std::string* error);

  // Everything that the library says about `job` at `now` against the reference and
  // against itself. Empty: they agree; else what differs. `*outcome`, where given,
  // gets what the reference said.
  std::string Check(const reference::Job& job, std::int64_t now, const CheckOptions& options,
                    reference::Outcome* outcome = nullptr);

  // The decisions for a queue of `size` jobs, any of `jobs` in any order, evaluated in
  // one call, against those for each of them alone. Empty: they agree.
  std::string CheckQueue(const std::vector<reference::Job>& jobs, std::int64_t now,
                         std::size_t size, Random& random);

  const Evaluator& evaluator() const { return compiled_.evaluator(); }

 private:
  Subject(const v1::Policy& policy, CompiledPolicy compiled)
      : reference_(policy), compiled_(std::move(compiled)) {}

  std::string CheckRules(const JobDescriptor& job, TimePoint now,
                         const reference::Outcome& expected);
  std::string CheckForms(const JobDescriptor& job, TimePoint now, const Decision& decision);
  std::string CheckLater(const JobDescriptor& job, TimePoint now, const Decision& decision);

  reference::Reference reference_;
  CompiledPolicy compiled_;
  std::vector<std::uint64_t> image_;  // a copy, for its alignment
  std::optional<Evaluator> from_image_;
  // Kept between calls.
  std::vector<std::uint64_t> bound_;
  std::vector<std::uint32_t> rules_, bound_rules_;
};

// Explain's decision for the job, where this build has Explain; else `decision`.
Decision ExplainedDecision(const CompiledPolicy& policy, const JobDescriptor& job, TimePoint now,
                           const Decision& decision);
bool HasExplain();

}  // namespace precedent::differential

#endif  // PRECEDENT_TESTS_DIFFERENTIAL_SUBJECT_H_
