// Why a job gets no place.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "src/preemption/round.h"

namespace precedent::internal {

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
                         : absl::StrCat(": `", first->called(), "` may leave in ",
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
                     first == nullptr ? "" : absl::StrCat(", such as `", first->called(), "`")));
  }
  if (!holds_.empty() && Possible(index, 0))
    return say(v1::Unplaced::HELD, "room for it is kept for others");
  say(v1::Unplaced::NO_LOWER, absl::StrCat("what runs is not lower than preemption priority ",
                                           job.message->preemption_priority(), " by ", gap_,
                                           " and by class, or too little for ", size));
}

}  // namespace precedent::internal
