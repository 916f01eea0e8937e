// Evaluator: a compiled policy.
//
//   precedent::Decision decision = evaluator.Evaluate(job, now);
//
// An Evaluator is backed by one position-independent block of memory, its image,
// and everything it does is in this header and the headers it includes: a program
// that has an image needs nothing else, no library to link. Images come from
// `precedent compile` (or `--as=header`) and from CompiledPolicy.
//
// Evaluation cannot fail, throws nothing, allocates nothing, takes no lock and
// makes no system call (but see lock_free). It is deterministic: the same image,
// job and time give the same decision on every machine.
//
// Time: Bind costs one probe per text and a search per number that the policy
// looks at; Evaluate follows the rules filed under the job's values and those that
// apply, not the rules written. A policy with few combinations of values is a table. Stack: below 48 KiB, whatever the policy.
//
// Thread-safety: immutable. Any number of threads may use one Evaluator at once.
#ifndef PRECEDENT_EVALUATOR_H_
#define PRECEDENT_EVALUATOR_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "precedent/decision.h"
#include "precedent/internal/abi.h"
#include "precedent/internal/batch.h"
#include "precedent/internal/bind.h"
#include "precedent/internal/image.h"
#include "precedent/internal/run.h"
#include "precedent/internal/table.h"
#include "precedent/internal/validate.h"
#include "precedent/job_descriptor.h"
#include "precedent/lineage_rules.h"
#include "precedent/span.h"
#include "precedent/time.h"

namespace precedent {
namespace internal {
class EvaluatorMaker;  // of the compiler
}

inline namespace PRECEDENT_ABI {

// A sentence for people: lower case, no final period.
constexpr std::string_view ImageErrorText(ImageError error) noexcept {
  switch (error) {
    case ImageError::kNone: return "no error";
    case ImageError::kTruncated: return "the image is shorter than it says: copy it again";
    case ImageError::kMisaligned: return "the image does not begin at a multiple of 8 bytes";
    case ImageError::kNotAnImage: return "not an image: make one with `precedent compile`";
    case ImageError::kWrongFormat:
      return "the image is for another release or kind of machine: compile the policy again";
    case ImageError::kWrongSum: return "the image is damaged: its checksum does not match";
    case ImageError::kCorrupt: return "the image is corrupt: an offset or index is out of range";
  }
  return "unknown error";
}

// A job bound to one evaluator: its values turned into the small numbers that this
// evaluator's rules ask for. Evaluating it again as time passes costs no text
// comparison. A view of bytes that the caller owns; it keeps nothing of the
// JobDescriptor. Using it with another evaluator is undefined.
class BoundJob {
 public:
  BoundJob() noexcept = default;
  const std::byte* data() const noexcept { return data_; }

 private:
  friend class Evaluator;
  explicit BoundJob(const std::byte* data) noexcept : data_(data) {}
  const std::byte* data_ = nullptr;
};

struct Annotation {
  std::string_view key;
  std::string_view value;
};

// What an Evaluator tells about one of its rules. Borrows from the evaluator.
struct RuleInfo {
  std::string_view id;
  std::uint32_t stage = 0;                     // index of its stage
  std::optional<std::string_view> warning;     // text of `warn`
  std::uint32_t annotation_count = 0;          // for Evaluator::annotation
};

class Evaluator {
 public:
  // Checks magic, format number, checksum and every offset and index of `image`, and
  // borrows it: the bytes must outlive the Evaluator, its copies and its decisions.
  // On error empty, and the reason in `*error` where that is given. Linear in the
  // image; safe on hostile bytes. The errors are those of ImageError.
  static std::optional<Evaluator> FromImage(Span<const std::byte> image,
                                            ImageError* error = nullptr) noexcept {
    const ImageError result = internal::Validator::Validate(image.data(), image.size());
    if (error != nullptr) *error = result;
    if (result != ImageError::kNone) return std::nullopt;
    return Evaluator(internal::Image(image.data()), nullptr, nullptr);
  }

  // The decision for `job` at `now`. Same as Evaluate(Bind(job), now).
  Decision Evaluate(const JobDescriptor& job, TimePoint now) const noexcept {
    Decision decision;
    internal::DecideJob(image_, matcher_, job, now.time_since_epoch().count(), &decision);
    return decision;
  }

  // Bytes of one bound job, a multiple of 8, at most 32 KiB; for most policies well
  // below 200, for tiny ones 8 to 48.
  std::size_t bound_size() const noexcept { return internal::BoundSize(image_.header()); }

  // Binds `job` into `storage`, which the caller owns and keeps while the result
  // is used. REQUIRES: storage.size() >= bound_size(), aligned to 8 bytes.
  BoundJob Bind(const JobDescriptor& job, Span<std::byte> storage) const noexcept {
    internal::Binder(image_, matcher_, storage.data()).Bind(job);
    return BoundJob(storage.data());
  }

  // The decision for a job bound to this evaluator.
  Decision Evaluate(BoundJob job, TimePoint now) const noexcept {
    Decision decision;
    internal::DecideBound(image_, job.data(), now.time_since_epoch().count(), &decision);
    return decision;
  }

  // The decisions for many bound jobs, such as a whole queue, at one time:
  // decisions[i] is Evaluate(jobs[i], now). Cheaper than one at a time where there are
  // many rules, because jobs that look at the same rules are evaluated together.
  // REQUIRES: decisions.size() >= jobs.size().
  void Evaluate(Span<const BoundJob> jobs, TimePoint now,
                Span<Decision> decisions) const noexcept {
    internal::EvaluateBatch(
        image_, jobs.size(), [&](std::size_t i) { return jobs[i].data(); },
        now.time_since_epoch().count(), decisions.data());
  }

  // Indexes of the rules that applied, in order: writes the first rules.size() of
  // them and returns how many there are. None for an invalid job.
  std::size_t AppliedRules(BoundJob job, TimePoint now, Span<std::uint32_t> rules) const noexcept {
    std::size_t count = 0;
    internal::ForAppliedRules(image_, job.data(), now.time_since_epoch().count(),
                              [&](std::uint32_t rule) {
                                if (count < rules.size()) rules[count] = rule;
                                ++count;
                              });
    return count;
  }
  std::size_t AppliedRules(const JobDescriptor& job, TimePoint now,
                           Span<std::uint32_t> rules) const noexcept {
    alignas(8) std::byte storage[internal::kMaxBoundSize];
    return AppliedRules(Bind(job, storage), now, rules);
  }

  // Number of rules, in all stages; rules are numbered from 0 in policy order.
  std::uint32_t rule_count() const noexcept { return image_.header().rules.count; }

  // About a rule by its number. REQUIRES: rule < rule_count().
  RuleInfo rule(std::uint32_t rule) const noexcept {
    const internal::Header& h = image_.header();
    RuleInfo info;
    const std::uint32_t* ids = image_.begin(h.rule_ids);
    info.id = image_.text({ids[rule], ids[rule + 1] - ids[rule]});
    const std::uint32_t* stages = image_.begin(h.stage_ends);
    info.stage = static_cast<std::uint32_t>(
        std::upper_bound(stages, stages + h.stage_ends.count, rule) - stages);
    if ((image_.at(h.rules, rule).flags & internal::Rule::kOutcome) != 0) {
      const internal::Outcome& o = image_.at(h.outcomes, image_.OutcomeOf(rule));
      if ((o.flags & internal::Outcome::kWarn) != 0) info.warning = image_.text(o.warn);
      info.annotation_count = o.annotation_count;
    }
    return info;
  }

  // REQUIRES: i < rule(rule).annotation_count. Over the applied rules in order, the
  // last one wins per key.
  Annotation annotation(std::uint32_t rule, std::uint32_t i) const noexcept {
    const internal::Header& h = image_.header();
    const internal::Outcome& o = image_.at(h.outcomes, image_.OutcomeOf(rule));
    const internal::KeyValue& a = image_.at(h.annotations, o.annotation_begin + i);
    return {image_.text(a.key), image_.text(a.value)};
  }

  // Number of priority classes; from 0 in ascending order of their at_least.
  std::uint32_t class_count() const noexcept { return image_.header().classes.count; }

  // A class's name, as Decision::priority_class has it. REQUIRES: i < class_count().
  std::string_view class_name(std::uint32_t i) const noexcept {
    return image_.text(image_.at(image_.header().classes, i).name);
  }

  // Policy.name and Policy.generation.
  std::string_view name() const noexcept { return image_.text(image_.header().name); }
  std::int64_t generation() const noexcept { return image_.header().generation; }
  // Policy.propagation and Policy.stability, for whoever keeps priorities up to date.
  Propagation propagation() const noexcept {
    const internal::Header& h = image_.header();
    return {static_cast<PropagateFrom>(h.propagation_from), h.decay_per_hop, h.max_hops};
  }
  Stability stability() const noexcept {
    const internal::Header& h = image_.header();
    return {h.min_change, h.min_interval_seconds, h.max_changes_per_hour};
  }
  // 32 hexadecimal digits that name the policy's content: two policies have the same
  // exactly when they have the same canonical text (but for a chance of 2^-128).
  std::string_view fingerprint() const noexcept {
    return image_.text(image_.header().fingerprint);
  }

  // False if the policy has a pattern that is no literal, prefix, suffix or part: it may
  // need RE2, which takes a lock and may allocate (many become automata, which do
  // neither, and are not told apart here). Such a policy has no image.
  bool lock_free() const noexcept { return image_.header().regex_count == 0; }

  // The block, for writing to a file that FromImage reads back; empty unless
  // lock_free(). Borrows from the evaluator.
  Span<const std::byte> image() const noexcept {
    return lock_free() ? Span<const std::byte>(image_.base(), size_bytes())
                       : Span<const std::byte>();
  }

  // Bytes of the block, whether or not it may be written.
  std::size_t size_bytes() const noexcept { return image_.header().size; }

 private:
  friend class internal::EvaluatorMaker;
  Evaluator(internal::Image image, const internal::PatternMatcher* matcher,
            std::shared_ptr<const void> owner) noexcept
      : image_(image), matcher_(matcher), owner_(std::move(owner)) {}

  internal::Image image_;
  const internal::PatternMatcher* matcher_ = nullptr;
  // Keeps the block and the patterns alive; null where they are borrowed.
  std::shared_ptr<const void> owner_;
};

}  // namespace PRECEDENT_ABI
}  // namespace precedent

#endif  // PRECEDENT_EVALUATOR_H_
