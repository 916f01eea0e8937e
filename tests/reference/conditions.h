// Whether conditions hold, read off the messages one field after the other.
#ifndef PRECEDENT_TESTS_REFERENCE_CONDITIONS_H_
#define PRECEDENT_TESTS_REFERENCE_CONDITIONS_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "precedent/v1/policy.pb.h"
#include "re2/re2.h"
#include "tests/reference/clock.h"
#include "tests/reference/job.h"

namespace precedent::reference {

// Bounds on a number; `nullopt` is absent.
bool NumberHolds(const v1::NumberMatch& match, std::optional<double> number);

// from <= now < until, where timestamps have nanoseconds.
bool IsActive(const v1::Rule& rule, std::int64_t now);

// A number that is not set, or NaN, is absent.
std::optional<double> Number(bool has, double value);
// The first entry of that name counts.
std::optional<double> MetricOf(const Job& job, const std::string& name);
std::optional<std::string> LabelOf(const Job& job, const std::string& key);

class Conditions {
 public:
  explicit Conditions(const v1::Policy& policy);

  bool TextHolds(const v1::TextMatch& match, const std::optional<std::string>& text) const;

  // All constraints of the Match but those on wait, hour and day. `job` has lost
  // its unverified claims already.
  bool TimelessHolds(const v1::Match& match, const Job& job) const;
  // Those on wait, hour and day.
  bool TimedHolds(const v1::Match& match, const Job& job, std::int64_t now) const;
  // The rule is active and any of its Matches holds.
  bool RuleHolds(const v1::Rule& rule, const Job& job, std::int64_t now) const;

  const Zone& zone() const { return zone_; }

 private:
  void AddPatterns(const v1::TextMatch& match);

  const v1::Policy& policy_;
  const Zone& zone_;
  std::map<std::string, std::unique_ptr<const RE2>> patterns_;
};

}  // namespace precedent::reference

#endif  // PRECEDENT_TESTS_REFERENCE_CONDITIONS_H_
