// Images: what FromImage accepts, and that no bytes can make an evaluation go wrong.
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

std::vector<JobDescriptor> SomeJobs() {
  static const Label labels[] = {{"tier", "gold"}};
  static const Metric metrics[] = {{"m", 4}};
  std::vector<JobDescriptor> jobs(4);
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

// With the checksum made right again, as somebody who means harm would.
TEST(Image, NoDamageMakesAnEvaluationGoWrong) {
  const CompiledPolicy policy = EverySection();
  const std::vector<std::uint64_t> good = Copy(policy.evaluator().image());
  const std::size_t words = good.size() * 2;  // of 32 bits
  std::mt19937_64 random(11);
  int accepted = 0, refused = 0;
  const auto try_image = [&](std::vector<std::uint64_t>& image) {
    auto* base = reinterpret_cast<std::byte*>(image.data());
    const std::uint64_t sum = internal::Checksum(base, image.size() * 8);
    std::memcpy(base + offsetof(internal::Header, checksum), &sum, sizeof sum);
    const std::optional<Evaluator> evaluator = Evaluator::FromImage(Bytes(image));
    evaluator.has_value() ? ++accepted : ++refused;
    if (!evaluator.has_value()) return;
    for (const JobDescriptor& job : SomeJobs()) {
      std::uint32_t rules[8];
      const Decision d = evaluator->Evaluate(job, At(1000));
      // Touches what the views point at: a sanitizer sees anything outside.
      volatile std::size_t sum_of_sizes = d.priority_class.size() + d.denial.size();
      (void)sum_of_sizes;
      const std::size_t count = evaluator->AppliedRules(job, At(1000), rules);
      for (std::size_t i = 0; i < count && i < 8; ++i) {
        const RuleInfo info = evaluator->rule(rules[i]);
        std::string copy(info.id);
        for (std::uint32_t k = 0; k < info.annotation_count; ++k)
          copy += evaluator->annotation(rules[i], k).key;
      }
    }
  };
  constexpr std::uint32_t kValues[] = {0, 1, 2, 7, 63, 64, 0x7fffffff, 0x80000000, 0xfffffff0,
                                       0xffffffff};
  for (std::size_t word = 6; word < words; ++word) {
    for (std::uint32_t value : kValues) {
      std::vector<std::uint64_t> image = good;
      reinterpret_cast<std::uint32_t*>(image.data())[word] = value;
      try_image(image);
    }
  }
  for (int round = 0; round < 3000; ++round) {
    std::vector<std::uint64_t> image = good;
    for (int i = 0; i < 4; ++i) {
      std::uint32_t& word =
          reinterpret_cast<std::uint32_t*>(image.data())[6 + random() % (words - 6)];
      word = round % 2 == 0 ? static_cast<std::uint32_t>(random() % 64)
                            : word + static_cast<std::uint32_t>(random() % 5) - 2;
    }
    try_image(image);
  }
  EXPECT_GT(accepted, 1000);
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace precedent
