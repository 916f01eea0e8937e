// Why a job gets no place.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "src/preemption/check.h"
#include "src/preemption/round.h"

namespace precedent::internal {
namespace {

std::vector<std::int64_t> Sizes(const v1::ClusterJob& job) {
  std::vector<std::int64_t> sizes;
  for (const v1::ClusterPod& pod : job.pods()) sizes.push_back(pod.gpu_milli());
  std::sort(sizes.begin(), sizes.end());
  return sizes;
}

}  // namespace

// For nobody runs.
bool Round::TooLarge(int index) {
  const FleetJob& job = fleet_.jobs()[index];
  const auto [at, added] = too_large_.try_emplace({job.where.get(), Sizes(job.message)}, false);
  if (!added) return at->second;
  FreeTable empty;
  for (const int n : fleet_.order()) {
    if (!fleet_.nodes()[n].open() || !job.where->Admits(n)) continue;
    empty.nodes.push_back(n);
    empty.free.emplace_back(static_cast<std::size_t>(fleet_.nodes()[n].gpus()), 1000);
  }
  return at->second = !Fits(job.message, &empty, nullptr);
}

bool Round::PossibleOn(int node, int index, std::int64_t milli, const Kind& kind, unsigned rules,
                       Room::Held held) {
  if (!fleet_.nodes()[node].open() || !fleet_.jobs()[index].where->Admits(node)) return false;
  room_.Devices(node, kind.below, held, &free_);
  for (const Occupant& occupant : fleet_.nodes()[node].occupants)
    if (!facts_[occupant.job].vacated && facts_.MayEvict(facts_[occupant.job], kind, rules))
      free_[static_cast<std::size_t>(occupant.device)] += occupant.milli;
  std::vector<int> devices;
  return Room::Fit(free_, milli, &devices);
}

bool Round::IsPossible(int index, const Kind& kind, unsigned rules, Room::Held held) {
  const v1::ClusterJob& job = fleet_.jobs()[index].message;
  const std::vector<std::int64_t> sizes = Sizes(job);
  if (!PodIsPossible(index, sizes.back(), kind, rules, held)) return false;
  if (sizes.size() == 1) return true;
  Possible& answer = AnswerFor(index, sizes, kind, rules, held);
  if (answer.known && answer.seen == room_.changes().size()) return answer.possible;
  answer.seen = room_.changes().size();
  answer.known = true;
  FreeTable table = gangs_.Table(index, kind, rules, held);
  return answer.possible = Fits(job, &table, nullptr);
}

Round::Possible& Round::AnswerFor(int index, std::vector<std::int64_t> sizes, const Kind& kind,
                                  unsigned rules, Room::Held held) {
  return possible_[Shape(kind, fleet_.jobs()[index].where.get(), std::move(sizes), rules,
                         held == Room::Held::kKept)];
}

// Of one pod alone. Asked again, only what has changed since is looked at.
bool Round::PodIsPossible(int index, std::int64_t milli, const Kind& kind, unsigned rules,
                          Room::Held held) {
  Possible& answer = AnswerFor(index, {milli}, kind, rules, held);
  const std::size_t seen = answer.seen;
  answer.seen = room_.changes().size();
  const auto on = [&](int node) {
    if (!PossibleOn(node, index, milli, kind, rules, held)) return false;
    answer.node = node;
    return true;
  };
  if (answer.known && answer.possible && on(answer.node)) return true;
  if (answer.known && !answer.possible) {
    for (std::size_t c = seen; c < answer.seen && !answer.possible; ++c)
      answer.possible = on(room_.changes()[c]);
    return answer.possible;
  }
  answer.known = true;
  return answer.possible = std::any_of(fleet_.order().begin(), fleet_.order().end(), on);
}

template <typename Less>
int Round::First(int index, const Kind& kind, unsigned rules, unsigned lacking,
                 const Less& less) const {
  const Restriction& where = *fleet_.jobs()[index].where;
  const auto id = [this](int j) -> const std::string& { return fleet_.jobs()[j].message.id(); };
  int first = -1;
  for (int j = 0; j < static_cast<int>(fleet_.jobs().size()); ++j) {
    if ((facts_[j].rules & lacking) != 0 || !facts_.MayEvict(facts_[j], kind, rules)) continue;
    if (first >= 0 && (less(first, j) || (!less(j, first) && id(first) < id(j)))) continue;
    const auto& nodes = fleet_.jobs()[j].nodes;
    if (std::any_of(nodes.begin(), nodes.end(), [&](int n) {
          return fleet_.nodes()[n].open() && where.Admits(n);
        }))
      first = j;
  }
  return first;
}

// For whom what would be its room is held.
std::string Round::Holder(int index, const Kind& kind) {
  const FleetJob& job = fleet_.jobs()[index];
  for (const Hold& hold : room_.holds()) {
    if (hold.over || room_.Open(hold, kind.below)) continue;
    const FleetNode* first = nullptr;  // by name
    for (const Hold::Part& part : hold.room) {
      const FleetNode& node = fleet_.nodes()[part.node];
      if (!node.open() || !job.where->Admits(part.node) ||
          (first != nullptr && first->position <= node.position))
        continue;
      if (job.message.pods_size() > 1 ||
          PossibleOn(part.node, index, job.message.pods(0).gpu_milli(), kind, kLeaves,
                     Room::Held::kIgnored))
        first = &node;
    }
    if (first == nullptr) continue;
    const std::string& called =
        hold.holder < 0 ? hold.message->job() : fleet_.jobs()[hold.holder].called();
    const std::int64_t left = Micros(hold.message->until()) - facts_.now();
    return absl::StrCat("`", called, "`, such as on node `", first->message.name(),
                        "`, for another ", (left + kSecond - 1) / kSecond, " s");
  }
  return "others";
}

// Which budget or rate forbids the victims that it could have: the cheapest of those that
// may not leave even alone, else what several would exceed together.
std::string Round::Obstacle(int index, const Kind& kind) {
  const int first = First(index, kind, kEvictable, 0, [this](int a, int b) {
    const bool closed = !book_.Open(a), other = !book_.Open(b);
    return closed != other ? closed : facts_[a].cost < facts_[b].cost;
  });
  const std::string text = first < 0 ? "" : book_.Obstacle(&first, 1);
  if (text.empty()) return "what budgets and rates leave is too little";
  return absl::StrCat(text, " keeps `", fleet_.jobs()[first].called(), "`");
}

void Round::Refuse(int index, const Kind& kind) {
  const FleetJob& job = fleet_.jobs()[index];
  v1::Unplaced* const out = plan_.add_unplaced();
  out->set_job(job.message.id());
  const auto say = [&](v1::Unplaced::Reason reason, const std::string& text) {
    out->set_reason(reason);
    out->set_text(text);
  };
  std::int64_t milli = 0;
  for (const v1::ClusterPod& pod : job.message.pods()) milli += pod.gpu_milli();
  const int pods = job.message.pods_size();
  const std::string size =
      absl::StrCat(pods, pods == 1 ? " pod of " : " pods of ", static_cast<double>(milli) / 1000,
                   milli == 1000 ? " device" : " devices", pods == 1 ? "" : " in all");
  if (TooLarge(index))
    return say(v1::Unplaced::TOO_LARGE, absl::StrCat("the empty cluster has no room for ", size,
                                                     " on nodes that it may use"));
  const auto held = [&] {
    return say(v1::Unplaced::HELD, "room for it is kept for " + Holder(index, kind));
  };
  const bool holds = !room_.holds().empty();
  if (kind.never) {
    if (holds && IsPossible(index, kind, kLeaves, Room::Held::kIgnored)) return held();
    return say(v1::Unplaced::NEVER_PREEMPTS,
               absl::StrCat("no free room for ", size, ", and it must not evict"));
  }
  if (IsPossible(index, kind, kEvictable, Room::Held::kKept))
    return say(v1::Unplaced::BUDGET, absl::StrCat("those who could make room for ", size,
                                                  " may not leave now: ", Obstacle(index, kind)));
  if (IsPossible(index, kind, kLeaves | kConsents, Room::Held::kKept)) {
    const int first = First(index, kind, kLeaves | kConsents, kWorked, [this](int a, int b) {
      return facts_[a].legal_from < facts_[b].legal_from;
    });
    return say(v1::Unplaced::TOO_FRESH,
               absl::StrCat("those who could make room for ", size, " have not worked long enough",
                            first < 0 ? ""
                                      : absl::StrCat(": `", fleet_.jobs()[first].called(),
                                                     "` may leave in ",
                                                     (facts_[first].legal_from - facts_.now() +
                                                      kSecond - 1) /
                                                         kSecond,
                                                     " s")));
  }
  if (IsPossible(index, kind, kLeaves | kWorked, Room::Held::kKept) ||
      IsPossible(index, kind, kLeaves, Room::Held::kKept)) {
    const int first = First(index, kind, kLeaves, kConsents, [this](int a, int b) {
      return facts_[a].cost < facts_[b].cost;
    });
    return say(v1::Unplaced::NO_CONSENT,
               absl::StrCat("those who could make room for ", size, " have not consented",
                            first < 0 ? ""
                                      : absl::StrCat(", such as `", fleet_.jobs()[first].called(),
                                                     "`")));
  }
  if (holds && IsPossible(index, kind, kLeaves, Room::Held::kIgnored)) return held();
  say(v1::Unplaced::NO_LOWER,
      absl::StrCat("what runs is not lower than preemption priority ",
                   job.message.preemption_priority(), " by ", facts_.gap(),
                   " and by class, or too little for ", size));
}

}  // namespace precedent::internal
