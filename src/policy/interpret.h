// Interprets one Match of a policy's message, for explanations: slow, and able to
// say which constraint failed on which value.
#ifndef PRECEDENT_SRC_POLICY_INTERPRET_H_
#define PRECEDENT_SRC_POLICY_INTERPRET_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "precedent/explain.h"
#include "precedent/job_descriptor.h"
#include "precedent/v1/policy.pb.h"
#include "src/policy/lowered_text.h"

namespace precedent::internal {

// A job and a time, as the rules of one policy see them.
struct Subject {
  JobDescriptor job;  // without claims that the policy does not accept
  TimePoint now;
  double wait_seconds = kAbsent;
  double hour_of_day = 0;
  double day_of_week = 1;
  ValueSets sets;
};

Subject MakeSubject(const v1::Policy& policy, const JobDescriptor& job, TimePoint now);

// The value of a number that a ScaledAdd names, and its name.
double ScaledSource(const Subject& subject, const v1::ScaledAdd& scaled, std::string* name);

// The first constraint of `match` that does not hold, its path below the Match; or
// nothing, and everything that the Match looked at appended to `*seen`.
std::optional<UnmetConstraint> FirstUnmet(const Subject& subject, const v1::Match& match,
                                          std::vector<SeenValue>* seen);

// `3`, `0.5`, `1e+20`: the shortest text that reads back as the number; `absent`.
std::string NumberText(double number);

}  // namespace precedent::internal

#endif  // PRECEDENT_SRC_POLICY_INTERPRET_H_
