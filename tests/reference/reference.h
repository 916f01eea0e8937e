// The reference interpreter: what a policy decides, read off the message rule by
// rule. Slow and literal on purpose; shares no code with the library but the
// generated messages, so that agreement of the two means something.
#ifndef PRECEDENT_TESTS_REFERENCE_REFERENCE_H_
#define PRECEDENT_TESTS_REFERENCE_REFERENCE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "precedent/v1/decision.pb.h"
#include "precedent/v1/policy.pb.h"
#include "tests/reference/conditions.h"
#include "tests/reference/job.h"

namespace precedent::reference {

struct Outcome {
  std::int32_t priority = 0;
  std::int32_t preemption_priority = 0;
  std::string priority_class;
  v1::Reason reason = v1::DERIVED;
  v1::Verdict verdict = v1::ALLOW;
  bool preemptible = false;
  bool never_preempt_others = false;
  std::int32_t limit_runtime_seconds = 0;
  std::string share_identifier;
  std::string denial;
  std::map<std::string, std::string> annotations;
  std::vector<std::string> warnings;
  std::vector<std::string> rules;           // ids of the applied rules
  std::vector<std::uint32_t> rule_indexes;  // the same, counted over all stages
  std::uint32_t ignored_claims = 0;         // bit 1 << v1::Attribute
  std::optional<std::int64_t> valid_until_us;
};

class Reference {
 public:
  // REQUIRES: a policy that compiles; it must outlive this.
  explicit Reference(const v1::Policy& policy) : policy_(policy), conditions_(policy) {}

  Outcome Decide(const Job& job, std::int64_t now_us) const;

 private:
  Outcome Fallback() const;
  std::string ClassOf(std::int32_t preemption_priority) const;
  std::int32_t Bounded(std::int64_t score) const;

  const v1::Policy& policy_;
  Conditions conditions_;
};

// False for a value that no job can have.
bool IsValid(const Job& job);

// `job` without the values that were claimed and that the policy wants verified;
// `*ignored` gets the attributes that had one.
Job WithoutUnverified(const v1::Policy& policy, const Job& job, std::uint32_t* ignored);

}  // namespace precedent::reference

#endif  // PRECEDENT_TESTS_REFERENCE_REFERENCE_H_
