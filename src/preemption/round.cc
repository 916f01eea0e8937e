// The turn of each job that waits.
#include "src/preemption/round.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"

namespace precedent::internal {
namespace {

std::int64_t Window(const v1::DisruptionBudget& budget) {
  return (budget.window_seconds() == 0 ? 3600 : budget.window_seconds()) * kSecond;
}

}  // namespace

Round::Round(const PlannerData& data, std::int64_t now) : data_(data), now_(now) {
  const v1::PreemptionPolicy& policy = data.policy;
  gap_ = policy.gap() == 0 ? 1 : policy.gap();
  min_runtime_ = (policy.has_min_runtime_seconds() ? policy.min_runtime_seconds() : 1800) * kSecond;
  restart_ = policy.has_restart_seconds() ? policy.restart_seconds() : 60;
  for (const auto& [name, node] : data.nodes) {
    node_index_[name] = static_cast<int>(nodes_.size());
    RoundNode here;
    here.message = &node;
    here.free.assign(static_cast<std::size_t>(node.gpus()), 1000);
    here.occupants.resize(here.free.size());
    nodes_.push_back(std::move(here));
  }
  AddJobs();
  AddRunning();
  AddHolds();
  taken_.assign(static_cast<std::size_t>(policy.budgets_size()), 0);
  for (int b = 0; b < policy.budgets_size(); ++b) {
    const v1::DisruptionBudget& budget = policy.budgets(b);
    int running = 0;
    if (budget.limit_case() == v1::DisruptionBudget::kMaxDisruptedPercent)
      for (const RoundJob& job : jobs_)
        running +=
            job.runs && BudgetSelects(budget, job.message->priority_class(), job.message->labels());
    limits_.push_back(
        budget.limit_case() == v1::DisruptionBudget::kMaxDisrupted
            ? budget.max_disrupted()
            : static_cast<int>(std::floor(budget.max_disrupted_percent() * running / 100 + 1e-9)));
    for (const auto& eviction : data.evictions)
      taken_[static_cast<std::size_t>(b)] +=
          now_ < Micros(eviction.time()) + Window(budget) &&
          BudgetSelects(budget, eviction.priority_class(), eviction.labels());
  }
  for (const auto& eviction : data.evictions) {
    if (now_ >= Micros(eviction.time()) + 60 * kSecond) continue;
    ++minute_;
    const std::set<std::string> names(eviction.nodes().begin(), eviction.nodes().end());
    for (const std::string& node : names) ++node_minute_[node];
  }
}

bool Round::Lower(const RoundJob& victim, const RoundJob& preemptor) const {
  if (victim.message->preemption_priority() > preemptor.message->preemption_priority() - gap_)
    return false;
  return victim.rank < 0 || preemptor.rank < 0 || victim.rank > preemptor.rank;
}

bool Round::MayEvict(const RoundJob& victim, const RoundJob& preemptor, unsigned rules) const {
  return victim.may_leave && !victim.gone && !preemptor.message->never_preempt_others() &&
         ((rules & kConsent) == 0 || victim.consents) && ((rules & kFresh) == 0 || !victim.fresh) &&
         Lower(victim, preemptor);
}

bool Round::MayRun(const RoundJob& job, const RoundNode& node) const {
  if (node.message->unschedulable() || node.broken) return false;
  const v1::ClusterJob& message = *job.message;
  if (!message.accelerator().empty() && message.accelerator() != node.message->accelerator())
    return false;
  for (const auto& [key, value] : message.node_selector()) {
    const auto found = node.message->labels().find(key);
    if (found == node.message->labels().end() || found->second != value) return false;
  }
  return true;
}

bool Round::BudgetAllows(const std::vector<int>& victims) const {
  if (victims.empty()) return true;
  const v1::PreemptionPolicy& policy = data_.policy;
  for (int b = 0; b < policy.budgets_size(); ++b) {
    int mine = 0;
    for (const int victim : victims)
      mine += BudgetSelects(policy.budgets(b), jobs_[victim].message->priority_class(),
                            jobs_[victim].message->labels());
    if (mine > 0 &&
        taken_[static_cast<std::size_t>(b)] + mine > limits_[static_cast<std::size_t>(b)])
      return false;
  }
  if (policy.max_evictions_per_minute() > 0 &&
      minute_ + static_cast<int>(victims.size()) > policy.max_evictions_per_minute())
    return false;
  if (policy.max_evictions_per_node_per_minute() == 0) return true;
  std::map<std::string, int> leaving;
  for (const int victim : victims) {
    std::set<std::string> names;
    for (const v1::ClusterPod& pod : jobs_[victim].message->pods()) names.insert(pod.node());
    for (const std::string& name : names) ++leaving[name];
  }
  for (const auto& [name, count] : leaving) {
    const auto found = node_minute_.find(name);
    if (count + (found == node_minute_.end() ? 0 : found->second) >
        policy.max_evictions_per_node_per_minute())
      return false;
  }
  return true;
}

void Round::Wake(std::int64_t when) {
  if (when > now_) wake_ = std::min(wake_, when);
}

v1::PreemptionPlan Round::Run() {
  std::vector<int> order;
  for (int j = 0; j < static_cast<int>(jobs_.size()); ++j)
    if (jobs_[j].waits || jobs_[j].half) order.push_back(j);
  std::sort(order.begin(), order.end(), [&](int a, int b) {
    const v1::ClusterJob &left = *jobs_[a].message, &right = *jobs_[b].message;
    if (left.priority() != right.priority()) return left.priority() > right.priority();
    const std::int64_t first = Micros(left.submitted()), second = Micros(right.submitted());
    return first != second ? first < second : a < b;
  });
  for (const int job : order) Place(job);
  if (plan_.unplaced_size() > 0) {
    for (const auto& eviction : data_.evictions) {
      Wake(Micros(eviction.time()) + 60 * kSecond);
      for (const v1::DisruptionBudget& budget : data_.policy.budgets())
        if (BudgetSelects(budget, eviction.priority_class(), eviction.labels()))
          Wake(Micros(eviction.time()) + Window(budget));
    }
    for (const RoundJob& job : jobs_)
      if (job.may_leave && job.consents && !job.gone && job.fresh) Wake(job.legal_from);
  }
  if (wake_ != INT64_MAX) *plan_.mutable_next_wake() = ToTimestamp(wake_);
  return std::move(plan_);
}

void Round::Place(int index) {
  const RoundJob& job = jobs_[index];
  if (job.half) {
    v1::Unplaced* const unplaced = plan_.add_unplaced();
    unplaced->set_job(job.message->id());
    unplaced->set_reason(v1::Unplaced::GANG_HALF);
    unplaced->set_text("some of its pods run and others do not: it is neither placed nor evicted");
    return;
  }
  std::vector<int> opened;
  OpenHolds(index, &opened);
  // Room of victims that still stop is open to those for whom its hold is.
  std::map<std::pair<int, int>, int> leaving;
  for (const int h : opened) {
    SetHold(h, -1);
    for (const int victim : holds_[static_cast<std::size_t>(h)].victims)
      for (const auto& [node, device] : jobs_[victim].places)
        for (const Occupant& occupant : nodes_[node].occupants[static_cast<std::size_t>(device)])
          if (occupant.job == victim) leaving[{node, device}] += occupant.milli;
  }
  for (const auto& [place, milli] : leaving) {
    nodes_[place.first].free[static_cast<std::size_t>(place.second)] += milli;
    ++nodes_[place.first].version;
  }
  // Its own held room first, where it is still free.
  std::vector<Spot> spots;
  Choice choice;
  const bool one = job.message->pods_size() == 1;
  for (const int h : opened) {
    const RoundHold& hold = holds_[static_cast<std::size_t>(h)];
    if (hold.holder != index) continue;
    const v1::PlannerState::Hold& message = data_.holds.at(hold.job);
    std::vector<Spot> kept(static_cast<std::size_t>(job.message->pods_size()));
    std::map<std::pair<int, int>, int> wanted;
    bool sound = true;
    for (int p = 0; p < job.message->pods_size(); ++p) {
      const v1::ClusterPod& pod = job.message->pods(p);
      Spot& spot = kept[static_cast<std::size_t>(p)];
      for (const v1::PodPlacement& held : message.pods()) {
        const auto node = node_index_.find(held.node());
        if (held.pod() != pod.name() || node == node_index_.end()) continue;
        spot.node = node->second;
        spot.devices.assign(held.devices().begin(), held.devices().end());
      }
      const auto need = pod.gpu_milli() >= 1000 ? pod.gpu_milli() / 1000
                        : pod.gpu_milli() > 0   ? 1
                                                : 0;
      sound = sound && spot.node >= 0 && MayRun(job, nodes_[spot.node]) &&
              static_cast<std::int64_t>(spot.devices.size()) == need;
      if (!sound) break;
      for (const int device : spot.devices)
        wanted[{spot.node, device}] +=
            static_cast<int>(std::min<std::int64_t>(1000, pod.gpu_milli()));
    }
    for (const auto& [place, milli] : wanted)
      sound = sound && place.second < static_cast<int>(nodes_[place.first].free.size()) &&
              nodes_[place.first].free[static_cast<std::size_t>(place.second)] +
                      StillStopping(place.first, place.second, opened) >=
                  milli;
    if (sound) {
      choice = Make({});
      spots = std::move(kept);
    }
  }
  if (!choice.found) {
    choice = one ? Single(index) : Fits(job, Room({}), &spots) ? Make({}) : Gang(index);
    if (choice.found && spots.empty() && !one && !Fits(job, Room(choice.victims), &spots))
      choice = Choice();
    if (choice.found && spots.empty()) {
      // The fullest node on which it fits, of those that the victims leave.
      Spot best;
      int least = INT32_MAX;
      const std::int64_t milli = job.message->pods(0).gpu_milli();
      std::map<std::pair<int, int>, int> extra;
      for (const int victim : choice.victims)
        for (const auto& [node, device] : jobs_[victim].places)
          for (const Occupant& occupant : nodes_[node].occupants[static_cast<std::size_t>(device)])
            if (occupant.job == victim) extra[{node, device}] += occupant.milli;
      for (int n = 0; n < static_cast<int>(nodes_.size()); ++n) {
        if (!choice.victims.empty()) {
          const auto near = extra.lower_bound({n, 0});
          if (near == extra.end() || near->first.first != n) continue;
        }
        if (!MayRun(job, nodes_[n])) continue;
        std::vector<int> free = nodes_[n].free;
        for (auto it = extra.lower_bound({n, 0}); it != extra.end() && it->first.first == n; ++it)
          free[static_cast<std::size_t>(it->first.second)] += it->second;
        Spot spot{n, {}};
        int room = 0, fullest = -1;
        for (std::size_t d = 0; d < free.size(); ++d) {
          room += free[d];
          if (milli >= 1000 && free[d] == 1000 &&
              static_cast<std::int64_t>(spot.devices.size()) < milli / 1000)
            spot.devices.push_back(static_cast<int>(d));
          if (milli < 1000 && free[d] >= milli &&
              (fullest < 0 || free[d] < free[static_cast<std::size_t>(fullest)]))
            fullest = static_cast<int>(d);
        }
        if (milli > 0 && milli < 1000 && fullest >= 0) spot.devices = {fullest};
        const std::int64_t need = milli >= 1000 ? milli / 1000 : milli > 0 ? 1 : 0;
        if (static_cast<std::int64_t>(spot.devices.size()) != need || room >= least) continue;
        least = room;
        best = std::move(spot);
      }
      if (best.node < 0) {
        choice = Choice();
      } else {
        spots = {best};
      }
    }
  }
  if (choice.found) {
    Take(index, choice, spots);
  } else {
    Refuse(index);
  }
  // What is left of the room of those who stop is theirs again.
  for (const auto& [place, milli] : leaving) {
    nodes_[place.first].free[static_cast<std::size_t>(place.second)] -= milli;
    ++nodes_[place.first].version;
  }
  // A hold ends when its job has had its turn, and where the new one took of its room.
  for (const int h : opened) {
    RoundHold& hold = holds_[static_cast<std::size_t>(h)];
    hold.over = hold.holder == index;
    if (!hold.over) CloseHold(h);
  }
}

void Round::Take(int index, const Choice& choice, const std::vector<Spot>& spots) {
  const RoundJob& job = jobs_[index];
  v1::Placement* const placement = plan_.add_placements();
  placement->set_job(job.message->id());
  placement->set_cost_gpu_seconds(choice.cost);
  for (const int v : choice.victims) {
    RoundJob& victim = jobs_[v];
    v1::Victim* const out = placement->add_victims();
    out->set_job(victim.message->id());
    out->set_cost_gpu_seconds(victim.cost);
    out->set_lost_gpu_seconds(victim.lost);
    out->set_reason(absl::StrCat("makes room for `", job.called(), "`: preemption priority ",
                                 victim.message->preemption_priority(), " against ",
                                 job.message->preemption_priority(), ", loses ", victim.lost,
                                 " GPU-seconds"));
    victim.gone = true;
    Vacate(v);
    ++minute_;
    std::set<std::string> names;
    for (const v1::ClusterPod& pod : victim.message->pods()) names.insert(pod.node());
    for (const std::string& name : names) ++node_minute_[name];
    for (int b = 0; b < data_.policy.budgets_size(); ++b)
      taken_[static_cast<std::size_t>(b)] += BudgetSelects(
          data_.policy.budgets(b), victim.message->priority_class(), victim.message->labels());
  }
  for (int p = 0; p < job.message->pods_size(); ++p) {
    const Spot& spot = spots[static_cast<std::size_t>(p)];
    v1::PodPlacement* const out = placement->add_pods();
    out->set_pod(job.message->pods(p).name());
    out->set_node(nodes_[spot.node].message->name());
    for (const int device : spot.devices) {
      out->add_devices(device);
      nodes_[spot.node].free[static_cast<std::size_t>(device)] -=
          static_cast<int>(std::min<std::int64_t>(1000, job.message->pods(p).gpu_milli()));
    }
    ++nodes_[spot.node].version;
  }
}

}  // namespace precedent::internal
