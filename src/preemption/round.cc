// The cluster as a plan sees it, and the turn of each job that waits.
#include "src/preemption/round.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace precedent::internal {
namespace {

constexpr std::int64_t kSecond = 1'000'000;

// A grid on which sums are exact: their order does not matter.
double Exact(double value) { return std::round(value * 1048576.0) / 1048576.0; }

std::int64_t Window(const v1::DisruptionBudget& budget) {
  return (budget.window_seconds() == 0 ? 3600 : budget.window_seconds()) * kSecond;
}

// For people.
const std::string& Called(const RoundJob& job) {
  return job.message->name().empty() ? job.message->id() : job.message->name();
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

void Round::AddJobs() {
  const auto& never = data_.policy.never_evict_classes();
  for (const auto& [id, message] : data_.jobs) {
    RoundJob job;
    job.message = &message;
    int placed = 0, stopping = 0;
    double gpus = 0;
    for (const v1::ClusterPod& pod : message.pods()) {
      placed += !pod.node().empty();
      stopping += pod.stopping();
      gpus += static_cast<double>(pod.gpu_milli()) / 1000;
    }
    job.waits = placed == 0;
    job.half = placed != 0 && placed != message.pods_size();
    job.stops = stopping > 0;
    job.runs = placed == message.pods_size() && !job.stops;
    const auto rank = data_.class_rank.find(message.priority_class());
    if (rank != data_.class_rank.end()) job.rank = rank->second;
    job.may_leave = job.runs && !absl::StartsWith(message.priority_class(), "system-") &&
                    std::find(never.begin(), never.end(), message.priority_class()) == never.end();
    const double interval = message.checkpoint_interval_seconds();
    job.consents = message.preemptible() || !(data_.policy.only_preemptible() || interval == 0);
    job.started = std::min(now_, Micros(message.started()));
    job.legal_from =
        job.started +
        std::max(min_runtime_, static_cast<std::int64_t>(std::llround(
                                   (interval + static_cast<double>(restart_)) * kSecond)));
    job.fresh = now_ < job.legal_from;
    double lost = static_cast<double>(now_ - job.started) / kSecond;
    if (message.has_last_checkpoint()) {
      const std::int64_t last =
          std::min(now_, std::max(job.started, Micros(message.last_checkpoint())));
      lost = static_cast<double>(now_ - last) / kSecond;
    } else if (interval > 0) {
      lost = std::fmod(lost, interval);
    }
    job.lost = Exact(lost * gpus);
    job.cost =
        Exact((lost * gpus + static_cast<double>(restart_) * gpus) * (1.0 + message.evictions()));
    job_index_[id] = static_cast<int>(jobs_.size());
    jobs_.push_back(std::move(job));
  }
}

void Round::Occupy(int job, int node, int device, int milli) {
  RoundNode& here = nodes_[node];
  if (device >= static_cast<int>(here.free.size())) {
    here.broken = true;
    return;
  }
  int& free = here.free[static_cast<std::size_t>(device)];
  free -= milli;
  if (free < 0) here.broken = true;
  // All that use a device count, that it is not taken for clear; who may go is asked later.
  here.occupants[static_cast<std::size_t>(device)].push_back({job, milli});
  auto& places = jobs_[job].places;
  const std::pair<int, int> place(node, device);
  if (std::find(places.begin(), places.end(), place) == places.end()) places.push_back(place);
}

// Its devices are free.
void Round::Vacate(int job) {
  for (const auto& [node, device] : jobs_[job].places) {
    auto& here = nodes_[node].occupants[static_cast<std::size_t>(device)];
    for (std::size_t o = here.size(); o-- > 0;) {
      if (here[o].job != job) continue;
      nodes_[node].free[static_cast<std::size_t>(device)] += here[o].milli;
      here.erase(here.begin() + static_cast<std::ptrdiff_t>(o));
    }
    ++nodes_[node].version;
  }
}

void Round::AddRunning() {
  std::vector<std::vector<std::tuple<std::int64_t, int, int>>> unknown(nodes_.size());
  for (int j = 0; j < static_cast<int>(jobs_.size()); ++j) {
    const auto& pods = jobs_[j].message->pods();
    for (int p = 0; p < pods.size(); ++p) {
      const v1::ClusterPod& pod = pods[p];
      if (pod.node().empty()) continue;
      const auto found = node_index_.find(pod.node());
      if (found == node_index_.end()) {
        plan_.add_remarks(absl::StrCat("job `", jobs_[j].message->id(), "`: pod `", pod.name(),
                                       "` is on node `", pod.node(), "`, which is not known"));
        continue;
      }
      if (pod.gpu_milli() == 0) continue;
      if (pod.devices().empty()) {
        unknown[static_cast<std::size_t>(found->second)].emplace_back(-pod.gpu_milli(), j, p);
        continue;
      }
      for (const int device : pod.devices())
        Occupy(j, found->second, device,
               static_cast<int>(std::min<std::int64_t>(1000, pod.gpu_milli())));
    }
  }
  for (int n = 0; n < static_cast<int>(nodes_.size()); ++n) {
    Assume(&unknown[static_cast<std::size_t>(n)], n);
    if (nodes_[n].broken)
      plan_.add_remarks(
          absl::StrCat("node `", nodes_[n].message->name(),
                       "`: more runs there than it has room for; nothing is placed there"));
  }
}

void Round::Assume(std::vector<std::tuple<std::int64_t, int, int>>* unknown, int node) {
  std::sort(unknown->begin(), unknown->end(), [&](const auto& a, const auto& b) {
    if (std::get<0>(a) != std::get<0>(b)) return std::get<0>(a) < std::get<0>(b);
    if (std::get<1>(a) != std::get<1>(b)) return std::get<1>(a) < std::get<1>(b);
    const auto& pods = jobs_[std::get<1>(a)].message->pods();
    return pods[std::get<2>(a)].name() < pods[std::get<2>(b)].name();
  });
  RoundNode& here = nodes_[node];
  for (const auto& [minus, job, pod] : *unknown) {
    (void)pod;
    const int milli = static_cast<int>(-minus);
    if (milli >= 1000) {
      int wanted = milli / 1000;
      for (std::size_t d = 0; d < here.free.size() && wanted > 0; ++d) {
        if (here.free[d] != 1000) continue;
        Occupy(job, node, static_cast<int>(d), 1000);
        --wanted;
      }
      if (wanted > 0) here.broken = true;
      continue;
    }
    int best = -1;
    for (std::size_t d = 0; d < here.free.size(); ++d)
      if (here.free[d] >= milli &&
          (best < 0 || here.free[d] < here.free[static_cast<std::size_t>(best)]))
        best = static_cast<int>(d);
    if (best < 0) {
      here.broken = true;
      continue;
    }
    Occupy(job, node, best, milli);
  }
}

void Round::AddHolds() {
  const std::int64_t length =
      (data_.policy.has_hold_seconds() ? data_.policy.hold_seconds() : 300) * kSecond;
  for (const auto& [id, message] : data_.holds) {
    if (Micros(message.until()) <= now_) continue;
    RoundHold hold;
    hold.job = id;
    const v1::ClusterJob* holder = nullptr;
    if (const auto found = job_index_.find(id); found != job_index_.end()) {
      hold.holder = found->second;
      holder = jobs_[found->second].message;
    }
    for (const v1::PodPlacement& pod : message.pods()) {
      const auto node = node_index_.find(pod.node());
      if (node == node_index_.end()) continue;
      int milli = 1000;
      if (holder != nullptr)
        for (const v1::ClusterPod& its : holder->pods())
          if (its.name() == pod.pod())
            milli = its.node().empty()
                        ? static_cast<int>(std::min<std::int64_t>(1000, its.gpu_milli()))
                        : 0;
      for (const int device : pod.devices())
        if (device < nodes_[node->second].message->gpus())
          hold.room.push_back({node->second, device, milli});
    }
    for (const std::string& victim : message.victims()) {
      const auto found = job_index_.find(victim);
      if (found == job_index_.end() || jobs_[found->second].waits) continue;
      // Back already: another attempt owes nothing.
      if (jobs_[found->second].started > Micros(message.until()) - length) continue;
      jobs_[found->second].gone = true;
      hold.victims.push_back(found->second);
    }
    holds_.push_back(std::move(hold));
    Wake(Micros(message.until()));
  }
  // The more important first: where one took room that was held for another, it has it.
  const auto importance = [&](const RoundHold& hold) {
    return hold.holder < 0 ? std::int64_t{INT64_MIN}
                           : jobs_[hold.holder].message->preemption_priority();
  };
  std::stable_sort(holds_.begin(), holds_.end(), [&](const RoundHold& a, const RoundHold& b) {
    return importance(a) > importance(b);
  });
  for (int h = 0; h < static_cast<int>(holds_.size()); ++h) CloseHold(h);
}

// Keeps the room of a hold, or ends the hold where others have taken of it.
void Round::CloseHold(int index) {
  RoundHold& hold = holds_[static_cast<std::size_t>(index)];
  SetHold(index, 1);
  hold.over = std::any_of(hold.room.begin(), hold.room.end(), [&](const HeldRoom& room) {
    const int free = nodes_[room.node].free[static_cast<std::size_t>(room.device)];
    return free + StillStopping(room.node, room.device, {}) < 0;
  });
  if (hold.over) SetHold(index, -1);
}

// 1: the room is kept, beyond what victims still use of it; -1: it and theirs are open.
void Round::SetHold(int index, int sign) {
  const RoundHold& hold = holds_[static_cast<std::size_t>(index)];
  std::map<std::pair<int, int>, int> used, held;
  for (const int victim : hold.victims)
    for (const auto& [node, device] : jobs_[victim].places)
      for (const Occupant& occupant : nodes_[node].occupants[static_cast<std::size_t>(device)])
        if (occupant.job == victim) used[{node, device}] += occupant.milli;
  for (const HeldRoom& room : hold.room) held[{room.node, room.device}] += room.milli;
  for (const auto& [place, milli] : held) {
    const int beyond = std::max(0, milli - (used.count(place) != 0 ? used[place] : 0));
    nodes_[place.first].free[static_cast<std::size_t>(place.second)] -= sign * beyond;
    ++nodes_[place.first].version;
  }
}

void Round::OpenHolds(int index, std::vector<int>* opened) {
  const RoundJob& job = jobs_[index];
  for (int h = 0; h < static_cast<int>(holds_.size()); ++h) {
    const RoundHold& hold = holds_[static_cast<std::size_t>(h)];
    if (hold.over) continue;
    const bool own = hold.holder == index;
    const bool lower = hold.holder >= 0 && jobs_[hold.holder].message->preemption_priority() <=
                                               job.message->preemption_priority() - gap_;
    if (own || lower) opened->push_back(h);
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

// What those who leave still use of a device, but for victims of the holds in `opened`.
// Several jobs may have been promised what one victim leaves (a gang's other pods, half a
// device), and whose victim it was may have started meanwhile.
int Round::StillStopping(int node, int device, const std::vector<int>& opened) const {
  int milli = 0;
  for (const Occupant& occupant : nodes_[node].occupants[static_cast<std::size_t>(device)]) {
    const bool counted = std::any_of(opened.begin(), opened.end(), [&](int h) {
      const std::vector<int>& victims = holds_[static_cast<std::size_t>(h)].victims;
      return std::find(victims.begin(), victims.end(), occupant.job) != victims.end();
    });
    const RoundJob& job = jobs_[occupant.job];
    if ((job.gone || job.stops) && !counted) milli += occupant.milli;
  }
  return milli;
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
    out->set_reason(absl::StrCat("makes room for `", Called(job), "`: preemption priority ",
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

bool Round::Possible(int index, unsigned rules) {
  const RoundJob& job = jobs_[index];
  std::vector<int> gone;
  for (int j = 0; j < static_cast<int>(jobs_.size()); ++j)
    if (MayEvict(jobs_[j], job, rules)) gone.push_back(j);
  std::vector<int> open;
  if ((rules & kHolds) == 0)
    for (int h = 0; h < static_cast<int>(holds_.size()); ++h)
      if (!holds_[static_cast<std::size_t>(h)].over) open.push_back(h);
  std::vector<int> already;
  OpenHolds(index, &already);
  open.erase(std::remove_if(open.begin(), open.end(),
                            [&](int h) {
                              return std::find(already.begin(), already.end(), h) != already.end();
                            }),
             open.end());
  for (const int h : open) SetHold(h, -1);
  const bool fits = Fits(job, Room(gone), nullptr);
  for (const int h : open) SetHold(h, 1);
  return fits;
}

void Round::Refuse(int index) {
  const RoundJob& job = jobs_[index];
  v1::Unplaced* const out = plan_.add_unplaced();
  out->set_job(job.message->id());
  const auto say = [&](v1::Unplaced::Reason reason, const std::string& text) {
    out->set_reason(reason);
    out->set_text(text);
  };
  Free empty;
  for (const RoundNode& node : nodes_)
    empty.emplace_back(static_cast<std::size_t>(node.message->gpus()), 1000);
  std::int64_t milli = 0;
  for (const v1::ClusterPod& pod : job.message->pods()) milli += pod.gpu_milli();
  const int pods = job.message->pods_size();
  const std::string size =
      absl::StrCat(pods, pods == 1 ? " pod of " : " pods of ", static_cast<double>(milli) / 1000,
                   milli == 1000 ? " device" : " devices", pods == 1 ? "" : " in all");
  if (!Fits(job, empty, nullptr))
    return say(v1::Unplaced::TOO_LARGE, absl::StrCat("the empty cluster has no room for ", size,
                                                     " on nodes that it may use"));
  if (job.message->never_preempt_others()) {
    if (!holds_.empty() && Possible(index, 0))
      return say(v1::Unplaced::HELD, "room for it is kept for others");
    return say(v1::Unplaced::NEVER_PREEMPTS,
               absl::StrCat("no free room for ", size, ", and it must not evict"));
  }
  if (Possible(index, kConsent | kFresh | kHolds))
    return say(v1::Unplaced::BUDGET,
               absl::StrCat("budgets or rates keep those who could make room for ", size));
  if (Possible(index, kConsent | kHolds)) {
    // The one that may leave first.
    const RoundJob* first = nullptr;
    for (const RoundJob& other : jobs_)
      if (other.fresh && MayEvict(other, job, kConsent) &&
          (first == nullptr || other.legal_from < first->legal_from))
        first = &other;
    return say(
        v1::Unplaced::TOO_FRESH,
        absl::StrCat("those who could make room for ", size, " have not worked long enough",
                     first == nullptr
                         ? ""
                         : absl::StrCat(": `", Called(*first), "` may leave in ",
                                        (first->legal_from - now_ + kSecond - 1) / kSecond, " s")));
  }
  if (Possible(index, kFresh | kHolds) || Possible(index, kHolds)) {
    const RoundJob* first = nullptr;
    for (const RoundJob& other : jobs_)
      if (!other.consents && MayEvict(other, job, 0) &&
          (first == nullptr || other.cost < first->cost))
        first = &other;
    return say(
        v1::Unplaced::NO_CONSENT,
        absl::StrCat("those who could make room for ", size, " have not consented",
                     first == nullptr ? "" : absl::StrCat(", such as `", Called(*first), "`")));
  }
  if (!holds_.empty() && Possible(index, 0))
    return say(v1::Unplaced::HELD, "room for it is kept for others");
  say(v1::Unplaced::NO_LOWER, absl::StrCat("what runs is not lower than preemption priority ",
                                           job.message->preemption_priority(), " by ", gap_,
                                           " and by class, or too little for ", size));
}

}  // namespace precedent::internal
