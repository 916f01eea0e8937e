// Room that is kept for those for whom it was made.
#include <algorithm>
#include <utility>

#include "src/preemption/check.h"
#include "src/preemption/room.h"

namespace precedent::internal {
namespace {

bool Has(const std::vector<int>& all, int one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

}  // namespace

Room::Room(const Fleet& fleet, const Holds& holds, Facts* facts)
    : fleet_(fleet), facts_(*facts), free_(fleet.free()), versions_(fleet.nodes().size(), 0) {
  for (const auto& [id, message] : holds)
    if (Micros(message.until()) > facts_.now()) AddHold(message);
  // The more important first: where one took room that was held for another, it has it.
  const auto importance = [&](const Hold& hold) {
    return hold.holder < 0 ? INT64_MIN : std::int64_t{facts_[hold.holder].preemption_priority};
  };
  std::stable_sort(holds_.begin(), holds_.end(), [&](const Hold& a, const Hold& b) {
    return importance(a) > importance(b);
  });
  for (int h = 0; h < static_cast<int>(holds_.size()); ++h) {
    std::vector<int> nodes;
    for (const Hold::Part& part : holds_[h].room) nodes.push_back(part.node);
    for (const int victim : holds_[h].victims)
      for (const int n : fleet.jobs()[victim].nodes) nodes.push_back(n);
    std::sort(nodes.begin(), nodes.end());
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    for (const int n : nodes) holds_on_[n].push_back(h);
    Close(h, INT64_MIN);
  }
}

void Room::AddHold(const v1::PlannerState::Hold& message) {
  Hold hold;
  hold.message = &message;
  hold.holder = fleet_.FindJob(message.job());
  for (const v1::PodPlacement& placement : message.pods()) {
    const int node = fleet_.FindNode(placement.node());
    if (node < 0 || !fleet_.nodes()[node].known) continue;
    const int milli = fleet_.HeldMilli(hold.holder, placement.pod());
    for (const int device : placement.devices())
      if (device < fleet_.nodes()[node].gpus()) hold.room.push_back({node, device, milli});
  }
  hold.victims = fleet_.VictimsOf(message, facts_.now());
  for (const int victim : hold.victims) {
    facts_[victim].gone = true;
    facts_[victim].rules &= ~static_cast<unsigned>(kLeaves);
  }
  holds_.push_back(std::move(hold));
}

const std::vector<int>* Room::HoldsOn(int node) const {
  if (holds_on_.empty()) return nullptr;
  const auto found = holds_on_.find(node);
  return found == holds_on_.end() ? nullptr : &found->second;
}

bool Room::Open(const Hold& hold, std::int64_t below) const {
  return hold.holder >= 0 && facts_[hold.holder].preemption_priority <= below;
}

void Room::Keep(const Hold& hold, int node, std::vector<int>* free) const {
  for (std::size_t p = 0; p < hold.room.size(); ++p) {
    const Hold::Part& part = hold.room[p];
    if (part.node != node) continue;
    // All that is held of the device, at its first part.
    int held = 0;
    bool first = true;
    for (std::size_t q = 0; q < hold.room.size(); ++q) {
      if (hold.room[q].node != node || hold.room[q].device != part.device) continue;
      first = first && q >= p;
      held += hold.room[q].milli;
    }
    if (!first) continue;
    for (const Occupant& occupant : fleet_.nodes()[node].occupants)
      if (occupant.device == part.device && Has(hold.victims, occupant.job)) held -= occupant.milli;
    (*free)[static_cast<std::size_t>(part.device)] -= std::max(0, held);
  }
}

void Room::Leave(const Hold& hold, int node, std::vector<int>* free) const {
  if (hold.victims.empty()) return;
  for (const Occupant& occupant : fleet_.nodes()[node].occupants)
    if (Has(hold.victims, occupant.job))
      (*free)[static_cast<std::size_t>(occupant.device)] += occupant.milli;
}

void Room::Devices(int node, std::int64_t below, Held held, std::vector<int>* free) const {
  const FleetNode& here = fleet_.nodes()[node];
  const auto begin = free_.begin() + here.first;
  free->assign(begin, begin + here.gpus());
  const std::vector<int>* const holds = HoldsOn(node);
  if (holds == nullptr) return;
  for (const int h : *holds) {
    const Hold& hold = holds_[h];
    if (hold.over) continue;
    if (Open(hold, below)) {
      Leave(hold, node, free);
    } else if (held == Held::kKept) {
      Keep(hold, node, free);
    }
  }
}

int Room::StillStopping(int node, int device, std::int64_t below, const Hold* own) const {
  int milli = 0;
  const std::vector<int>* const holds = HoldsOn(node);
  for (const Occupant& occupant : fleet_.nodes()[node].occupants) {
    const JobFacts& facts = facts_[occupant.job];
    if (occupant.device != device || facts.vacated) continue;
    if (!facts.gone && !fleet_.jobs()[occupant.job].stops) continue;
    bool counted = own != nullptr && Has(own->victims, occupant.job);
    if (holds != nullptr)
      for (const int h : *holds)
        counted = counted || (!holds_[h].over && Open(holds_[h], below) &&
                              Has(holds_[h].victims, occupant.job));
    if (!counted) milli += occupant.milli;
  }
  return milli;
}

bool Room::TakenInTurn(int node, int device) const {
  return std::any_of(steps_.begin() + static_cast<std::ptrdiff_t>(turn_steps_), steps_.end(),
                     [&](const Step& step) {
                       return step.what == Step::kTaken && step.node == node &&
                              step.device == device;
                     });
}

// Ends a hold where others have taken of its room. Of holds that are open to those with
// `opened_below` only the more important count: each in its turn. What others still use who
// stop is no reason, but where somebody has just taken what was there without them.
void Room::Close(int index, std::int64_t opened_below) {
  Hold& hold = holds_[index];
  std::vector<int> free;
  int node = -1;
  for (const Hold::Part& part : hold.room) {
    if (part.node != node) {
      node = part.node;
      Devices(node, INT64_MIN, Held::kIgnored, &free);
      for (const int h : *HoldsOn(node))
        if (!holds_[h].over && (h <= index || !Open(holds_[h], opened_below)))
          Keep(holds_[h], node, &free);
    }
    int left = free[static_cast<std::size_t>(part.device)];
    if (!TakenInTurn(node, part.device))
      left += StillStopping(node, part.device, INT64_MIN, nullptr);
    if (left < 0) {
      hold.over = true;
      for (const Hold::Part& its : hold.room) Changed(its.node);
      return;
    }
  }
}

const Hold* Room::BeginTurn(int job) {
  own_ = -1;
  turn_ = changes_.size();
  turn_steps_ = steps_.size();
  for (int h = 0; h < static_cast<int>(holds_.size()); ++h)
    if (!holds_[h].over && holds_[h].holder == job) own_ = h;
  if (own_ < 0) return nullptr;
  Hold& hold = holds_[own_];
  hold.over = true;
  for (const Hold::Part& part : hold.room) Changed(part.node);
  for (const int victim : hold.victims) Give(victim, 1);
  return &hold;
}

void Room::EndTurn(int job) {
  if (own_ >= 0)
    for (const int victim : holds_[own_].victims) Give(victim, -1);
  own_ = -1;
  if (holds_.empty()) return;
  const std::int64_t below = facts_[job].preemption_priority - facts_.gap();
  std::vector<int> touched;
  for (std::size_t c = turn_; c < changes_.size(); ++c)
    if (const auto* const holds = HoldsOn(changes_[c]); holds != nullptr)
      touched.insert(touched.end(), holds->begin(), holds->end());
  std::sort(touched.begin(), touched.end());
  touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
  for (const int h : touched)
    if (!holds_[h].over && Open(holds_[h], below)) Close(h, below);
}

}  // namespace precedent::internal
