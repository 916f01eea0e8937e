// Random sequences of submissions and events, with repetitions, in any order, forged,
// in circles, with and without forgetting: after each step every job's facts are the
// model's; where jobs are forgotten, no count is below the model's.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "precedent/lineage.h"
#include "tests/lineage_model/model.h"

namespace precedent::lineage_model {
namespace {

std::uint64_t Setting(const char* name, std::uint64_t otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

std::string Text(const Lineage& f) {
  std::ostringstream out;
  out << "failures " << f.failure_count << " losses " << f.infrastructure_failure_count
      << " preemptions " << f.preemption_count << " attempt " << f.attempt << " depth "
      << f.depth << " step " << f.step << " runtime " << f.predecessor_runtime_seconds
      << " progress " << f.progress << " reported " << f.reported_priority << " preempted "
      << f.retry_of_preempted;
  return out.str();
}

class Sequence {
 public:
  Sequence(std::uint64_t seed, bool forgets)
      : random_(seed), forgets_(forgets), options_(Options(forgets)), graph_(options_), model_(options_) {}

  // False: it failed; what happened is in log().
  bool Run(int steps) {
    for (int i = 0; i < steps && good_; ++i) {
      now_ += Below(4) == 0 ? Below(60'000'000) : Below(3'000'000);
      touched_.clear();
      if (Below(3) == 0) {
        Submit();
      } else if (forgets_ && Below(6) == 0) {
        graph_.Advance(Time(now_));
        log_ << "advance " << now_ << "\n";
      } else {
        Apply();
      }
      Compare();
    }
    return good_;
  }
  std::string log() const { return log_.str(); }

 private:
  static LineageOptions Options(bool forgets) {
    LineageOptions options;
    options.max_jobs = forgets ? 6 : 64;
    options.max_depth = 5;
    options.max_children = 3;
    options.max_parents = 3;
    options.retry_window = std::chrono::seconds(200);
    options.retention = std::chrono::seconds(100);
    options.max_kept_events = forgets ? 0 : 1000;
    return options;
  }
  std::int64_t Below(std::int64_t n) { return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(n)); }
  static TimePoint Time(std::int64_t t) { return TimePoint(std::chrono::microseconds(t)); }
  // Mostly late, sometimes far off.
  std::int64_t SomeTime() {
    if (forgets_) return now_ - (Below(3) == 0 ? Below(5'000'000) : 0);
    return Below(10) == 0 ? Below(2 * now_) : now_ - Below(30'000'000);
  }
  void Fail(const std::string& what) {
    good_ = false;
    log_ << "FAILED: " << what << "\n";
  }

  void Submit() {
    static const std::string owners[] = {"a", "b"};
    static const std::string keys[] = {"", "k", "l"};
    const bool again = !ids_.empty() && Below(6) == 0;
    std::string id = again ? ids_[static_cast<std::size_t>(Below(static_cast<std::int64_t>(ids_.size())))]
                           : "j" + std::to_string(next_++);
    // Now and then an id that does not fit where most do.
    if (!again && Below(8) == 0) id += std::string(static_cast<std::size_t>(30 + Below(300)), 'x');
    if (forgets_ && again && !graph_.Find(id).has_value()) return;
    Stored s;
    if (again && Below(2) == 0 && stored_.count(id) != 0) {
      s = stored_[id];
    } else {
      s.owner = owners[Below(5) == 0];
      s.key = keys[Below(3)];
      s.submitted = forgets_ ? now_ : SomeTime();
      for (std::int64_t n = Below(4); n > 0; --n) {
        std::string parent = "unknown";
        if (Below(20) != 0 && !ids_.empty())
          parent = ids_[ids_.size() - 1 - static_cast<std::size_t>(Below(std::min<std::int64_t>(8, static_cast<std::int64_t>(ids_.size()))))];
        if (Below(30) == 0) parent = id;
        if (!forgets_ && s.owner == owners[0] && stored_.count(parent) != 0)
          s.submitted = std::max(s.submitted, stored_[parent].submitted - (Below(20) == 0));
        s.parents.push_back({parent, static_cast<Relation>(1 + Below(3))});
      }
      if (Below(8) == 0) {
        s.carried.failure_count = Below(3);
        s.carried.preemption_count = Below(3);
        s.carried.attempt = Below(4);
        s.carried.depth = Below(2);
        s.carried.step = Below(3);
        if (Below(2) == 0) s.carried.progress = 0.25;
        s.carried.retry_of_preempted = Below(2) == 0;
      }
    }
    std::vector<ParentRef> refs;
    log_ << "submit " << id << " owner " << s.owner << " key `" << s.key << "` at " << s.submitted;
    for (const auto& [parent, relation] : s.parents) {
      refs.push_back({parent, relation});
      log_ << " " << static_cast<int>(relation) << ":" << parent;
    }
    log_ << " carried " << Text(s.carried) << "\n";
    Submission submission;
    submission.id = id;
    submission.owner = s.owner;
    submission.lineage_key = s.key;
    submission.submitted = Time(s.submitted);
    submission.parents = Span<const ParentRef>(refs.data(), refs.size());
    submission.carried = s.carried;
    const bool known = model_.Knows(id);
    const std::set<absl::StatusCode> refusals = model_.Refusals(submission);
    const auto result = graph_.Submit(submission, &touched_);
    log_ << "  " << result.status() << "\n";
    if (!forgets_) {
      if (result.ok() != refusals.empty()) return Fail("the model says otherwise");
      if (!result.ok() && refusals.count(result.status().code()) == 0) return Fail("another code");
      if (result.ok() && (*result == Applied::kNothingNew) != known) return Fail("another answer");
    }
    if (!result.ok() || known) return;
    ids_.push_back(id);
    stored_[id] = s;
    // The full graph may have forgotten one to make room.
    FreezeForgotten();
    model_.Submit(submission);
  }

  void Apply() {
    if (ids_.empty()) return;
    std::string id = ids_[ids_.size() - 1 - static_cast<std::size_t>(Below(std::min<std::int64_t>(10, static_cast<std::int64_t>(ids_.size()))))];
    // One that is not submitted yet; with luck it will be.
    if (Below(12) == 0) id = "j" + std::to_string(next_ + Below(2));
    JobEvent event;
    if (Below(5) == 0 && !events_.empty()) {  // again, or late
      const auto& [old, copy] = events_[static_cast<std::size_t>(Below(static_cast<std::int64_t>(events_.size())))];
      id = old;
      event = copy;
    } else {
      event.attempt = static_cast<std::int32_t>(Below(40) == 0 ? Below(60) : Below(5));
      event.kind = static_cast<EventKind>(1 + Below(7));
      if (Below(3) == 0) event.kind = EventKind::kFailed;
      event.cause = static_cast<Cause>(Below(3));
      event.time = Time(SomeTime());
      if (event.kind == EventKind::kProgress) {
        if (Below(2) == 0) event.step = Below(5);
        if (Below(2) == 0) event.progress = static_cast<double>(Below(5)) / 4;
        if (Below(2) == 0) event.reported_priority = static_cast<double>(Below(100)) - 50;
      }
      events_.push_back({id, event});
    }
    event.job = id;
    const bool known = graph_.Find(id).has_value();
    const auto result = graph_.Apply(event, &touched_);
    log_ << "event " << id << " attempt " << event.attempt << " kind "
         << static_cast<int>(event.kind) << " cause " << static_cast<int>(event.cause) << " at "
         << event.time.time_since_epoch().count() << ": "
         << (result.ok() ? std::to_string(static_cast<int>(*result)) : result.status().ToString())
         << "\n";
    if (forgets_) {
      if (result.ok() != known) return Fail("known or not");
      if (!known) return;
    } else {
      if (!result.ok()) return Fail("refused");
      if ((*result == Applied::kKept) != !known) return Fail("kept or not");
    }
    if (known && *result == Applied::kNothingNew && !touched_.empty())
      return Fail("nothing new, but touched");
    model_.Apply(event);
  }

  void FreezeForgotten() {
    if (!forgets_) return;
    for (const std::string& id : ids_)
      if (model_.Knows(id) && !graph_.Find(id).has_value()) model_.Freeze(id);
  }

  void Compare() {
    FreezeForgotten();
    std::map<std::string, std::string> now;
    std::set<std::string> touched;
    for (const JobSlot slot : touched_)
      if (!touched.insert(std::string(graph_.id(slot))).second) return Fail("touched twice");
    std::size_t known = 0;
    for (const auto& [id, job] : model_.jobs()) {
      const std::optional<JobSlot> slot = graph_.Find(id);
      const std::optional<Lineage> facts = graph_.Facts(id);
      if (slot.has_value() != facts.has_value()) return Fail("found or not: " + id);
      if (!slot.has_value()) {
        if (!forgets_) return Fail("it is gone: " + id);
        continue;
      }
      ++known;
      if (Text(*facts) != Text(graph_.facts(*slot))) return Fail("writer and reader differ: " + id);
      now[id] = Text(*facts) + " state " + std::to_string(static_cast<int>(graph_.state(*slot)));
      const bool living = graph_.living(*slot);
      if (living == job.ended.has_value()) return Fail("living or not: " + id);
      const Lineage& want = job.facts;
      const bool right =
          forgets_ ? facts->failure_count >= want.failure_count &&
                         facts->infrastructure_failure_count >= want.infrastructure_failure_count &&
                         facts->preemption_count >= want.preemption_count &&
                         facts->attempt >= want.attempt
                   : Text(*facts) == Text(want);
      if (!right) return Fail(id + "\n  is     " + Text(*facts) + "\n  wanted " + Text(want));
    }
    if (known != graph_.jobs()) return Fail("another number of jobs");
    for (const auto& [id, text] : now)
      if (before_.count(id) != 0 && before_[id] != text && touched.count(id) == 0)
        return Fail("it changed without being touched: " + id);
    before_ = now;
  }

  struct Stored {
    std::string owner, key;
    std::int64_t submitted = 0;
    std::vector<std::pair<std::string, Relation>> parents;
    Lineage carried;
  };

  std::mt19937_64 random_;
  const bool forgets_;
  const LineageOptions options_;
  LineageGraph graph_;
  Model model_;
  bool good_ = true;
  std::ostringstream log_;
  std::int64_t now_ = 1'000'000'000;
  int next_ = 0;
  std::vector<std::string> ids_;
  std::map<std::string, Stored> stored_;
  std::vector<std::pair<std::string, JobEvent>> events_;
  std::vector<JobSlot> touched_;
  std::map<std::string, std::string> before_;
};

void RunMany(bool forgets) {
  const std::uint64_t count = Setting("PRECEDENT_SEQUENCES", 8000);
  const std::uint64_t seed = Setting("PRECEDENT_SEED", 1);
  for (std::uint64_t i = 0; i < count / 2; ++i) {
    // The shorter the sooner: most faults show in few steps.
    const int steps = i % 4 == 0 ? 60 : 20;
    Sequence sequence(seed + i, forgets);
    ASSERT_TRUE(sequence.Run(steps)) << "PRECEDENT_SEED=" << seed + i << "\n" << sequence.log();
  }
}

TEST(LineageModel, FactsAreTheModels) { RunMany(false); }
TEST(LineageModel, ForgettingNeverLowersACount) { RunMany(true); }

}  // namespace
}  // namespace precedent::lineage_model
