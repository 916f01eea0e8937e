// Explain: the whole story of one decision, for programs and for people.
//
// Target precedent::compiler. Not for the hot path: it interprets the policy's
// message, allocates and formats. Its decision is the evaluator's own.
#ifndef PRECEDENT_EXPLAIN_H_
#define PRECEDENT_EXPLAIN_H_

#include <cstdint>
#include <string>
#include <vector>

#include "precedent/decision.h"
#include "precedent/evaluator.h"
#include "precedent/job_descriptor.h"
#include "precedent/policy.h"

namespace precedent {

// One attribute of the job, as a rule saw it.
struct SeenValue {
  std::string attribute;  // as in a Match: `gpu_count`, `lineage.failure_count`, `labels["tier"]`
  std::string value;      // texts in backticks, or `absent`
};

// The first constraint of a Match that did not hold.
struct UnmetConstraint {
  std::string path;    // `when[1].gpu_count`; `active_from` and `active_until` for a rule out of its time
  std::string wanted;  // `above 4`
  std::string seen;    // `2`
};

struct RuleStory {
  enum class Fate {
    kApplied,
    kNoMatch,     // `unmet` says why, one entry for each Match
    kStageEnded,  // an earlier rule of its FIRST_MATCH stage applied
    kFinal,       // an earlier rule with `final` applied
  };
  std::string id;
  Fate fate = Fate::kNoMatch;
  std::vector<SeenValue> seen;         // applied: what the Match that held looked at
  std::vector<UnmetConstraint> unmet;  // kNoMatch
  // Applied rules only. What it did: `add 200`, `add -30 (lineage.failure_count 3)`,
  // `final`, `deny`, ...
  std::vector<std::string> effects;
  // Scores around it, of all rules and without order_only rules, not clamped.
  std::int64_t before = 0, after = 0;
  std::int64_t preemption_before = 0, preemption_after = 0;
};

struct StageStory {
  std::string name;
  bool first_match = false;
  std::vector<RuleStory> rules;
};

struct Explanation {
  Decision decision;  // borrows from `evaluator`
  Evaluator evaluator;
  std::vector<StageStory> stages;  // none for an invalid job
  std::int64_t score = 0;          // before the clamp to bounds
  std::int64_t preemption_score = 0;
  std::int32_t bounds_min = 0, bounds_max = 0;
  bool class_forced = false;       // by a rule; otherwise by preemption_priority
};

// Why `policy` decides about `job` at `now` as it does. Thread-safe. Linear in the
// policy.
Explanation Explain(const CompiledPolicy& policy, const JobDescriptor& job, TimePoint now);

// The explanation as lines of text, each ended by a line break. `all` also lists
// the rules that did not apply.
std::string FormatExplanation(const Explanation& explanation, bool all = true);

}  // namespace precedent

#endif  // PRECEDENT_EXPLAIN_H_
