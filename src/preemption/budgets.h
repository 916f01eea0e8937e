// Disruption budgets and rates: whom they select, and what is left of them.
#ifndef PRECEDENT_SRC_PREEMPTION_BUDGETS_H_
#define PRECEDENT_SRC_PREEMPTION_BUDGETS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "precedent/v1/cluster.pb.h"

namespace precedent::internal {

using Labels = google::protobuf::Map<std::string, std::string>;

// Budgets by what they ask for, so that a cluster of hundreds (one for each Deployment)
// costs a job a few lookups.
class BudgetIndex {
 public:
  explicit BudgetIndex(const v1::PreemptionPolicy& policy);

  // The numbers of the budgets that select such a job, ascending.
  std::vector<int> Select(const std::string& priority_class, const Labels& labels) const;

 private:
  const v1::PreemptionPolicy& policy_;
  std::vector<int> any_;
  absl::flat_hash_map<std::string, std::vector<int>> by_class_;
  absl::flat_hash_map<std::string, std::vector<int>> by_label_;  // key, NUL, value
};

// An eviction that was carried out, as long as a window reaches it.
struct PastEviction {
  v1::PlannerState::Eviction message;
  std::vector<int> budgets;
};

std::int64_t WindowMicros(const v1::DisruptionBudget& budget);

class Fleet;

// What a plan may still take. Every budget and rate that is used up closes the jobs that
// it selects (`closed`), so that searches need not try them.
class BudgetBook {
 public:
  BudgetBook(const v1::PreemptionPolicy& policy, const Fleet& fleet,
             const std::vector<PastEviction>& evictions, std::int64_t now);

  // Whether it alone may be evicted. O(1).
  bool Open(int job) const { return closed_[static_cast<std::size_t>(job)] == 0; }
  // Whether they may be evicted together. O(victims x (their budgets + nodes)).
  template <typename Victims>
  bool Allows(const Victims& victims) const {
    return Obstacle(victims.data(), victims.size()).empty();
  }
  // What forbids it, for people: `budget "x": 2 of 2 are away`. Empty: nothing.
  std::string Obstacle(const int* victims, std::size_t count) const;
  // Whether anything can forbid an eviction at all.
  bool limits() const { return limits_exist_; }

  // 1: it is evicted; -1: that was undone.
  void Charge(int job, int sign);
  // Changes with every Charge.
  std::uint64_t generation() const { return generation_; }
  // Changes where one that was closed is open again.
  std::uint64_t reopened() const { return reopened_; }

 private:
  void Close(int job, int by) {
    closed_[static_cast<std::size_t>(job)] += by;
    reopened_ += by < 0;
  }

  const v1::PreemptionPolicy& policy_;
  const Fleet& fleet_;
  std::vector<int> limit_, taken_;  // by budget
  std::vector<std::vector<int>> selected_;  // by budget: jobs that may leave
  int minute_ = 0;
  std::vector<int> node_minute_;  // by node
  std::vector<int> closed_;       // by job: by how many budgets and rates
  bool limits_exist_;
  std::uint64_t generation_ = 0, reopened_ = 0;
};

}  // namespace precedent::internal

#endif  // PRECEDENT_SRC_PREEMPTION_BUDGETS_H_
