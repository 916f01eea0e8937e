// Whether the random pairs reach what they are to reach.
#ifndef PRECEDENT_TESTS_DIFFERENTIAL_STATISTICS_H_
#define PRECEDENT_TESTS_DIFFERENTIAL_STATISTICS_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "precedent/v1/policy.pb.h"
#include "tests/reference/reference.h"

namespace precedent::differential {

class Statistics {
 public:
  void BeginPolicy(const v1::Policy& policy, bool lock_free);
  void Add(const reference::Outcome& outcome);
  void EndPolicy();

  std::uint64_t pairs() const { return counts_.at("pairs"); }
  std::uint64_t count(const std::string& what) const;
  // Share of the pairs, or of the policies for what counts policies.
  double PerPair(const std::string& what) const;
  double PerPolicy(const std::string& what) const;
  std::string ToText() const;

 private:
  std::map<std::string, std::uint64_t> counts_{{"pairs", 0}, {"policies", 0}};
  // Of the current policy.
  std::vector<const v1::Rule*> rules_;
  std::vector<char> applied_;
  // By rule: where in counts_ its effects are counted.
  std::vector<std::vector<std::uint64_t*>> effects_;
};

}  // namespace precedent::differential

#endif  // PRECEDENT_TESTS_DIFFERENTIAL_STATISTICS_H_
