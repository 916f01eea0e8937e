#include "src/preemption/gang.h"

#include <algorithm>
#include <utility>

namespace precedent::internal {

void Gangs::Evict(const Choice& choice, Victims* victims) {
  for (const int victim : choice.victims) {
    room_.Vacate(victim);
    book_.Charge(victim, 1);
    victims->push_back(victim);
  }
}

void Gangs::Undo(std::size_t mark, const Victims& victims) {
  room_.Rollback(mark);
  for (const int victim : victims) book_.Charge(victim, -1);
}

bool Gangs::Free(const Question& question, std::vector<Spot>* spots) {
  const std::size_t mark = room_.Mark();
  spots->assign(question.order.size(), Spot());
  bool whole = true;
  for (const int pod : question.order) {
    const std::int64_t milli = question.job.pods(pod).gpu_milli();
    Spot& spot = (*spots)[static_cast<std::size_t>(pod)];
    whole = candidates_.Free(question.kind, milli, question.where, &spot);
    if (!whole) break;
    room_.Take(spot, milli);
  }
  room_.Rollback(mark);
  return whole;
}

// The cheapest node for each pod, as if it were alone, the largest first.
bool Gangs::PodByPod(const Question& question, Victims* victims, std::vector<int>* nodes) {
  const std::size_t mark = room_.Mark();
  bool whole = true;
  std::vector<int> devices;
  for (const int pod : question.order) {
    const std::int64_t milli = question.job.pods(pod).gpu_milli();
    Spot spot;
    if (!candidates_.Free(question.kind, milli, question.where, &spot)) {
      const Choice choice =
          candidates_.Cheapest(question.kind, milli, question.where, &spot.node);
      whole = choice.found;
      if (!whole) break;
      Evict(choice, victims);
      room_.Devices(spot.node, question.kind.below, Room::Held::kKept, &devices);
      Room::Fit(devices, milli, &spot.devices);
    }
    nodes->push_back(spot.node);
    room_.Take(spot, milli);
  }
  Undo(mark, *victims);
  return whole;
}

// For pods of one size: as many on one node as make each of them cheapest, or as many as
// there can be. Shares lie together on devices that are cleared.
bool Gangs::NodeByNode(const Question& question, Way way, Victims* victims,
                       std::vector<int>* nodes) {
  const std::int64_t milli = question.job.pods(0).gpu_milli();
  if (milli == 0 || milli != question.job.pods(question.order.back()).gpu_milli()) return false;
  const std::int64_t unit = std::max<std::int64_t>(1000, milli);
  const int each = static_cast<int>(std::max<std::int64_t>(1, 1000 / milli));  // pods of a unit
  const std::size_t mark = room_.Mark();
  int left = question.job.pods_size();
  std::vector<int> devices;
  while (left > 0) {
    Spot spot;
    if (candidates_.Free(question.kind, milli, question.where, &spot)) {
      nodes->push_back(spot.node);
      room_.Take(spot, milli);
      --left;
      continue;
    }
    Choice best;
    int many = 0;
    for (std::int64_t units = std::min<std::int64_t>((left + each - 1) / each, fleet_.largest() * std::int64_t{1000} / unit);
         units > 0 && (many == 0 || way == Way::kCheapestNodes); --units) {
      int node = -1;
      const int pods = std::min(left, static_cast<int>(units) * each);
      Choice choice = candidates_.Cheapest(question.kind, units * unit, question.where, &node);
      if (!choice.found || (many > 0 && choice.cost * many >= best.cost * pods)) continue;
      best = std::move(choice);
      many = pods;
    }
    if (many == 0) break;
    Evict(best, victims);  // its room is found above
  }
  Undo(mark, *victims);
  return left == 0;
}

// Where neither way leads anywhere: the first places that there would be if all left who
// may, and those who are in them.
bool Gangs::WhateverFits(const Question& question, int job, Victims* victims,
                         std::vector<int>* nodes) {
  FreeTable table = Table(job, question.kind, kEvictable, Room::Held::kKept);
  std::vector<Spot> spots;
  if (!Fits(question.job, &table, &spots)) return false;
  for (const Spot& spot : spots) {
    nodes->push_back(spot.node);
    for (const Occupant& occupant : fleet_.nodes()[spot.node].occupants) {
      if (std::find(spot.devices.begin(), spot.devices.end(), occupant.device) ==
              spot.devices.end() ||
          facts_[occupant.job].vacated ||
          !facts_.MayEvict(facts_[occupant.job], question.kind, kEvictable))
        continue;
      if (std::find(victims->begin(), victims->end(), occupant.job) == victims->end())
        victims->push_back(occupant.job);
    }
  }
  return true;
}

FreeTable Gangs::Rows(const Question& question, std::vector<int> nodes, const Victims& gone) const {
  for (const int victim : gone)
    for (const int node : fleet_.jobs()[victim].nodes) nodes.push_back(node);
  std::sort(nodes.begin(), nodes.end(), [this](int a, int b) {
    return fleet_.nodes()[a].position < fleet_.nodes()[b].position;
  });
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  FreeTable table;
  for (const int node : nodes) {
    if (!fleet_.nodes()[node].open() || !question.where.Admits(node)) continue;
    table.nodes.push_back(node);
    std::vector<int>& free = table.free.emplace_back();
    room_.Devices(node, question.kind.below, Room::Held::kKept, &free);
    for (const Occupant& occupant : fleet_.nodes()[node].occupants)
      if (std::find(gone.begin(), gone.end(), occupant.job) != gone.end())
        free[static_cast<std::size_t>(occupant.device)] += occupant.milli;
  }
  return table;
}

// Those that turned out not to be needed stay, dearest first.
void Gangs::Consider(const Question& question, Victims victims, std::vector<int> nodes,
                     GangPlan* best) {
  const auto fits = [&](const Victims& gone, std::vector<Spot>* spots) {
    FreeTable table = Rows(question, nodes, gone);
    return Fits(question.job, &table, spots);
  };
  for (const int victim : victims)
    for (const int node : fleet_.jobs()[victim].nodes) nodes.push_back(node);
  std::sort(victims.begin(), victims.end(), [this](int a, int b) {
    const JobFacts &left = facts_[a], &right = facts_[b];
    if (left.cost != right.cost) return left.cost > right.cost;
    if (left.started != right.started) return left.started < right.started;
    return fleet_.jobs()[a].message.id() > fleet_.jobs()[b].message.id();
  });
  for (std::size_t i = 0; i < victims.size();) {
    Victims fewer = victims;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    if (fits(fewer, nullptr)) {
      victims = std::move(fewer);
    } else {
      ++i;
    }
  }
  Choice choice = facts_.Make(victims);
  if (!facts_.Better(choice, best->choice) || !book_.Allows(choice.victims)) return;
  std::vector<Spot> spots;
  if (!fits(victims, &spots)) return;
  best->choice = std::move(choice);
  best->spots = std::move(spots);
}

// The best of some ways. All victims that any of them thought of.
Gangs::Victims Gangs::Cheapest(const Question& question, GangPlan* best) {
  Victims all;
  for (const Way way : {Way::kPodByPod, Way::kCheapestNodes, Way::kFewestNodes}) {
    Victims victims;
    std::vector<int> nodes;
    const bool whole = way == Way::kPodByPod ? PodByPod(question, &victims, &nodes)
                                             : NodeByNode(question, way, &victims, &nodes);
    for (const int victim : victims)
      if (std::find(all.begin(), all.end(), victim) == all.end()) all.push_back(victim);
    if (whole) Consider(question, std::move(victims), std::move(nodes), best);
  }
  return all;
}

// What there would be without one of them, as long as that makes it cheaper; and without
// several, as long as there is nothing: budgets may leave too little after the first.
void Gangs::Improve(const Question& question, Victims tried, GangPlan* best) {
  const std::size_t begin = room_.Mark();
  std::size_t next = 0;
  const int most = std::min(kMostTrials, std::max(2, kMostPodTrials / question.job.pods_size()));
  for (int trials = 0; trials < most && next < tried.size(); ++trials) {
    const std::size_t mark = room_.Mark();
    const Choice before = best->choice;
    room_.Spare(tried[next++]);
    Victims others = Cheapest(question, best);
    if (before.found) room_.Rollback(mark);
    if (before.found && !facts_.Better(best->choice, before)) continue;
    tried = std::move(others);
    next = 0;
  }
  room_.Rollback(begin);
}

FreeTable Gangs::Table(int job, const Kind& kind, unsigned rules, Room::Held held) const {
  const Restriction& where = *fleet_.jobs()[job].where;
  const std::int64_t least = SmallestPod(fleet_.jobs()[job].message);
  FreeTable table;
  std::vector<int> free, devices;
  for (const int node : fleet_.order()) {
    if (!fleet_.nodes()[node].open() || !where.Admits(node)) continue;
    room_.Devices(node, kind.below, held, &free);
    for (const Occupant& occupant : fleet_.nodes()[node].occupants)
      if (!facts_[occupant.job].vacated && facts_.MayEvict(facts_[occupant.job], kind, rules))
        free[static_cast<std::size_t>(occupant.device)] += occupant.milli;
    if (!Room::Fit(free, least, &devices)) continue;
    table.nodes.push_back(node);
    table.free.push_back(free);
  }
  return table;
}

// Every set of those that may leave. False: they are too many.
bool Gangs::Exact(const Question& question, int index, GangPlan* plan) {
  std::vector<int> all;
  for (int j = 0; j < static_cast<int>(fleet_.jobs().size()) && all.size() <= most_exact_; ++j) {
    if (!facts_.MayEvict(facts_[j], question.kind, kEvictable) || !book_.Open(j)) continue;
    const auto& nodes = fleet_.jobs()[j].nodes;
    if (std::any_of(nodes.begin(), nodes.end(), [&](int node) {
          return fleet_.nodes()[node].open() && question.where.Admits(node);
        }))
      all.push_back(j);
  }
  if (all.size() > most_exact_) return false;
  if (all.empty()) return true;
  FreeTable table = Table(index, question.kind, kEvictable, Room::Held::kKept);
  if (!Fits(question.job, &table, nullptr)) return true;
  // Of its rows all that is not one of `all` stays; theirs comes and goes with the set.
  const auto give = [&](int job, int sign) {
    for (std::size_t row = 0; row < table.nodes.size(); ++row)
      for (const Occupant& occupant : fleet_.nodes()[table.nodes[row]].occupants)
        if (occupant.job == job)
          table.free[row][static_cast<std::size_t>(occupant.device)] += sign * occupant.milli;
  };
  for (std::size_t row = 0; row < table.nodes.size(); ++row)
    room_.Devices(table.nodes[row], question.kind.below, Room::Held::kKept, &table.free[row]);
  std::uint32_t gone = 0;
  for (std::uint32_t mask = 1; mask < 1u << all.size(); ++mask) {
    Victims set;
    for (std::size_t i = 0; i < all.size(); ++i)
      if ((mask >> i & 1) != 0) set.push_back(all[i]);
    Choice choice = facts_.Make(std::move(set));
    if (!facts_.Better(choice, plan->choice) || !book_.Allows(choice.victims)) continue;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (((mask ^ gone) >> i & 1) != 0) give(all[i], (mask >> i & 1) != 0 ? 1 : -1);
    gone = mask;
    if (Fits(question.job, &table, &plan->spots)) plan->choice = std::move(choice);
  }
  return true;
}

GangPlan Gangs::Find(int index, const Kind& kind) {
  const FleetJob& job = fleet_.jobs()[index];
  const Question question{job.message, *job.where, kind, LargestFirst(job.message)};
  std::vector<std::int64_t> sizes;
  for (const int pod : question.order) sizes.push_back(job.message.pods(pod).gpu_milli());
  InVain& before = in_vain_[std::make_tuple(kind, job.where.get(), std::move(sizes))];
  if (before.changes == room_.changes().size() && before.generation == book_.generation())
    return GangPlan();
  GangPlan plan = Search(question, index);
  if (!plan.choice.found) before = {room_.changes().size(), book_.generation()};
  return plan;
}

GangPlan Gangs::Search(const Question& question, int index) {
  GangPlan plan;
  if (Free(question, &plan.spots)) {
    plan.choice = facts_.Make({});
    return plan;
  }
  const std::int64_t largest = question.job.pods(question.order.front()).gpu_milli();
  if (SmallestPod(question.job) != largest) {
    // Pods of several sizes may fit in another order.
    Kind nobody = question.kind;
    nobody.never = true;
    FreeTable table = Table(index, nobody, kEvictable, Room::Held::kKept);
    if (Fits(question.job, &table, &plan.spots)) {
      plan.choice = facts_.Make({});
      return plan;
    }
  }
  if (question.kind.never || Exact(question, index, &plan)) return plan;
  Improve(question, Cheapest(question, &plan), &plan);
  if (!plan.choice.found) {
    Victims victims;
    std::vector<int> nodes;
    if (WhateverFits(question, index, &victims, &nodes))
      Consider(question, std::move(victims), std::move(nodes), &plan);
  }
  return plan;
}

}  // namespace precedent::internal
