#include "tests/preemption_model/reference.h"

#include <algorithm>
#include <cmath>

namespace precedent::preemption_model {
namespace {

double MinRuntime(const v1::PreemptionPolicy& policy) {
  return policy.has_min_runtime_seconds() ? static_cast<double>(policy.min_runtime_seconds())
                                          : 1800;
}

double Restart(const v1::PreemptionPolicy& policy) {
  return policy.has_restart_seconds() ? static_cast<double>(policy.restart_seconds()) : 60;
}

int Gap(const v1::PreemptionPolicy& policy) { return policy.gap() == 0 ? 1 : policy.gap(); }

double Window(const v1::DisruptionBudget& budget) {
  return budget.window_seconds() == 0 ? 3600 : static_cast<double>(budget.window_seconds());
}

bool StartsWith(const std::string& text, const std::string& start) {
  return text.compare(0, start.size(), start) == 0;
}

template <typename Labels>
bool Has(const Labels& labels, const google::protobuf::Map<std::string, std::string>& wanted) {
  for (const auto& [key, value] : wanted) {
    const auto found = labels.find(key);
    if (found == labels.end() || found->second != value) return false;
  }
  return true;
}

// Of a job or of an eviction.
template <typename Message>
bool Selects(const v1::DisruptionBudget& budget, const Message& message) {
  return (budget.priority_class().empty() || budget.priority_class() == message.priority_class()) &&
         Has(message.labels(), budget.match_labels());
}

int DevicesOf(const v1::ClusterPod& pod) { return static_cast<int>(pod.gpu_milli() / 1000); }

}  // namespace

double Seconds(const google::protobuf::Timestamp& time) {
  return static_cast<double>(time.seconds()) + 1e-9 * time.nanos();
}

int Room::Spare(int node) const {
  const auto& devices = free[static_cast<std::size_t>(node)];
  return static_cast<int>(std::count(devices.begin(), devices.end(), 1000)) -
         floating[static_cast<std::size_t>(node)];
}

bool Room::Sound() const {
  for (std::size_t node = 0; node < free.size(); ++node) {
    if (Spare(static_cast<int>(node)) < 0) return false;
    for (const int device : free[node])
      if (device < 0) return false;
  }
  return true;
}

Reference::Reference(const v1::Cluster& cluster, const v1::PreemptionPolicy& policy,
                     const v1::PlannerState& state, double now)
    : cluster_(cluster), policy_(policy), state_(state), now_(now) {
  for (const v1::ClusterJob& job : cluster_.jobs()) jobs_[job.id()] = &job;
  for (int i = 0; i < cluster_.nodes_size(); ++i) nodes_[cluster_.nodes(i).name()] = i;
}

bool Reference::Runs(const v1::ClusterJob& job) const {
  for (const v1::ClusterPod& pod : job.pods())
    if (pod.node().empty() || pod.stopping()) return false;
  return true;
}

bool Reference::Waits(const v1::ClusterJob& job) const {
  for (const v1::ClusterPod& pod : job.pods())
    if (!pod.node().empty()) return false;
  return true;
}

std::vector<std::string> Reference::Waiting() const {
  std::vector<const v1::ClusterJob*> all;
  for (const v1::ClusterJob& job : cluster_.jobs())
    if (Waits(job)) all.push_back(&job);
  std::sort(all.begin(), all.end(), [](const v1::ClusterJob* a, const v1::ClusterJob* b) {
    if (a->priority() != b->priority()) return a->priority() > b->priority();
    const double left = Seconds(a->submitted()), right = Seconds(b->submitted());
    return left != right ? left < right : a->id() < b->id();
  });
  std::vector<std::string> ids;
  for (const v1::ClusterJob* job : all) ids.push_back(job->id());
  return ids;
}

bool Reference::Lower(const v1::ClusterJob& victim, const v1::ClusterJob& preemptor) const {
  if (victim.preemption_priority() > preemptor.preemption_priority() - Gap(policy_)) return false;
  const auto& order = cluster_.class_order();
  const auto mine = std::find(order.begin(), order.end(), preemptor.priority_class());
  const auto its = std::find(order.begin(), order.end(), victim.priority_class());
  if (mine != order.end() && its != order.end() && its <= mine) return false;
  if (StartsWith(victim.priority_class(), "system-")) return false;
  const auto& never = policy_.never_evict_classes();
  return std::find(never.begin(), never.end(), victim.priority_class()) == never.end();
}

bool Reference::Consents(const v1::ClusterJob& victim) const {
  const bool asked = policy_.only_preemptible() || victim.checkpoint_interval_seconds() == 0;
  return victim.preemptible() || !asked;
}

double Reference::LegalFrom(const v1::ClusterJob& victim) const {
  return Seconds(victim.started()) +
         std::max(MinRuntime(policy_), victim.checkpoint_interval_seconds() + Restart(policy_));
}

bool Reference::Fresh(const v1::ClusterJob& victim) const { return now_ < LegalFrom(victim); }

std::string Reference::WhyNotVictim(const v1::ClusterJob& victim,
                                    const v1::ClusterJob& preemptor) const {
  if (gone_.count(victim.id()) != 0) return "has left already";
  if (Waits(victim)) return "does not run";
  if (!Runs(victim)) return "does not run whole";
  if (preemptor.never_preempt_others()) return "is for one that must not evict";
  if (!Lower(victim, preemptor)) return "is not lower";
  if (!Consents(victim)) return "has not consented";
  if (Fresh(victim)) return "is too fresh";
  return "";
}

double Reference::Lost(const v1::ClusterJob& victim) const {
  double since = Seconds(victim.started());
  if (victim.has_last_checkpoint()) {
    since = std::max(since, Seconds(victim.last_checkpoint()));
  } else if (victim.checkpoint_interval_seconds() > 0) {
    const double interval = victim.checkpoint_interval_seconds();
    since += std::floor((now_ - since) / interval) * interval;
  }
  double gpus = 0;
  for (const v1::ClusterPod& pod : victim.pods())
    gpus += static_cast<double>(pod.gpu_milli()) / 1000;
  return std::max(0.0, now_ - since) * gpus;
}

double Reference::Cost(const v1::ClusterJob& victim) const {
  double gpus = 0;
  for (const v1::ClusterPod& pod : victim.pods())
    gpus += static_cast<double>(pod.gpu_milli()) / 1000;
  return (Lost(victim) + Restart(policy_) * gpus) * (1 + victim.evictions());
}

bool Reference::BudgetAllows(const std::vector<std::string>& victims) const {
  std::vector<const v1::ClusterJob*> taken;
  for (const std::string& id : gone_) taken.push_back(jobs_.at(id));
  for (const std::string& id : victims) taken.push_back(jobs_.at(id));
  for (const v1::DisruptionBudget& budget : policy_.budgets()) {
    int count = 0, mine = 0, running = 0;
    for (const auto& eviction : state_.evictions())
      count += Selects(budget, eviction) && now_ < Seconds(eviction.time()) + Window(budget);
    for (const v1::ClusterJob* job : taken) count += Selects(budget, *job);
    for (const std::string& id : victims) mine += Selects(budget, *jobs_.at(id));
    for (const v1::ClusterJob& job : cluster_.jobs()) running += Runs(job) && Selects(budget, job);
    const int limit =
        budget.limit_case() == v1::DisruptionBudget::kMaxDisrupted
            ? budget.max_disrupted()
            : static_cast<int>(std::floor(budget.max_disrupted_percent() * running / 100 + 1e-9));
    if (mine > 0 && count > limit) return false;
  }
  if (victims.empty()) return true;
  int minute = static_cast<int>(taken.size());
  for (const auto& eviction : state_.evictions()) minute += now_ < Seconds(eviction.time()) + 60;
  if (policy_.max_evictions_per_minute() > 0 && minute > policy_.max_evictions_per_minute())
    return false;
  if (policy_.max_evictions_per_node_per_minute() == 0) return true;
  const auto leaves = [](const v1::ClusterJob& job, const std::string& node) {
    return std::any_of(job.pods().begin(), job.pods().end(),
                       [&](const v1::ClusterPod& pod) { return pod.node() == node; });
  };
  for (const v1::Node& node : cluster_.nodes()) {
    int count = 0, mine = 0;
    for (const v1::ClusterJob* job : taken) count += leaves(*job, node.name());
    for (const std::string& id : victims) mine += leaves(*jobs_.at(id), node.name());
    for (const auto& eviction : state_.evictions()) {
      const auto& nodes = eviction.nodes();
      count += now_ < Seconds(eviction.time()) + 60 &&
               std::find(nodes.begin(), nodes.end(), node.name()) != nodes.end();
    }
    if (mine > 0 && count > policy_.max_evictions_per_node_per_minute()) return false;
  }
  return true;
}

bool Reference::MayRun(const v1::ClusterJob& job, int index) const {
  const v1::Node& node = cluster_.nodes(index);
  return !node.unschedulable() &&
         (job.accelerator().empty() || job.accelerator() == node.accelerator()) &&
         Has(node.labels(), job.node_selector());
}

Room Reference::EmptyRoom() const {
  Room room;
  for (const v1::Node& node : cluster_.nodes()) {
    room.free.emplace_back(static_cast<std::size_t>(node.gpus()), 1000);
    room.floating.push_back(0);
  }
  return room;
}

void Reference::Take(Room* room, const v1::ClusterPod& pod, int sign) const {
  const auto found = nodes_.find(pod.node());
  if (found == nodes_.end() || pod.gpu_milli() == 0) return;
  const auto node = static_cast<std::size_t>(found->second);
  if (pod.devices().empty()) {
    room->floating[node] += sign * DevicesOf(pod);
    return;
  }
  const int each = pod.gpu_milli() < 1000 ? static_cast<int>(pod.gpu_milli()) : 1000;
  for (const int device : pod.devices()) {
    // Out of range: nothing is sound any more.
    if (device < 0 || device >= static_cast<int>(room->free[node].size())) {
      room->floating[node] += 1000;
    } else {
      room->free[node][static_cast<std::size_t>(device)] -= sign * each;
    }
  }
}

void Reference::Take(Room* room, const v1::ClusterJob& holder,
                     const v1::PlannerState::Hold& hold) const {
  for (const v1::PodPlacement& held : hold.pods()) {
    for (v1::ClusterPod pod : holder.pods()) {
      if (pod.name() != held.pod()) continue;
      pod.set_node(held.node());
      *pod.mutable_devices() = held.devices();
      Take(room, pod, 1);
    }
  }
}

Room Reference::RoomFor(const v1::ClusterJob& job, const std::vector<std::string>& gone,
                        bool holds) const {
  Room room = EmptyRoom();
  std::set<std::string> left(gone_.begin(), gone_.end());
  left.insert(gone.begin(), gone.end());
  for (const auto& hold : state_.holds()) {
    if (Seconds(hold.until()) <= now_) continue;
    if (hold.job() == job.id()) left.insert(hold.victims().begin(), hold.victims().end());
    const auto holder = jobs_.find(hold.job());
    const bool over = over_.count(hold.job()) != 0 || hold.job() == job.id() ||
                      (holder != jobs_.end() &&
                       holder->second->preemption_priority() <=
                           job.preemption_priority() - Gap(policy_));
    if (over || !holds || holder == jobs_.end()) continue;
    left.insert(hold.victims().begin(), hold.victims().end());
    Take(&room, *holder->second, hold);
  }
  for (const v1::ClusterJob& other : cluster_.jobs()) {
    if (left.count(other.id()) != 0) continue;
    for (const v1::ClusterPod& pod : other.pods()) Take(&room, pod, 1);
  }
  for (const auto& [id, other] : placed_)
    for (const v1::ClusterPod& pod : other.pods()) Take(&room, pod, 1);
  return room;
}

bool Reference::FitsFrom(const std::vector<const v1::ClusterPod*>& pods, std::size_t first,
                         const v1::ClusterJob& job, Room* room) const {
  if (first == pods.size()) return true;
  const v1::ClusterPod& pod = *pods[first];
  for (int i = 0; i < cluster_.nodes_size(); ++i) {
    if (!MayRun(job, i)) continue;
    auto& devices = room->free[static_cast<std::size_t>(i)];
    if (pod.gpu_milli() == 0) {
      if (FitsFrom(pods, first + 1, job, room)) return true;
      continue;
    }
    if (pod.gpu_milli() >= 1000) {
      // Which of the wholly free ones does not matter: shares come later.
      if (room->Spare(i) < DevicesOf(pod)) continue;
      const auto before = devices;
      int wanted = DevicesOf(pod);
      for (int& device : devices)
        if (device == 1000 && wanted-- > 0) device = 0;
      if (FitsFrom(pods, first + 1, job, room)) return true;
      devices = before;
      continue;
    }
    std::set<int> tried;
    for (int& device : devices) {
      if (device < pod.gpu_milli() || (device == 1000 && room->Spare(i) < 1)) continue;
      if (!tried.insert(device).second) continue;
      device -= static_cast<int>(pod.gpu_milli());
      if (FitsFrom(pods, first + 1, job, room)) return true;
      device += static_cast<int>(pod.gpu_milli());
    }
  }
  return false;
}

bool Reference::Fits(const v1::ClusterJob& job, const Room& room) const {
  std::vector<const v1::ClusterPod*> pods;
  for (const v1::ClusterPod& pod : job.pods()) pods.push_back(&pod);
  std::stable_sort(pods.begin(), pods.end(),
                   [](const v1::ClusterPod* a, const v1::ClusterPod* b) {
                     return a->gpu_milli() > b->gpu_milli();
                   });
  Room copy = room;
  return FitsFrom(pods, 0, job, &copy);
}

std::vector<std::string> Reference::Victims(const v1::ClusterJob& job, unsigned rules) const {
  std::vector<std::string> ids;
  for (const v1::ClusterJob& victim : cluster_.jobs()) {
    if (gone_.count(victim.id()) != 0 || !Runs(victim) || !Lower(victim, job)) continue;
    if ((rules & kConsent) != 0 && !Consents(victim)) continue;
    if ((rules & kFresh) != 0 && Fresh(victim)) continue;
    ids.push_back(victim.id());
  }
  return ids;
}

bool Reference::Possible(const v1::ClusterJob& job, unsigned rules) const {
  const std::vector<std::string> victims = Victims(job, rules);
  const bool holds = (rules & kHolds) != 0;
  if (!Fits(job, RoomFor(job, victims, holds))) return false;
  if ((rules & kBudget) == 0) return true;
  for (std::uint32_t mask = 0; mask < 1u << victims.size(); ++mask) {
    std::vector<std::string> set;
    for (std::size_t i = 0; i < victims.size(); ++i)
      if ((mask >> i & 1) != 0) set.push_back(victims[i]);
    if (BudgetAllows(set) && Fits(job, RoomFor(job, set, holds))) return true;
  }
  return false;
}

std::optional<Best> Reference::Optimum(const std::string& id) const {
  const v1::ClusterJob& job = Job(id);
  if (Fits(job, RoomFor(job, {}, true))) return Best{0, {{}}};
  if (job.never_preempt_others()) return std::nullopt;
  const std::vector<std::string> victims = Victims(job, kConsent | kFresh);
  if (!Fits(job, RoomFor(job, victims, true))) return std::nullopt;
  std::vector<double> costs;
  for (const std::string& victim : victims) costs.push_back(Cost(Job(victim)));
  std::optional<Best> best;
  for (std::uint32_t mask = 1; mask < 1u << victims.size(); ++mask) {
    std::vector<std::string> set;
    double cost = 0;
    for (std::size_t i = 0; i < victims.size(); ++i) {
      if ((mask >> i & 1) == 0) continue;
      set.push_back(victims[i]);
      cost += costs[i];
    }
    if (best.has_value() && (cost > best->cost + 1e-6 ||
                             (cost > best->cost - 1e-6 && set.size() > best->sets[0].size()))) {
      continue;
    }
    if (!BudgetAllows(set) || !Fits(job, RoomFor(job, set, true))) continue;
    std::sort(set.begin(), set.end());
    if (best.has_value() && cost > best->cost - 1e-6 && set.size() == best->sets[0].size()) {
      best->sets.push_back(set);
    } else {
      best = Best{cost, {set}};
    }
  }
  return best;
}

std::set<v1::Unplaced::Reason> Reference::Reasons(const std::string& id) const {
  const v1::ClusterJob& job = Job(id);
  if (!Fits(job, EmptyRoom())) return {v1::Unplaced::TOO_LARGE};
  std::set<v1::Unplaced::Reason> reasons;
  if (job.never_preempt_others()) {
    reasons.insert(v1::Unplaced::NEVER_PREEMPTS);
    if (Fits(job, RoomFor(job, {}, false))) reasons.insert(v1::Unplaced::HELD);
    return reasons;
  }
  if (!Possible(job, kHolds) && !Fits(job, RoomFor(job, {}, false)))
    reasons.insert(v1::Unplaced::NO_LOWER);
  // A rule is a reason if with some of the others there is a way, and with it none.
  const std::pair<Rule, v1::Unplaced::Reason> rules[] = {{kConsent, v1::Unplaced::NO_CONSENT},
                                                         {kFresh, v1::Unplaced::TOO_FRESH},
                                                         {kBudget, v1::Unplaced::BUDGET},
                                                         {kHolds, v1::Unplaced::HELD}};
  for (unsigned others = 0; others <= kAll; ++others) {
    if (!Possible(job, others)) continue;
    for (const auto& [rule, reason] : rules) {
      if ((others & rule) != 0 || reasons.count(reason) != 0) continue;
      if (!Possible(job, others | rule)) reasons.insert(reason);
    }
  }
  // Others of this plan have it, or have only just left it.
  bool stopping = false;
  for (const v1::ClusterJob& other : cluster_.jobs())
    for (const v1::ClusterPod& pod : other.pods()) stopping = stopping || pod.stopping();
  if (reasons.count(v1::Unplaced::NO_LOWER) != 0 && (stopping || !placed_.empty()))
    reasons.insert(v1::Unplaced::HELD);
  return reasons;
}

std::string Reference::Apply(const v1::Placement& placement) {
  if (jobs_.count(placement.job()) == 0) return "places a job that is not known";
  const v1::ClusterJob& job = Job(placement.job());
  if (!Waits(job)) return "places a job that runs";
  if (placed_.count(job.id()) != 0) return "places a job twice";
  if (placement.pods_size() != job.pods_size()) return "does not place all pods";
  std::vector<std::string> victims;
  double cost = 0;
  std::string last;
  for (const v1::Victim& victim : placement.victims()) {
    if (jobs_.count(victim.job()) == 0) return "evicts a job that is not known";
    const v1::ClusterJob& its = Job(victim.job());
    if (const std::string why = WhyNotVictim(its, job); !why.empty())
      return "victim " + victim.job() + " " + why;
    if (victim.job() <= last) return "victims are not sorted by id";
    last = victim.job();
    if (std::abs(victim.lost_gpu_seconds() - Lost(its)) > 1e-6)
      return "victim " + victim.job() + " loses " + std::to_string(Lost(its)) + " and not " +
             std::to_string(victim.lost_gpu_seconds());
    if (std::abs(victim.cost_gpu_seconds() - Cost(its)) > 1e-6)
      return "victim " + victim.job() + " costs " + std::to_string(Cost(its)) + " and not " +
             std::to_string(victim.cost_gpu_seconds());
    if (victim.reason().empty()) return "victim without a reason";
    cost += victim.cost_gpu_seconds();
    victims.push_back(victim.job());
  }
  if (std::abs(cost - placement.cost_gpu_seconds()) > 1e-6) return "the cost is not the sum";
  if (!BudgetAllows(victims)) return "breaks a budget or rate";
  v1::ClusterJob placed = job;
  for (int i = 0; i < job.pods_size(); ++i) {
    const v1::PodPlacement& at = placement.pods(i);
    v1::ClusterPod& pod = *placed.mutable_pods(i);
    if (at.pod() != pod.name()) return "pods are not in the job's order";
    const auto node = nodes_.find(at.node());
    if (node == nodes_.end()) return "a pod is on a node that is not known";
    if (!MayRun(job, node->second)) return "a pod is on a node where it must not run";
    const int wanted = pod.gpu_milli() == 0 ? 0 : std::max(1, DevicesOf(pod));
    if (std::set<int>(at.devices().begin(), at.devices().end()).size() !=
            static_cast<std::size_t>(wanted) || at.devices_size() != wanted) {
      return "a pod has too few or too many devices";
    }
    pod.set_node(at.node());
    *pod.mutable_devices() = at.devices();
  }
  Room room = RoomFor(job, victims, true);
  for (const v1::ClusterPod& pod : placed.pods()) Take(&room, pod, 1);
  if (!room.Sound()) return "uses room that is not free";
  gone_.insert(victims.begin(), victims.end());
  placed_[job.id()] = placed;
  over_.insert(job.id());
  // Room that was held for others, and that they cannot have any more.
  for (const auto& hold : state_.holds()) {
    const auto holder = jobs_.find(hold.job());
    if (holder == jobs_.end() || over_.count(hold.job()) != 0) continue;
    Room left = RoomFor(*holder->second, {}, true);
    Take(&left, *holder->second, hold);
    if (!left.Sound()) over_.insert(hold.job());
  }
  return "";
}

std::optional<double> Reference::PlaceableFrom(const std::string& id) const {
  std::set<double> times;
  for (const v1::ClusterJob& job : cluster_.jobs())
    if (Runs(job)) times.insert(LegalFrom(job));
  for (const auto& hold : state_.holds()) times.insert(Seconds(hold.until()));
  for (const auto& eviction : state_.evictions()) {
    times.insert(Seconds(eviction.time()) + 60);
    for (const v1::DisruptionBudget& budget : policy_.budgets())
      times.insert(Seconds(eviction.time()) + Window(budget));
  }
  for (const double time : times) {
    if (time <= now_) continue;
    if (Reference(cluster_, policy_, state_, time).Placeable(id)) return time;
  }
  return std::nullopt;
}

}  // namespace precedent::preemption_model
