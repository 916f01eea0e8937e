// What preemption.h and cluster.proto say of small clusters, worked out by trying every
// set of victims and every place for every pod. Shares nothing with the planner, and
// knows nothing of its ways: only of what is allowed and what is best.
//
// Clusters are such that their meaning is beyond dispute: shares say on which device
// they are, whole devices may leave it open (then it does not matter which they are).
#ifndef PRECEDENT_TESTS_PREEMPTION_MODEL_REFERENCE_H_
#define PRECEDENT_TESTS_PREEMPTION_MODEL_REFERENCE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "precedent/v1/cluster.pb.h"

namespace precedent::preemption_model {

// Room by device in thousandths, node by node, and how many wholly free devices of a node
// belong to pods that did not say which are theirs.
struct Room {
  std::vector<std::vector<int>> free;
  std::vector<int> floating;

  int Spare(int node) const;  // wholly free devices that nobody needs
  bool Sound() const;         // nothing is used twice
};

struct Best {
  double cost = 0;
  // All sets of victims of that cost and of the fewest jobs; one empty set: free room.
  std::vector<std::vector<std::string>> sets;
};

// The state of a cluster while the jobs that wait are placed one after the other.
class Reference {
 public:
  Reference(const v1::Cluster& cluster, const v1::PreemptionPolicy& policy,
            const v1::PlannerState& state, double now);
  Reference(const Reference&) = delete;  // its parts point at each other
  Reference& operator=(const Reference&) = delete;

  // Jobs that wait, in the order in which they are placed.
  std::vector<std::string> Waiting() const;
  // Nothing: there is no way to place it.
  std::optional<Best> Optimum(const std::string& job) const;
  bool Placeable(const std::string& job) const { return Optimum(job).has_value(); }
  // Every reason that is true of a job that cannot be placed.
  std::set<v1::Unplaced::Reason> Reasons(const std::string& job) const;
  // What is wrong with it; empty: it is legal, and is carried out here.
  std::string Apply(const v1::Placement& placement);
  // The first time after now at which it can be placed though nothing happened.
  std::optional<double> PlaceableFrom(const std::string& job) const;

  // By the header's text; public for tests by hand.
  std::string WhyNotVictim(const v1::ClusterJob& victim, const v1::ClusterJob& preemptor) const;
  double Cost(const v1::ClusterJob& victim) const;
  double Lost(const v1::ClusterJob& victim) const;
  const v1::ClusterJob& Job(const std::string& id) const { return *jobs_.at(id); }

 private:
  enum Rule : unsigned { kConsent = 1, kFresh = 2, kBudget = 4, kHolds = 8, kAll = 15 };

  bool Runs(const v1::ClusterJob& job) const;
  bool Waits(const v1::ClusterJob& job) const;
  bool Lower(const v1::ClusterJob& victim, const v1::ClusterJob& preemptor) const;
  bool Consents(const v1::ClusterJob& victim) const;
  bool Fresh(const v1::ClusterJob& victim) const;
  double LegalFrom(const v1::ClusterJob& victim) const;
  bool BudgetAllows(const std::vector<std::string>& victims) const;
  bool MayRun(const v1::ClusterJob& job, int node) const;
  Room EmptyRoom() const;
  // Without the room of `gone`; holds of others count where `holds`.
  Room RoomFor(const v1::ClusterJob& job, const std::vector<std::string>& gone, bool holds) const;
  void Take(Room* room, const v1::ClusterPod& pod, int sign) const;
  void Take(Room* room, const v1::ClusterJob& holder, const v1::PlannerState::Hold& hold) const;
  bool Fits(const v1::ClusterJob& job, const Room& room) const;
  bool FitsFrom(const std::vector<const v1::ClusterPod*>& pods, std::size_t first,
                const v1::ClusterJob& job, Room* room) const;
  std::vector<std::string> Victims(const v1::ClusterJob& job, unsigned rules) const;
  bool Possible(const v1::ClusterJob& job, unsigned rules) const;

  v1::Cluster cluster_;
  v1::PreemptionPolicy policy_;
  v1::PlannerState state_;
  double now_;
  std::map<std::string, const v1::ClusterJob*> jobs_;
  std::map<std::string, int> nodes_;
  std::set<std::string> gone_;                       // victims of this plan
  std::map<std::string, v1::ClusterJob> placed_;     // by this plan, with nodes and devices
  std::set<std::string> over_;                       // jobs whose holds mean nothing any more
};

double Seconds(const google::protobuf::Timestamp& time);

}  // namespace precedent::preemption_model

#endif  // PRECEDENT_TESTS_PREEMPTION_MODEL_REFERENCE_H_
