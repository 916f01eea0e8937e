// What readers see of one job: its id and its facts, written by one writer at a time
// and read by any number of threads that never wait for it.
//
// A record has one header, its id, and two copies of its facts. The header holds a
// counter of steps: facts number u are in copy u % 2 and are the live ones while the
// counter is 2u (at rest) or 2u + 1 (the writer fills the other copy with u + 1).
//
// INVARIANTS
//  1. The writer writes copy u % 2 only while the counter is odd and its half is not
//     u modulo 2, or while the record holds no job (length 0).
//  2. The id is written only while the record holds no job.
//  3. The counter only grows: by 1 for each step of a change, by 4 when a job goes,
//     by 4 when one comes. So c, read again as at most 2u + 2, says that copy u % 2
//     and the id stood still in between: what would write them needs 2u + 3 or 2u + 4.
//
// ATOMICS. Every word is atomic; words are stored with release and loaded with acquire.
// Two pairs matter:
//  - header store -> header load at the start: who reads counter c sees the words that
//    belong to it (and the id).
//  - word store -> word load: who reads a word of a later fill sees, at the second load
//    of the header, the counter that announced the fill. Without it a torn copy could
//    pass for a whole one.
// A writer stopped anywhere leaves one whole live copy: readers do not wait. A reader
// tries again only where one job changed twice during its copy.
#ifndef PRECEDENT_SRC_LINEAGE_RECORD_H_
#define PRECEDENT_SRC_LINEAGE_RECORD_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "precedent/job_descriptor.h"
#include "src/lineage/counts.h"

namespace precedent::lineage {

// An id as words, the last one filled up with zeros.
inline constexpr std::size_t kInlineIdWords = 5;
inline constexpr std::size_t kInlineIdBytes = 8 * kInlineIdWords;

// What changes in a job's Lineage.
struct Facts {
  Counts total;
  bool retry_of_preempted = false;
  std::uint32_t step = 0;    // unless `report` is not 0: then it is the report's
  std::uint32_t report = 0;  // number of a Report; 0: nothing was reported
  double runtime;            // seconds; kAbsent
};

struct Header {
  std::uint64_t counter;
  std::uint32_t length;  // of the id; 0: no job
  std::uint32_t depth;

  static constexpr unsigned kLengthBits = 10;
  static constexpr unsigned kDepthBits = 16;
  static Header Unpack(std::uint64_t word) {
    return {word >> (kLengthBits + kDepthBits),
            static_cast<std::uint32_t>(word >> kDepthBits) & ((1u << kLengthBits) - 1),
            static_cast<std::uint32_t>(word) & ((1u << kDepthBits) - 1)};
  }
  std::uint64_t Pack() const {
    return counter << (kLengthBits + kDepthBits) | std::uint64_t{length} << kDepthBits | depth;
  }
  unsigned live() const { return counter >> 1 & 1; }
  // Whether what belongs to this header stood still until `later` was loaded.
  bool StoodUntil(const Header& later) const {
    return later.counter - (counter & ~std::uint64_t{1}) <= 2;
  }
};

using Word = std::atomic<std::uint64_t>;

inline std::uint64_t BitsOf(double value) {
  std::uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}
inline double DoubleOf(std::uint64_t bits) {
  double value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

// What a job reported of itself, beside both copies of its facts and under the same
// counter. Few jobs report.
struct Report {
  struct Values {
    std::int64_t step;
    double progress;
    double priority;
  };
  Word word[2][3];

  void Store(unsigned copy, const Values& values) {
    word[copy][0].store(static_cast<std::uint64_t>(values.step), std::memory_order_release);
    word[copy][1].store(BitsOf(values.progress), std::memory_order_release);
    word[copy][2].store(BitsOf(values.priority), std::memory_order_release);
  }
  Values Load(unsigned copy) const {
    return {static_cast<std::int64_t>(word[copy][0].load(std::memory_order_acquire)),
            DoubleOf(word[copy][1].load(std::memory_order_acquire)),
            DoubleOf(word[copy][2].load(std::memory_order_acquire))};
  }
};

struct Record {
  Word header;
  Word id[kInlineIdWords];  // of a longer id: the address of its words in id[0]
  Word copy[2][4];

  Header LoadHeader() const { return Header::Unpack(header.load(std::memory_order_acquire)); }
  void StoreHeader(const Header& value) { header.store(value.Pack(), std::memory_order_release); }

  void StoreFacts(unsigned which, const Facts& facts) {
    Word* const word = copy[which];
    const auto join = [](std::uint64_t low, std::uint64_t high) { return low | high << 32; };
    word[0].store(join(facts.total.failure, facts.total.preemption), std::memory_order_release);
    word[1].store(join(facts.total.infrastructure, facts.total.attempt) |
                      std::uint64_t{facts.retry_of_preempted} << 63,
                  std::memory_order_release);
    word[2].store(join(facts.step, facts.report), std::memory_order_release);
    word[3].store(BitsOf(facts.runtime), std::memory_order_release);
  }
  Facts LoadFacts(unsigned which) const {
    const Word* const word = copy[which];
    const std::uint64_t a = word[0].load(std::memory_order_acquire);
    const std::uint64_t b = word[1].load(std::memory_order_acquire);
    const std::uint64_t c = word[2].load(std::memory_order_acquire);
    Facts facts;
    facts.total.failure = static_cast<std::uint32_t>(a);
    facts.total.preemption = static_cast<std::uint32_t>(a >> 32);
    facts.total.infrastructure = static_cast<std::uint32_t>(b);
    facts.total.attempt = static_cast<std::uint32_t>(b >> 32 & 0x7fffffff);
    facts.retry_of_preempted = b >> 63 != 0;
    facts.step = static_cast<std::uint32_t>(c);
    facts.report = static_cast<std::uint32_t>(c >> 32);
    facts.runtime = DoubleOf(word[3].load(std::memory_order_acquire));
    return facts;
  }
};

// The Lineage of which these are the parts.
inline Lineage Compose(const Facts& facts, const Report::Values& values, std::uint32_t depth) {
  Lineage out;
  out.failure_count = facts.total.failure;
  out.preemption_count = facts.total.preemption;
  out.infrastructure_failure_count = facts.total.infrastructure;
  out.attempt = facts.total.attempt;
  out.depth = depth;
  out.step = values.step;
  out.predecessor_runtime_seconds = facts.runtime;
  out.progress = values.progress;
  out.reported_priority = values.priority;
  out.retry_of_preempted = facts.retry_of_preempted;
  return out;
}

// The id that a reader looks for, as words.
class IdWords {
 public:
  explicit IdWords(std::string_view id) : id_(id) {}

  // Whether `words` spell the id. They may be changing: then the answer means nothing.
  bool Equals(const Word* words) const {
    const std::size_t whole = id_.size() / 8;
    for (std::size_t i = 0; i < whole; ++i)
      if (words[i].load(std::memory_order_acquire) != At(i, 8)) return false;
    const std::size_t rest = id_.size() % 8;
    return rest == 0 || words[whole].load(std::memory_order_acquire) == At(whole, rest);
  }
  void Store(Word* words) const {
    for (std::size_t i = 0; 8 * i < id_.size(); ++i)
      words[i].store(At(i, id_.size() - 8 * i < 8 ? id_.size() - 8 * i : 8),
                     std::memory_order_release);
  }

 private:
  std::uint64_t At(std::size_t i, std::size_t bytes) const {
    std::uint64_t word = 0;
    std::memcpy(&word, id_.data() + 8 * i, bytes);
    return word;
  }
  std::string_view id_;
};

}  // namespace precedent::lineage

#endif  // PRECEDENT_SRC_LINEAGE_RECORD_H_
