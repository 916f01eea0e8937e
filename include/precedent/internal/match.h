// Matching: which rules of a policy match a bound job at a time.
//
// IDEA. A rule matches if any of its clauses does. Clauses are filed in buckets by
// a class that they need, so that a job looks only at the buckets of its own
// classes and at the clauses that fit no bucket. Matching rules become bits of a
// bitmap in policy order: that sorts them and counts a rule with several matching
// clauses once, without allocation and whatever their number.
//
// The bitmap covers a window of kWindow rules. Larger policies are matched window
// by window; buckets are sorted by rule, so each window is a run of each bucket.
#ifndef PRECEDENT_INTERNAL_MATCH_H_
#define PRECEDENT_INTERNAL_MATCH_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "precedent/internal/bind.h"
#include "precedent/internal/clock.h"
#include "precedent/internal/image.h"

namespace precedent {
namespace internal {
inline namespace PRECEDENT_ABI {

inline constexpr std::uint32_t kWindow = 1u << 16;

// A set of rules of one window. Clearing costs 16 words; words are zeroed when they
// are first written.
class RuleBitmap {
 public:
  void Clear() noexcept {
    for (std::uint64_t& word : summary_) word = 0;
  }
  // REQUIRES: i < kWindow.
  void Insert(std::uint32_t i) noexcept {
    const std::uint32_t word = i / 64;
    std::uint64_t& used = summary_[word / 64];
    const std::uint64_t bit = std::uint64_t{1} << (word % 64);
    const std::uint64_t before = (used & bit) != 0 ? words_[word] : 0;
    words_[word] = before | std::uint64_t{1} << (i % 64);
    used |= bit;
  }
  // The least member that is not below `i`; kWindow if there is none.
  std::uint32_t Next(std::uint32_t i) const noexcept {
    if (i >= kWindow) return kWindow;
    const std::uint32_t word = i / 64;
    if ((summary_[word / 64] >> (word % 64) & 1) != 0) {
      const std::uint64_t rest = words_[word] >> (i % 64);
      if (rest != 0) return i + static_cast<std::uint32_t>(__builtin_ctzll(rest));
    }
    // The next word in use, which is never empty.
    std::uint32_t group = (word + 1) / 64;
    if (group == kGroups) return kWindow;
    std::uint64_t used = summary_[group] >> ((word + 1) % 64) << ((word + 1) % 64);
    while (used == 0) {
      if (++group == kGroups) return kWindow;
      used = summary_[group];
    }
    const std::uint32_t next = group * 64 + static_cast<std::uint32_t>(__builtin_ctzll(used));
    return next * 64 + static_cast<std::uint32_t>(__builtin_ctzll(words_[next]));
  }

 private:
  static constexpr std::uint32_t kGroups = kWindow / 64 / 64;
  std::uint64_t summary_[kGroups];    // bit w: words_[w] is in use and not empty
  std::uint64_t words_[kWindow / 64];  // meaningful only where the summary says so
};

class Matcher {
 public:
  Matcher(Image image, const std::byte* bound, Clock* clock) noexcept
      : image_(image), h_(image.header()), job_(h_, bound), clock_(*clock) {}

  // Makes `*matched` the matching rules of [first, first + kWindow), numbered from
  // `first`, and notes in the clock when their conditions change.
  void Match(std::uint32_t first, RuleBitmap* matched) noexcept {
    matched->Clear();
    const Clause* clauses = image_.begin(h_.clauses);
    const Index* indexes = image_.begin(h_.indexes);
    for (std::uint32_t i = 0; i < h_.indexes.count; ++i) {
      const Index& index = indexes[i];
      const std::uint32_t* bounds = image_.begin(h_.bounds) + index.bounds_begin;
      std::uint32_t klass = job_.classes[index.column];
      if (klass >= index.class_count) continue;  // only in an image made by hand
      Scan(clauses + bounds[klass], clauses + bounds[klass + 1], first, matched);
      if (index.affix_begin == kNone) continue;
      const Affix* affixes = image_.begin(h_.affixes) + index.affix_begin;
      while (klass > 1) {
        klass = affixes[klass - 2].parent;
        Scan(clauses + bounds[klass], clauses + bounds[klass + 1], first, matched);
      }
    }
    Scan(clauses + h_.unindexed_begin, clauses + h_.clauses.count, first, matched);
  }

 private:
  void Scan(const Clause* clause, const Clause* end, std::uint32_t first,
            RuleBitmap* matched) noexcept {
    if (h_.rules.count > kWindow) {
      const auto before = [](const Clause& c, std::uint64_t rule) { return c.rule < rule; };
      clause = std::lower_bound(clause, end, std::uint64_t{first}, before);
      end = std::lower_bound(clause, end, std::uint64_t{first} + kWindow, before);
    }
    for (; clause != end; ++clause) {
      if (!ConstraintsHold(*clause)) continue;
      if (clause->scaled_wait != 0) {
        const Rule& rule = image_.at(h_.rules, clause->rule);
        clock_.NoteScaledWait(image_.at(h_.scaled, static_cast<std::uint32_t>(rule.value)));
      }
      if (clause->time != kNone && !clock_.Holds(image_.at(h_.times, clause->time))) continue;
      matched->Insert(clause->rule - first);
    }
  }

  bool ConstraintsHold(const Clause& clause) const noexcept {
    const Constraint* c = image_.begin(h_.constraints) + clause.constraint_begin;
    for (const Constraint* end = c + clause.constraint_count; c != end; ++c)
      if (!Holds(*c)) return false;
    return true;
  }

  bool Holds(const Constraint& c) const noexcept {
    switch (c.kind) {
      case ConstraintKind::kRange:
        return job_.classes[c.column] - c.a <= c.b;
      case ConstraintKind::kMask: {
        const std::uint64_t mask = static_cast<std::uint64_t>(c.b) << 32 | c.a;
        return (mask >> (job_.classes[c.column] & 63) & 1) != 0;
      }
      case ConstraintKind::kRanges: {
        const std::uint32_t klass = job_.classes[c.column];
        const Interval* begin = image_.begin(h_.intervals) + c.a;
        const Interval* next = std::upper_bound(
            begin, begin + c.b, klass,
            [](std::uint32_t value, const Interval& i) { return value < i.low; });
        return next != begin && klass <= next[-1].high;
      }
      case ConstraintKind::kBit:
        return (job_.bits[c.column / 64] >> (c.column % 64) & 1) != 0;
    }
    return false;
  }

  const Image image_;
  const Header& h_;
  const BoundParts<const std::byte> job_;
  Clock& clock_;
};

}  // namespace PRECEDENT_ABI
}  // namespace internal
}  // namespace precedent

#endif  // PRECEDENT_INTERNAL_MATCH_H_
