#include "tests/differential/subject.h"

#include <chrono>
#include <cstring>
#include <map>
#include <string_view>
#include <utility>

#include "tests/differential/calls.h"

namespace precedent::differential {
namespace {

TimePoint At(std::int64_t us) { return TimePoint(std::chrono::microseconds(us)); }

std::string Show(std::string_view text) { return '"' + std::string(text) + '"'; }
std::string Show(std::int64_t number) { return std::to_string(number); }

// Collects what differs.
class Difference {
 public:
  template <typename T>
  void Expect(const char* what, const T& expected, const T& actual) {
    if (expected == actual) return;
    text_ +=
        std::string("  ") + what + ": expected " + Show(expected) + ", got " + Show(actual) + "\n";
  }
  std::string text(const std::string& title) const {
    return text_.empty() ? text_ : title + ":\n" + text_;
  }

 private:
  std::string text_;
};

std::string Different(const std::string& title, const Decision& a, const Decision& b,
                      bool valid_until = true) {
  Difference difference;
  difference.Expect<std::int64_t>("priority", a.priority, b.priority);
  difference.Expect<std::int64_t>("preemption_priority", a.preemption_priority,
                                  b.preemption_priority);
  difference.Expect("priority_class", a.priority_class, b.priority_class);
  difference.Expect<std::int64_t>("reason", static_cast<int>(a.reason), static_cast<int>(b.reason));
  difference.Expect<std::int64_t>("verdict", static_cast<int>(a.verdict),
                                  static_cast<int>(b.verdict));
  difference.Expect<std::int64_t>("preemptible", a.preemptible, b.preemptible);
  difference.Expect<std::int64_t>("never_preempt_others", a.never_preempt_others,
                                  b.never_preempt_others);
  difference.Expect<std::int64_t>("limit_runtime_seconds", a.limit_runtime_seconds,
                                  b.limit_runtime_seconds);
  difference.Expect("share_identifier", a.share_identifier, b.share_identifier);
  difference.Expect("denial", a.denial, b.denial);
  difference.Expect<std::int64_t>("ignored_claims", a.ignored_claims, b.ignored_claims);
  difference.Expect("policy_fingerprint", a.policy_fingerprint, b.policy_fingerprint);
  if (valid_until)
    difference.Expect<std::int64_t>("valid_until", a.valid_until.time_since_epoch().count(),
                                    b.valid_until.time_since_epoch().count());
  return difference.text(title);
}

// What the reference expects as the library would say it. Borrows from both.
Decision Expected(const reference::Outcome& outcome, const Evaluator& evaluator) {
  Decision decision;
  decision.priority = outcome.priority;
  decision.preemption_priority = outcome.preemption_priority;
  decision.reason = static_cast<Reason>(outcome.reason);
  decision.verdict = static_cast<Verdict>(outcome.verdict);
  decision.preemptible = outcome.preemptible;
  decision.never_preempt_others = outcome.never_preempt_others;
  decision.limit_runtime_seconds = outcome.limit_runtime_seconds;
  decision.ignored_claims = outcome.ignored_claims;
  decision.priority_class = outcome.priority_class;
  decision.share_identifier = outcome.share_identifier;
  decision.denial = outcome.denial;
  if (outcome.valid_until_us) decision.valid_until = At(*outcome.valid_until_us);
  decision.policy_fingerprint = evaluator.fingerprint();
  return decision;
}

Span<std::byte> Bytes(std::vector<std::uint64_t>* words) {
  return Span<std::byte>(reinterpret_cast<std::byte*>(words->data()), words->size() * 8);
}

}  // namespace

std::unique_ptr<Subject> Subject::Make(const v1::Policy& policy, std::string* error) {
  CompileResult result = CompilePolicy(policy);
  if (!result.policy) {
    *error = "the policy does not compile:\n";
    for (const Issue& issue : result.issues) *error += "  " + FormatIssue(issue, "policy") + "\n";
    return nullptr;
  }
  std::unique_ptr<Subject> subject(new Subject(policy, *std::move(result.policy)));
  const Evaluator& evaluator = subject->evaluator();
  if (evaluator.lock_free() == evaluator.image().empty()) {
    *error = "a policy has an image exactly if it is lock-free";
    return nullptr;
  }
  if (evaluator.fingerprint().size() != 32) {
    *error = "the fingerprint has not 32 digits";
    return nullptr;
  }
  if (evaluator.lock_free()) {
    const Span<const std::byte> image = evaluator.image();
    subject->image_.assign(image.size() / 8 + 1, 0);
    std::memcpy(subject->image_.data(), image.data(), image.size());
    ImageError image_error = ImageError::kNone;
    subject->from_image_ = CallFromImage(
        Span<const std::byte>(reinterpret_cast<const std::byte*>(subject->image_.data()),
                              image.size()),
        &image_error);
    if (!subject->from_image_) {
      *error = "its image is refused: " + std::string(ImageErrorText(image_error));
      return nullptr;
    }
  }
  subject->bound_.resize(evaluator.bound_size() / 8);
  subject->rules_.resize(evaluator.rule_count());
  subject->bound_rules_.resize(evaluator.rule_count());
  return subject;
}

std::string Subject::Check(const reference::Job& job, std::int64_t now_us,
                           const CheckOptions& options, reference::Outcome* outcome) {
  reference::Outcome mine;
  reference::Outcome& expected = outcome == nullptr ? mine : *outcome;
  expected = reference_.Decide(job, now_us);
  const View view(job);
  const TimePoint now = At(now_us);
  const Decision decision = CallEvaluate(evaluator(), view.job(), now);
  std::string difference = Different("Evaluate(job), expected is the reference",
                                     Expected(expected, evaluator()), decision);
  if (difference.empty()) difference = CheckRules(view.job(), now, expected);
  if (difference.empty()) difference = CheckForms(view.job(), now, decision);
  if (difference.empty() && options.later_times) difference = CheckLater(view.job(), now, decision);
  if (difference.empty() && options.explain) {
    difference = Different("Explain, expected is Evaluate(job)", decision,
                           ExplainedDecision(compiled_, view.job(), now, decision));
  }
  return difference;
}

std::string Subject::CheckRules(const JobDescriptor& job, TimePoint now,
                                const reference::Outcome& expected) {
  const std::size_t count = CallAppliedRules(evaluator(), job, now, rules_);
  std::vector<std::string> ids, warnings;
  std::map<std::string, std::string> annotations;
  bool in_range = count <= rules_.size();
  for (std::size_t i = 0; in_range && i < count; ++i) {
    if (rules_[i] >= evaluator().rule_count()) {
      in_range = false;
      break;
    }
    const RuleInfo rule = evaluator().rule(rules_[i]);
    ids.emplace_back(rule.id);
    if (rule.warning) warnings.emplace_back(*rule.warning);
    for (std::uint32_t j = 0; j < rule.annotation_count; ++j) {
      const Annotation annotation = evaluator().annotation(rules_[i], j);
      annotations[std::string(annotation.key)] = std::string(annotation.value);
    }
  }
  if (in_range && ids == expected.rules && warnings == expected.warnings &&
      annotations == expected.annotations) {
    // A short span gets the first ones and the count of all.
    const std::size_t room = count / 2;
    std::vector<std::uint32_t> some(room + 1, UINT32_MAX);
    if (CallAppliedRules(evaluator(), job, now, Span<std::uint32_t>(some.data(), room)) != count ||
        !std::equal(some.begin(), some.begin() + room, rules_.begin()) || some[room] != UINT32_MAX)
      return "AppliedRules into half the room differs\n";
    return "";
  }
  std::string text = "AppliedRules:\n  expected";
  for (const std::string& id : expected.rules) text += " " + id;
  text += "\n  got     ";
  for (const std::string& id : ids) text += " " + id;
  text += in_range ? "\n" : " and what is no rule\n";
  if (warnings != expected.warnings) text += "  warnings differ\n";
  if (annotations != expected.annotations) text += "  annotations differ\n";
  return text;
}

std::string Subject::CheckForms(const JobDescriptor& job, TimePoint now, const Decision& decision) {
  // Whatever was in the storage before must not matter.
  std::memset(bound_.data(), 0xa5, bound_.size() * 8);
  const BoundJob bound = CallBind(evaluator(), job, Bytes(&bound_));
  std::string difference = Different("Evaluate(Bind(job)), expected is Evaluate(job)", decision,
                                     CallEvaluate(evaluator(), bound, now));
  if (!difference.empty()) return difference;
  const std::size_t count = CallAppliedRules(evaluator(), bound, now, bound_rules_);
  const std::size_t unbound_count = CallAppliedRules(evaluator(), job, now, rules_);
  if (count != unbound_count || count > bound_rules_.size() ||
      !std::equal(rules_.begin(), rules_.begin() + count, bound_rules_.begin()))
    return "AppliedRules(Bind(job)) differs from AppliedRules(job)\n";
  if (from_image_) {
    difference = Different("FromImage(image()), expected is Evaluate(job)", decision,
                           CallEvaluate(*from_image_, job, now));
  }
  return difference;
}

std::string Subject::CheckQueue(const std::vector<reference::Job>& jobs, std::int64_t now_us,
                                std::size_t size, Random& random) {
  const TimePoint now = At(now_us);
  const std::size_t words = evaluator().bound_size() / 8;
  for (const bool of_image : {false, true}) {
    if (of_image && !from_image_) continue;
    const Evaluator* either = of_image ? &*from_image_ : &evaluator();
    std::vector<std::uint64_t> storage(jobs.size() * words, ~std::uint64_t{0});
    std::vector<BoundJob> bound;
    std::vector<Decision> alone;
    for (const reference::Job& job : jobs) {
      const Span<std::byte> room(
          reinterpret_cast<std::byte*>(storage.data() + bound.size() * words), words * 8);
      bound.push_back(CallBind(*either, View(job).job(), room));
      alone.push_back(CallEvaluate(*either, bound.back(), now));
    }
    std::vector<std::size_t> which;
    std::vector<BoundJob> queue;
    for (std::size_t i = 0; i < size; ++i) {
      which.push_back(random.Below(jobs.size()));
      queue.push_back(bound[which.back()]);
    }
    Decision untouched;
    untouched.priority = -12345;
    std::vector<Decision> decisions(size + 1, untouched);
    CallEvaluate(*either, Span<const BoundJob>(queue.data(), size), now,
                     Span<Decision>(decisions.data(), size));
    for (std::size_t i = 0; i < size; ++i) {
      const std::string difference =
          Different("Evaluate(jobs)[" + std::to_string(i) + "] of " + std::to_string(size) +
                        ", expected is Evaluate(job)",
                    alone[which[i]], decisions[i]);
      if (!difference.empty()) return difference + reference::ToText(jobs[which[i]]);
    }
    if (decisions[size].priority != untouched.priority) return "Evaluate(jobs) wrote past the end\n";
  }
  return "";
}

std::string Subject::CheckLater(const JobDescriptor& job, TimePoint now, const Decision& decision) {
  const std::int64_t begin = now.time_since_epoch().count();
  std::int64_t end =
      decision.valid_until.time_since_epoch().count() - 1;  // the last that is the same
  if (decision.valid_until == kForever) end = begin + 10'000'000'000'000;
  const auto middle = static_cast<std::int64_t>((static_cast<__int128>(begin) + end) / 2);
  for (std::int64_t later : {end, middle}) {
    std::string difference = Different("Evaluate at " + std::to_string(later) +
                                           " before valid_until, expected is the decision now",
                                       decision, CallEvaluate(evaluator(), job, At(later)));
    if (!difference.empty()) return difference;
  }
  return "";
}

}  // namespace precedent::differential
