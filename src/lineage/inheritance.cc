#include "src/lineage/inheritance.h"

#include <algorithm>

namespace precedent::lineage {

Inheritance::Job& Inheritance::At(JobSlot job) {
  if (job >= jobs_.size()) jobs_.resize(std::max<std::size_t>(job + 1, jobs_.size() * 2));
  return jobs_[job];
}

void Inheritance::Enqueue(JobSlot job) {
  Job& j = At(job);
  if (j.queued) return;
  j.queued = true;
  queue_.push({graph_.facts(job).depth, job});
}

void Inheritance::EnqueueParents(JobSlot job) {
  for (const LineageEdge edge : graph_.parents(job))
    if (edge.relation == Relation::kDependsOn && At(edge.job).lives) Enqueue(edge.job);
}

void Inheritance::Set(JobSlot job, std::int32_t own) {
  Job& j = At(job);
  if (j.lives && j.own == own) return;
  if (!j.lives) {
    j.lives = true;
    j.is_new = true;
    j.steps.clear();
    ++j.life;
  }
  j.own = own;
  if (j.is_new) Build(job);
  Enqueue(job);
}

void Inheritance::Remove(JobSlot job) {
  Job& j = At(job);
  if (!j.lives) return;
  j.lives = false;
  ++j.life;  // nothing that it offered holds any more
  j.steps.clear();
  j.steps.shrink_to_fit();
  if (j.offers != nullptr) {
    for (const Offers& offers : *j.offers) heap_bytes_ -= offers.heap.capacity() * sizeof(Offer);
    j.offers.reset();
  }
  if (rules_.enabled()) EnqueueParents(job);
}

void Inheritance::Build(JobSlot job) {
  {
    Job& j = At(job);
    if (!j.lives) return;
    if (j.offers != nullptr)
      for (const Offers& offers : *j.offers) heap_bytes_ -= offers.heap.capacity() * sizeof(Offer);
    j.offers.reset();
  }
  Enqueue(job);
  if (!rules_.enabled()) return;
  for (const LineageEdge edge : graph_.children(job)) {
    if (edge.relation != Relation::kDependsOn || edge.job >= jobs_.size()) continue;
    const Job& child = jobs_[edge.job];
    if (!child.lives || child.is_new) continue;
    MakeOffer(job, {0, child.own}, edge.job);
    for (const Step& step : child.steps) MakeOffer(job, step, edge.job);
  }
}

void Inheritance::MakeOffer(JobSlot to, const Step& step, JobSlot from) {
  Job& j = jobs_[to];
  if (j.offers == nullptr) j.offers = std::make_unique<std::vector<Offers>>();
  auto at = std::lower_bound(j.offers->begin(), j.offers->end(), step.hops,
                             [](const Offers& o, std::int32_t hops) { return o.hops < hops; });
  if (at == j.offers->end() || at->hops != step.hops) {
    at = j.offers->insert(at, Offers());
    at->hops = step.hops;
  }
  const std::size_t before = at->heap.capacity();
  at->heap.push_back({step.value, from, jobs_[from].life});
  std::push_heap(at->heap.begin(), at->heap.end());
  heap_bytes_ += (at->heap.capacity() - before) * sizeof(Offer);
  if (at->heap.size() >= at->tidy_at) Tidy(*at);
}

bool Inheritance::Holds(const Offer& offer, std::int32_t hops) const {
  const Job& j = jobs_[offer.from];
  if (!j.lives || j.life != offer.life) return false;
  if (hops == 0) return j.own == offer.value;
  return std::find(j.steps.begin(), j.steps.end(), Step{hops, offer.value}) != j.steps.end();
}

void Inheritance::DropStale(Offers& offers) {
  while (!offers.heap.empty() && !Holds(offers.heap.front(), offers.hops)) {
    std::pop_heap(offers.heap.begin(), offers.heap.end());
    offers.heap.pop_back();
  }
}

// At most every second of them is stale or a twin afterwards, so that this costs
// O(log n) for each offer made.
void Inheritance::Tidy(Offers& offers) {
  std::vector<Offer>& heap = offers.heap;
  heap.erase(std::remove_if(heap.begin(), heap.end(),
                            [&](const Offer& o) { return !Holds(o, offers.hops); }),
             heap.end());
  std::sort(heap.begin(), heap.end(), [](const Offer& a, const Offer& b) { return b < a; });
  heap.erase(std::unique(heap.begin(), heap.end(),
                         [](const Offer& a, const Offer& b) { return !(a < b) && !(b < a); }),
             heap.end());
  offers.tidy_at = std::max<std::size_t>(64, heap.size() * 2);
}

std::vector<Inheritance::Step> Inheritance::Compute(JobSlot job) {
  std::vector<Step> steps;
  Job& j = jobs_[job];
  if (!rules_.enabled() || j.offers == nullptr) return steps;
  std::int64_t best = j.own;
  for (Offers& offers : *j.offers) {
    if (offers.hops >= rules_.max_hops) break;
    DropStale(offers);
    if (offers.heap.empty()) continue;
    const std::int64_t value = std::int64_t{offers.heap.front().value} - rules_.decay_per_hop;
    if (value <= best) continue;
    best = value;
    steps.push_back({offers.hops + 1, static_cast<std::int32_t>(value)});
  }
  return steps;
}

void Inheritance::Settle(std::vector<JobSlot>* changed) {
  while (!queue_.empty()) {
    const JobSlot job = queue_.top().second;
    queue_.pop();
    Job& j = jobs_[job];
    j.queued = false;
    if (!j.lives) continue;
    std::vector<Step> steps = Compute(job);
    const bool is_new = std::exchange(j.is_new, false);
    const std::int32_t offered = std::exchange(j.offered, j.own);
    const bool own_changed = is_new || offered != j.own;
    if (!own_changed && steps == j.steps) continue;
    const std::int32_t before = j.steps.empty() ? offered : j.steps.back().value;
    steps.swap(j.steps);  // `steps`: the old ones
    if (is_new || priority(job) != before) changed->push_back(job);
    if (!rules_.enabled()) continue;
    for (const LineageEdge edge : graph_.parents(job)) {
      if (edge.relation != Relation::kDependsOn || !At(edge.job).lives) continue;
      // At may have moved the jobs.
      const Job& now = jobs_[job];
      if (own_changed) MakeOffer(edge.job, {0, now.own}, job);
      for (const Step& step : now.steps)
        if (std::find(steps.begin(), steps.end(), step) == steps.end())
          MakeOffer(edge.job, step, job);
      Enqueue(edge.job);
    }
  }
}

JobSlot Inheritance::Source(JobSlot job) const {
  if (jobs_[job].steps.empty()) return job;
  for (std::int32_t hops = jobs_[job].steps.back().hops; hops > 0; --hops) {
    const std::vector<Offers>& all = *jobs_[job].offers;
    const auto at =
        std::lower_bound(all.begin(), all.end(), hops - 1,
                         [](const Offers& o, std::int32_t h) { return o.hops < h; });
    // Rules that changed may not have reached this job yet.
    if (at == all.end() || at->hops != hops - 1 || at->heap.empty() ||
        !Holds(at->heap.front(), hops - 1))
      return job;
    job = at->heap.front().from;
  }
  return job;
}

}  // namespace precedent::lineage
