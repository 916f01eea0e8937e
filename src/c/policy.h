// The handle of a policy.
#ifndef PRECEDENT_SRC_C_POLICY_H_
#define PRECEDENT_SRC_C_POLICY_H_

#include <cstddef>
#include <cstdint>

#include "precedent/c.h"
#include "precedent/policy.h"
#include "src/c/handle.h"

namespace precedent::c {

// What of a job the rules of a policy look at, and so what has to be looked through before
// an evaluation.
struct TextsRead {
  explicit TextsRead(const v1::Policy& policy);

  bool Reads(std::size_t text) const noexcept;

  // Where built-in texts stand, in bytes from `team` of a precedent_job.
  std::uint16_t built_in[10];
  std::uint32_t built_in_count = 0;
  bool labels = false;
  bool metrics = false;
};

}  // namespace precedent::c

// Copies share everything and have the same id, so a live policy is a copy.
struct precedent_policy {
  static constexpr precedent::c::Kind kKind = precedent::c::kPolicyKind;

  explicit precedent_policy(precedent::CompiledPolicy policy);
  const precedent::Evaluator& evaluator() const noexcept { return compiled.evaluator(); }

  precedent::c::Kind kind = kKind;
  std::uint64_t id;  // no other policy of the process has it; never 0
  precedent::c::TextsRead read;
  precedent::CompiledPolicy compiled;
};

#endif  // PRECEDENT_SRC_C_POLICY_H_
