// IssueSink: collects issues, with a bound on how many.
#ifndef PRECEDENT_SRC_POLICY_ISSUE_SINK_H_
#define PRECEDENT_SRC_POLICY_ISSUE_SINK_H_

#include <array>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "precedent/issue.h"

namespace precedent::internal {

// A policy of a million rules with one mistake in each would otherwise cost more
// memory for its issues than for itself. Errors never push out one another's first:
// each severity is counted on its own.
class IssueSink {
 public:
  static constexpr std::size_t kMost = 1000;

  explicit IssueSink(std::vector<Issue>* issues) : issues_(issues) {}

  void Add(Issue issue) {
    std::size_t& count = counts_[static_cast<std::size_t>(issue.severity)];
    if (++count > kMost + 1) return;
    if (count == kMost + 1) {
      Issue last;
      last.severity = issue.severity;
      last.message = "more than " + std::to_string(kMost) + " of these: the rest is not shown";
      issue = std::move(last);
    }
    issues_->push_back(std::move(issue));
  }

 private:
  std::vector<Issue>* issues_;
  std::array<std::size_t, 3> counts_{};
};

}  // namespace precedent::internal

#endif  // PRECEDENT_SRC_POLICY_ISSUE_SINK_H_
