#include "src/preemption/round.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "src/preemption/check.h"

namespace precedent::internal {

Round::Round(const Fleet& fleet, const v1::PreemptionPolicy& policy, const Holds& holds,
             const std::vector<PastEviction>& evictions, std::int64_t now, std::size_t most_exact)
    : fleet_(fleet),
      policy_(policy),
      evictions_(evictions),
      facts_(fleet, policy, now),
      room_(fleet, holds, &facts_),
      book_(policy, fleet, evictions, now),
      candidates_(fleet, facts_, room_, book_, Most()),
      gangs_(fleet, &facts_, &room_, &book_, &candidates_, most_exact) {
  for (const Hold& hold : room_.holds()) Wake(Micros(hold.message->until()));
}

std::int64_t Round::Most() const {
  std::int64_t most = INT64_MIN;
  for (const JobNumbers& job : fleet_.numbers())
    if (job.waits) most = std::max(most, job.preemption_priority - facts_.gap());
  return most;
}

void Round::Wake(std::int64_t when) {
  if (when > facts_.now()) wake_ = std::min(wake_, when);
}

void Round::AddRemarks() {
  std::map<std::pair<std::string, int>, std::string> unknown;
  for (const FleetNode& node : fleet_.nodes()) {
    if (node.known) continue;
    for (const auto& [job, pod] : node.pods) {
      const v1::ClusterJob& message = fleet_.jobs()[job].message;
      unknown[{message.id(), pod}] =
          absl::StrCat("job `", message.id(), "`: pod `", message.pods(pod).name(),
                       "` is on node `", node.message.name(), "`, which is not known");
    }
  }
  for (const auto& [key, text] : unknown) plan_.add_remarks(text);
  for (const int n : fleet_.order())
    if (fleet_.nodes()[n].broken)
      plan_.add_remarks(
          absl::StrCat("node `", fleet_.nodes()[n].message.name(),
                       "`: more runs there than it has room for; nothing is placed there"));
}

v1::PreemptionPlan Round::Run() {
  AddRemarks();
  std::vector<int> order;
  for (int j = 0; j < static_cast<int>(fleet_.jobs().size()); ++j) {
    const FleetJob& job = fleet_.jobs()[j];
    if (job.waits || job.half) order.push_back(j);
  }
  std::sort(order.begin(), order.end(), [this](int a, int b) {
    const FleetJob &left = fleet_.jobs()[a], &right = fleet_.jobs()[b];
    if (left.message.priority() != right.message.priority())
      return left.message.priority() > right.message.priority();
    if (left.submitted != right.submitted) return left.submitted < right.submitted;
    return left.message.id() < right.message.id();
  });
  for (const int job : order) Place(job);
  if (plan_.unplaced_size() > 0) {
    for (const PastEviction& eviction : evictions_) {
      const std::int64_t time = Micros(eviction.message.time());
      Wake(time + 60 * kSecond);
      for (const int b : eviction.budgets) Wake(time + WindowMicros(policy_.budgets(b)));
    }
    for (int j = 0; j < static_cast<int>(fleet_.jobs().size()); ++j)
      if ((facts_[j].rules & kEvictable) == (kLeaves | kConsents)) Wake(facts_[j].legal_from);
  }
  if (wake_ != INT64_MAX) *plan_.mutable_next_wake() = ToTimestamp(wake_);
  return std::move(plan_);
}

void Round::Place(int index) {
  const FleetJob& job = fleet_.jobs()[index];
  if (job.half) {
    v1::Unplaced* const unplaced = plan_.add_unplaced();
    unplaced->set_job(job.message.id());
    unplaced->set_reason(v1::Unplaced::GANG_HALF);
    unplaced->set_text("some of its pods run and others do not: it is neither placed nor evicted");
    return;
  }
  const Kind kind = facts_.KindOf(index);
  const Hold* const own = room_.BeginTurn(index);
  Choice choice;
  std::vector<Spot> spots;
  if (own != nullptr && OnHeldRoom(index, kind, *own, &spots)) {
    choice.found = true;
  } else if (job.message.pods_size() == 1) {
    Single(index, kind, &choice, &spots);
  } else {
    GangPlan plan = gangs_.Find(index, kind);
    choice = std::move(plan.choice);
    spots = std::move(plan.spots);
    Evict(choice);
  }
  if (choice.found) {
    Take(index, choice, spots);
  } else {
    Refuse(index, kind);
  }
  room_.EndTurn(index);
}

// Its own held room first, where it is still free, or will be when they stop who leave.
bool Round::OnHeldRoom(int index, const Kind& kind, const Hold& own, std::vector<Spot>* spots) {
  const FleetJob& job = fleet_.jobs()[index];
  std::map<std::pair<int, int>, int> wanted;
  spots->clear();
  for (const v1::ClusterPod& pod : job.message.pods()) {
    Spot spot;
    for (const v1::PodPlacement& held : own.message->pods())
      if (held.pod() == pod.name()) {
        spot.node = fleet_.FindNode(held.node());
        spot.devices.assign(held.devices().begin(), held.devices().end());
      }
    const std::int64_t milli = pod.gpu_milli();
    const std::int64_t need = milli >= 1000 ? milli / 1000 : milli > 0 ? 1 : 0;
    if (spot.node < 0 || !fleet_.nodes()[spot.node].open() || !job.where->Admits(spot.node) ||
        static_cast<std::int64_t>(spot.devices.size()) != need)
      return false;
    for (const int device : spot.devices)
      wanted[{spot.node, device}] += static_cast<int>(std::min<std::int64_t>(1000, milli));
    spots->push_back(std::move(spot));
  }
  int node = -1;
  for (const auto& [place, milli] : wanted) {
    if (place.first != node) {
      node = place.first;
      room_.Devices(node, kind.below, Room::Held::kKept, &free_);
    }
    if (place.second >= static_cast<int>(free_.size()) ||
        free_[place.second] + room_.StillStopping(node, place.second, kind.below, &own) < milli)
      return false;
  }
  return true;
}

bool Round::Single(int index, const Kind& kind, Choice* choice, std::vector<Spot>* spots) {
  const FleetJob& job = fleet_.jobs()[index];
  const std::int64_t milli = job.message.pods(0).gpu_milli();
  spots->assign(1, Spot());
  Spot& spot = spots->front();
  if (candidates_.Free(kind, milli, *job.where, &spot)) {
    *choice = facts_.Make({});
    return true;
  }
  *choice = candidates_.Cheapest(kind, milli, *job.where, &spot.node);
  if (!choice->found) return false;
  Evict(*choice);
  // The fullest node on which it fits, of those that the victims leave.
  int least = INT32_MAX, position = INT32_MAX;
  std::vector<int> devices;
  for (const int victim : choice->victims)
    for (const int n : fleet_.jobs()[victim].nodes) {
      const FleetNode& node = fleet_.nodes()[n];
      if (!node.open() || !job.where->Admits(n)) continue;
      room_.Devices(n, kind.below, Room::Held::kKept, &free_);
      if (!Room::Fit(free_, milli, &devices)) continue;
      const int room = std::accumulate(free_.begin(), free_.end(), 0);
      if (std::tie(room, node.position) >= std::tie(least, position)) continue;
      least = room;
      position = node.position;
      spot = {n, devices};
    }
  return true;
}

void Round::Evict(const Choice& choice) {
  for (const int victim : choice.victims) {
    room_.Vacate(victim);
    book_.Charge(victim, 1);
  }
}

void Round::Take(int index, const Choice& choice, const std::vector<Spot>& spots) {
  const FleetJob& job = fleet_.jobs()[index];
  v1::Placement* const placement = plan_.add_placements();
  placement->set_job(job.message.id());
  placement->set_cost_gpu_seconds(choice.cost);
  std::vector<int> victims(choice.victims.begin(), choice.victims.end());
  std::sort(victims.begin(), victims.end(), [this](int a, int b) {
    return fleet_.jobs()[a].message.id() < fleet_.jobs()[b].message.id();
  });
  for (const int v : victims) {
    const v1::ClusterJob& victim = fleet_.jobs()[v].message;
    v1::Victim* const out = placement->add_victims();
    out->set_job(victim.id());
    out->set_cost_gpu_seconds(facts_[v].cost);
    out->set_lost_gpu_seconds(facts_[v].lost);
    out->set_reason(absl::StrCat("makes room for `", job.called(), "`: preemption priority ",
                                 victim.preemption_priority(), " against ",
                                 job.message.preemption_priority(), ", loses ", facts_[v].lost,
                                 " GPU-seconds"));
  }
  for (int p = 0; p < job.message.pods_size(); ++p) {
    const Spot& spot = spots[p];
    v1::PodPlacement* const out = placement->add_pods();
    out->set_pod(job.message.pods(p).name());
    out->set_node(fleet_.nodes()[spot.node].message.name());
    for (const int device : spot.devices) out->add_devices(device);
    room_.Take(spot, job.message.pods(p).gpu_milli());
  }
}

}  // namespace precedent::internal
