// Who uses what: running jobs on their devices, and room that is held.
#include <algorithm>
#include <cmath>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "src/preemption/round.h"

namespace precedent::internal {
namespace {

// A grid on which sums are exact: their order does not matter.
double Exact(double value) { return std::round(value * 1048576.0) / 1048576.0; }

}  // namespace

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

}  // namespace precedent::internal
