// Images: what FromImage accepts, and that no bytes can make an evaluation go wrong.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "precedent/evaluator.h"
#include "tests/unit/policies.h"

namespace precedent {
namespace {

using testing::At;
using testing::Compile;

// A policy with something in every section of an image.
CompiledPolicy EverySection() {
  std::string teams;
  for (int i = 0; i < 80; ++i)
    teams += "rules { id: 't" + std::to_string(i) + "' when { team { in: 'team" +
             std::to_string(i) + "' in: 'x' not_in: 'y' } image { prefix: 'p" +
             std::to_string(i) + "' } } add: " + std::to_string(i) + " }";
  return Compile(R"(name: "every" generation: 7 time_zone: "Europe/Berlin"
    stages { name: "s" mode: FIRST_MATCH
      rules { id: "a" when { team { prefix: "a" prefix: "ab" suffix: "z" contains: "q" }
                             labels { key: "tier" value { not_in: "x" } } } set: 5 warn: "w" }
      rules { id: "b" when { gpu_count { above: 4 } hour_of_day { below: 6 } } add: 7 deny: "d" } }
    stages { name: "teams" )" + teams + R"( }
    stages { name: "t" rules { id: "c" when { preemptible: true lineage { retry_of_preempted: false } }
        add_scaled { metric: "m" points: 3 per: 2 } annotate { key: "k" value: "v" } }
      rules { id: "d" add_scaled { of: WAIT_SECONDS points: 1 per: 60 } priority_class: "high"
              share_identifier: "s" limit_runtime_seconds: 60 active_until { seconds: 5000 } }
      rules { id: "e" when { team { not_in: "team3" not_in: "team9" not_in: "team77" } } add: 1 } }
    require_verified: USER fallback { priority_class: "low" }
    priority_classes { name: "high" at_least: 100 } priority_classes { name: "low" at_least: 0 })");
}

// A policy that is searched in every way: a first-match stage with a head, sums and
// sums of order-only rules, by blocks with lanes, signatures and residuals and by rows,
// of which some are of runs of classes; prefixes and suffixes looked up and searched.
CompiledPolicy EverySearch() {
  std::string first, sums, bounds, affixes;
  const auto text = [](int i) { return std::to_string(i); };
  for (int i = 0; i < 72; ++i)
    first += "rules { id: 'f" + text(i) + "' when { team { in: 'team" + text(i % 9) +
             "' } pod_count { above: " + text(i % 11) + " } user { contains: 'u" + text(i % 3) +
             "' } } set: " + text(i) + (i % 9 == 0 ? " deny: 'no'" : "") + " }";
  for (int i = 0; i < 200; ++i) {
    // Of the first hundred, buckets of their own; of the others, shared blocks.
    sums += "rules { id: 's" + text(i) + "' when { queue { in: 'q" + text(i < 100 ? i % 7 : i) +
            "' } ";
    for (int k = 0; k < i % 6; ++k)
      sums += "labels { key: 'k" + text((i + k) % 7) + "' value { in: 'v" + text(i % 12) + "' } } ";
    sums += "preemptible: " + std::string(i % 3 == 0 ? "true" : "false") + " } add: " + text(i) +
            (i % 2 == 0 ? " order_only: true" : "") + " }";
  }
  for (int i = 0; i < 270; ++i)
    bounds += "rules { id: 'b" + text(i) + "' when { gpu_count { above: " + text(i) +
              " at_most: " + text(700 - i) + " } } add: 1 }";
  for (int i = 1; i < 9; ++i)
    affixes += "rules { id: 'a" + text(i) + "' when { image { prefix: '" +
               std::string(static_cast<std::size_t>(i), 'r') + "' suffix: 'z" + text(i) +
               "' } } add_scaled { of: WAIT_SECONDS points: 1 per: 9 } }";
  return Compile("name: 'search' stages { name: 'f' mode: FIRST_MATCH " + first +
                 " } stages { name: 's' " + sums + " } stages { name: 'x' rules { id: 'x' set: 3 "
                 "active_until { seconds: 1 } } } stages { name: 'b' " + bounds +
                 " } stages { name: 'a' " + affixes + " }");
}

// A policy that is a table, with terms of both kinds and outcomes.
CompiledPolicy EveryCell() {
  return Compile(R"(name: "cells"
    stages { rules { id: "a" when { team { in: "x" in: "team3" } } set: 5 limit_runtime_seconds: 9 }
      rules { id: "b" when { gpu_count { above: 4 } } add: 7 deny: "d" }
      rules { id: "c" when { team { contains: "q" } } add_scaled { of: GPU_COUNT points: 2 } }
      rules { id: "d" add_scaled { of: WAIT_SECONDS points: 1 per: 60 max: 9 } order_only: true }
      rules { id: "e" when { preemptible: true } add_scaled { metric: "m" points: 3 } final: true } }
    priority_classes { name: "high" at_least: 100 } priority_classes { name: "low" at_least: 0 })");
}

std::vector<JobDescriptor> SomeJobs() {
  static const Label labels[] = {{"tier", "gold"}};
  static const Metric metrics[] = {{"m", 4}};
  static const Label many[] = {{"k0", "v1"}, {"k1", "v1"}, {"k2", "v1"}, {"k3", "v3"},
                               {"k4", "v4"}, {"k0", "v7"}, {"k6", "v9"}, {"tier", ""}};
  std::vector<JobDescriptor> jobs(7);
  jobs[1].team = "abz";
  jobs[1].labels = labels;
  jobs[1].preemptible = true;
  jobs[2].team = "team3";
  jobs[2].image = "p3x";
  jobs[2].gpu_count = 8;
  jobs[2].submitted = At(0);
  jobs[2].metrics = metrics;
  jobs[3].team = "x";
  jobs[3].gpu_count = -1;
  for (int i = 4; i < 7; ++i) {
    jobs[i].queue = i == 4 ? "q1" : "q3";
    jobs[i].team = i == 5 ? "team5" : "team8";
    jobs[i].user = "xu1u2";
    jobs[i].image = i == 6 ? "rrrrrrrr" : "rrz3";
    jobs[i].labels = many;
    jobs[i].gpu_count = 90.5 * (i - 3);
    jobs[i].pod_count = 7;
    jobs[i].submitted = At(10);
    jobs[i].preemptible = i == 6;
  }
  return jobs;
}

std::vector<std::uint64_t> Copy(Span<const std::byte> image) {
  std::vector<std::uint64_t> copy(image.size() / 8);
  std::memcpy(copy.data(), image.data(), image.size());
  return copy;
}
Span<const std::byte> Bytes(const std::vector<std::uint64_t>& words) {
  return Span<const std::byte>(reinterpret_cast<const std::byte*>(words.data()), words.size() * 8);
}

ImageError ErrorOf(Span<const std::byte> image) {
  ImageError error = ImageError::kNone;
  const std::optional<Evaluator> evaluator = Evaluator::FromImage(image, &error);
  EXPECT_EQ(evaluator.has_value(), error == ImageError::kNone);
  return error;
}

TEST(Image, ACopyDecidesTheSame) {
  const CompiledPolicy policy = EverySection();
  ASSERT_TRUE(policy.evaluator().lock_free());
  const std::vector<std::uint64_t> copy = Copy(policy.evaluator().image());
  const std::optional<Evaluator> other = Evaluator::FromImage(Bytes(copy));
  ASSERT_TRUE(other.has_value());
  EXPECT_EQ(other->name(), "every");
  EXPECT_EQ(other->generation(), 7);
  EXPECT_EQ(other->fingerprint(), policy.evaluator().fingerprint());
  for (const JobDescriptor& job : SomeJobs()) {
    for (std::int64_t now : {0, 100, 4000, 90'000}) {
      const Decision a = policy.evaluator().Evaluate(job, At(now));
      const Decision b = other->Evaluate(job, At(now));
      EXPECT_EQ(a.priority, b.priority);
      EXPECT_EQ(a.priority_class, b.priority_class);
      EXPECT_EQ(a.valid_until, b.valid_until);
      EXPECT_EQ(a.reason, b.reason);
    }
  }
}

TEST(Image, EveryErrorIsFound) {
  const CompiledPolicy policy = EverySection();
  const std::vector<std::uint64_t> good = Copy(policy.evaluator().image());
  EXPECT_EQ(ErrorOf(Bytes(good)), ImageError::kNone);
  EXPECT_EQ(ErrorOf({}), ImageError::kNotAnImage);
  std::vector<std::uint64_t> bad = good;
  bad[0] ^= 1;
  EXPECT_EQ(ErrorOf(Bytes(bad)), ImageError::kNotAnImage);
  bad = good;
  bad[1] ^= 1;  // byte order
  EXPECT_EQ(ErrorOf(Bytes(bad)), ImageError::kWrongFormat);
  bad = good;
  bad[1] ^= std::uint64_t{1} << 32;  // format
  EXPECT_EQ(ErrorOf(Bytes(bad)), ImageError::kWrongFormat);
  bad = good;
  bad.back() ^= 1;
  EXPECT_EQ(ErrorOf(Bytes(bad)), ImageError::kWrongSum);
  const Span<const std::byte> image = Bytes(good);
  for (std::size_t size = 8; size < image.size(); size += 8)
    ASSERT_EQ(ErrorOf(Span<const std::byte>(image.data(), size)), ImageError::kTruncated) << size;
  std::vector<std::uint64_t> shifted(good.size() + 1);
  auto* at = reinterpret_cast<std::byte*>(shifted.data()) + 1;
  std::memcpy(at, good.data(), good.size() * 8);
  EXPECT_EQ(ErrorOf(Span<const std::byte>(at, good.size() * 8)), ImageError::kMisaligned);
}

std::optional<Evaluator> WithHeader(const std::vector<std::uint64_t>& image,
                                    std::vector<std::uint64_t>* storage,
                                    void (*edit)(internal::Header*)) {
  *storage = image;
  auto* base = reinterpret_cast<std::byte*>(storage->data());
  auto* header = reinterpret_cast<internal::Header*>(base);
  edit(header);
  header->checksum = internal::Checksum(base, storage->size() * 8);
  return Evaluator::FromImage(Bytes(*storage));
}

TEST(Image, CarriesPropagationAndStability) {
  const CompiledPolicy none = EveryCell();
  EXPECT_FALSE(none.evaluator().propagation().enabled());
  EXPECT_EQ(none.evaluator().stability().min_change, 0);

  const CompiledPolicy policy = Compile(R"(stages { rules { id: "a" set: 1 } }
    propagation { from: DEPENDENTS decay_per_hop: 3 max_hops: 4 }
    stability { min_change: 5 min_interval_seconds: 6 max_changes_per_hour: 7 })");
  const std::vector<std::uint64_t> copy = Copy(policy.evaluator().image());
  const std::optional<Evaluator> read = Evaluator::FromImage(Bytes(copy));
  ASSERT_TRUE(read.has_value());
  const Propagation propagation = read->propagation();
  EXPECT_EQ(propagation.from, PropagateFrom::kDependents);
  EXPECT_EQ(propagation.decay_per_hop, 3);
  EXPECT_EQ(propagation.max_hops, 4);
  EXPECT_TRUE(propagation.enabled());
  const Stability stability = read->stability();
  EXPECT_EQ(stability.min_change, 5);
  EXPECT_EQ(stability.min_interval_seconds, 6);
  EXPECT_EQ(stability.max_changes_per_hour, 7);

  // None of them may be negative: whoever uses them counts on it.
  std::vector<std::uint64_t> bytes;
  EXPECT_TRUE(WithHeader(copy, &bytes, [](internal::Header* h) { h->max_hops = 0; }));
  EXPECT_FALSE(WithHeader(copy, &bytes, [](internal::Header* h) { h->propagation_from = 2; }));
  EXPECT_FALSE(WithHeader(copy, &bytes, [](internal::Header* h) { h->decay_per_hop = -1; }));
  EXPECT_FALSE(WithHeader(copy, &bytes, [](internal::Header* h) { h->max_hops = -1; }));
  EXPECT_FALSE(WithHeader(copy, &bytes, [](internal::Header* h) { h->min_change = -1; }));
  EXPECT_FALSE(WithHeader(copy, &bytes, [](internal::Header* h) { h->min_interval_seconds = -1; }));
  EXPECT_FALSE(WithHeader(copy, &bytes, [](internal::Header* h) { h->max_changes_per_hour = -1; }));
}

// Tries images with the checksum made right again, as somebody who means harm would.
class Damage {
 public:
  explicit Damage(const CompiledPolicy& policy) : good_(Copy(policy.evaluator().image())) {}

  std::size_t words() const { return good_.size() * 2; }  // of 32 bits
  const internal::Header& header() const {
    return *reinterpret_cast<const internal::Header*>(good_.data());
  }
  // Word `i` becomes `value`.
  void Set(std::size_t i, std::uint32_t value) {
    image_ = good_;
    Word(i) = value;
    Try();
  }
  void SetAll(const std::vector<std::size_t>& where, const std::vector<std::uint32_t>& values) {
    image_ = good_;
    for (std::size_t i = 0; i < where.size(); ++i) Word(where[i]) = values[i];
    Try();
  }
  std::uint32_t Value(std::size_t i) const {
    return reinterpret_cast<const std::uint32_t*>(good_.data())[i];
  }
  int accepted() const { return accepted_; }
  int refused() const { return refused_; }

 private:
  std::uint32_t& Word(std::size_t i) { return reinterpret_cast<std::uint32_t*>(image_.data())[i]; }

  void Try() {
    auto* base = reinterpret_cast<std::byte*>(image_.data());
    const std::uint64_t sum = internal::Checksum(base, image_.size() * 8);
    std::memcpy(base + offsetof(internal::Header, checksum), &sum, sizeof sum);
    const std::optional<Evaluator> evaluator = Evaluator::FromImage(Bytes(image_));
    evaluator.has_value() ? ++accepted_ : ++refused_;
    if (evaluator.has_value()) Use(*evaluator);
  }

  // Touches what the views point at: a sanitizer sees anything outside.
  static void Touch(const Decision& d) {
    std::size_t sum = 0;
    for (const std::string_view text : {d.priority_class, d.denial, d.share_identifier})
      for (const char c : text) sum += static_cast<unsigned char>(c);
    volatile std::size_t kept = sum;
    (void)kept;
  }

  void Use(const Evaluator& evaluator) {
    // No more than a bound job has: not a byte beyond may be written.
    const std::size_t size = evaluator.bound_size();
    std::vector<std::vector<std::uint64_t>> storage;
    std::vector<BoundJob> queue;
    for (const JobDescriptor& job : jobs_) {
      storage.emplace_back(size / 8);
      queue.push_back(evaluator.Bind(
          job, Span<std::byte>(reinterpret_cast<std::byte*>(storage.back().data()), size)));
      Touch(evaluator.Evaluate(queue.back(), At(1000)));
      std::uint32_t rules[8];
      const std::size_t count = evaluator.AppliedRules(queue.back(), At(1000), rules);
      for (std::size_t i = 0; i < count && i < 8; ++i) {
        const RuleInfo info = evaluator.rule(rules[i]);
        std::string copy(info.id);
        copy += info.warning.value_or("");
        for (std::uint32_t k = 0; k < info.annotation_count; ++k)
          copy += evaluator.annotation(rules[i], k).key;
      }
    }
    while (queue.size() < 20) queue.push_back(queue[queue.size() % jobs_.size()]);
    std::vector<Decision> decisions(queue.size());
    evaluator.Evaluate(Span<const BoundJob>(queue.data(), queue.size()), At(500),
                       Span<Decision>(decisions.data(), decisions.size()));
    for (const Decision& d : decisions) Touch(d);
  }

  const std::vector<std::uint64_t> good_;
  const std::vector<JobDescriptor> jobs_ = SomeJobs();
  std::vector<std::uint64_t> image_;
  int accepted_ = 0, refused_ = 0;
};

constexpr std::uint32_t kValues[] = {0, 1, 7, 64, 0x7fffffff, 0xfffffff0, 0xffffffff};

TEST(Image, NoDamageMakesAnEvaluationGoWrong) {
  for (const CompiledPolicy& policy : {EverySection(), EveryCell()}) {
    Damage damage(policy);
    for (std::size_t word = 6; word < damage.words(); ++word)
      for (const std::uint32_t value : kValues) damage.Set(word, value);
    std::mt19937_64 random(11);
    for (int round = 0; round < 2000; ++round) {
      std::vector<std::size_t> where;
      std::vector<std::uint32_t> values;
      for (int i = 0; i < 4; ++i) {
        where.push_back(6 + random() % (damage.words() - 6));
        values.push_back(round % 2 == 0
                             ? static_cast<std::uint32_t>(random() % 64)
                             : damage.Value(where.back()) +
                                   static_cast<std::uint32_t>(random() % 5) - 2);
      }
      damage.SetAll(where, values);
    }
    EXPECT_GT(damage.accepted(), 1000);
    EXPECT_GT(damage.refused(), 1000);
  }
}

// An image too large to try every word of: its header, and some words of each section,
// among them its first and last.
TEST(Image, NoDamageToALargeImageMakesAnEvaluationGoWrong) {
  Damage damage(EverySearch());
  ASSERT_FALSE(internal::HasTable(damage.header()));
  constexpr std::size_t kHeader = sizeof(internal::Header) / 4;
  for (std::size_t word = 6; word < kHeader; ++word)
    for (const std::uint32_t value : {0u, 1u, 64u, 0x80000000u, 0xffffffffu}) damage.Set(word, value);

  const auto* sections = reinterpret_cast<const internal::Section<std::uint32_t>*>(
      reinterpret_cast<const std::byte*>(&damage.header()) +
      offsetof(internal::Header, column_classes));
  constexpr std::size_t kSections =
      (sizeof(internal::Header) - offsetof(internal::Header, column_classes)) / 8;
  std::mt19937_64 random(12);
  int met = 0;
  for (std::size_t s = 0; s < kSections; ++s) {
    const std::size_t begin = sections[s].offset / 4;
    const std::size_t end = s + 1 < kSections ? sections[s + 1].offset / 4 : damage.words();
    if (sections[s].count == 0 || begin == end) continue;
    ++met;
    for (int i = 0; i < 14; ++i) {
      const std::size_t word = i < 4   ? std::min(begin + static_cast<std::size_t>(i), end - 1)
                               : i < 6 ? end - static_cast<std::size_t>(i - 4) % (end - begin) - 1
                                       : begin + random() % (end - begin);
      for (const std::uint32_t value :
           {kValues[random() % 7], kValues[random() % 7], static_cast<std::uint32_t>(random() % 300),
            damage.Value(word) + 1, damage.Value(word) - 1, damage.Value(word) ^ 0x10000})
        damage.Set(word, value);
    }
  }
  EXPECT_GE(met, 33);  // of 43: those of a table and of outcomes are another test's
  EXPECT_GT(damage.accepted(), 500);
  EXPECT_GT(damage.refused(), 500);
}

}  // namespace
}  // namespace precedent
