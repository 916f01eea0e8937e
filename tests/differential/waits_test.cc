// What a wait adds, at every step and just beside it, within the table of steps and
// after its end, in policies with a table of cells and in others.
#include <cmath>
#include <cstdio>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/differential/settings.h"
#include "tests/differential/subject.h"

namespace precedent::differential {
namespace {

using Limit = std::optional<std::int32_t>;

struct Range {
  Limit min, max;
};

std::vector<Range> Ranges() {
  return {{{}, {}}, {-5, 5}, {3, {}}, {{}, -3}, {-400, 300}, {7, 7}};
}

v1::Policy PolicyOf(double points, double per, const Range& range, bool table) {
  v1::Policy policy;
  policy.mutable_bounds()->set_min(std::numeric_limits<std::int32_t>::min());
  policy.mutable_bounds()->set_max(std::numeric_limits<std::int32_t>::max());
  v1::Stage* stage = policy.add_stages();
  v1::Rule* rule = stage->add_rules();
  rule->set_id("wait");
  v1::ScaledAdd* scaled = rule->mutable_add_scaled();
  scaled->set_of(v1::ScaledAdd::WAIT_SECONDS);
  scaled->set_points(points);
  scaled->set_per(per);
  if (range.min) scaled->set_min(*range.min);
  if (range.max) scaled->set_max(*range.max);
  if (!table) {
    v1::Rule* old = stage->add_rules();
    old->set_id("old");
    old->mutable_active_until()->set_seconds(-60'000'000'000);
    old->set_add(1);
  }
  return policy;
}

// Waits about steps: where a product says they are, and at the ends of time.
std::set<std::int64_t> Waits(double points, double per, const Range& range) {
  std::set<std::int64_t> waits{0, 1, 2, 1'000'000, 3'600'000'001, 4'000'000'000'000'000'000};
  std::vector<double> steps{1, 2, 3, 100, 253, 254, 255, 256, 257, 258, 300, 1000, 1e6, 2147483647};
  for (const Limit& limit : {range.min, range.max})
    for (int beside : {-1, 0, 1, 254, 255, 256})
      if (limit) steps.push_back(std::fabs(static_cast<double>(*limit)) + beside);
  for (const double step : steps) {
    const double wait = std::fabs(step / points * per * 1e6);
    if (!(wait < 7e18)) continue;
    for (std::int64_t beside : {-2, -1, 0, 1, 2})
      waits.insert(std::max<std::int64_t>(0, static_cast<std::int64_t>(wait) + beside));
  }
  return waits;
}

void Check(double points, double per, const Range& range, bool table, std::uint64_t* pairs) {
  const v1::Policy policy = PolicyOf(points, per, range, table);
  std::string error;
  const std::unique_ptr<Subject> subject = Subject::Make(policy, &error);
  ASSERT_NE(subject, nullptr) << error;
  const internal::Image image(subject->evaluator().image().data());
  ASSERT_EQ(internal::HasTable(image.header()), table);
  for (const std::int64_t submitted : {1'800'000'000'000'000, -1'000'000'000'000'000}) {
    reference::Job job;
    job.submitted_us = submitted;
    const auto check = [&](std::int64_t now) {
      reference::Outcome outcome;
      CheckOptions options;
      options.later_times = *pairs % 4 == 0;
      EXPECT_EQ(subject->Check(job, now, options, &outcome), "")
          << points << " per " << per << ", wait " << now - submitted;
      ++*pairs;
      return outcome.valid_until_us;
    };
    check(submitted - 1);  // not yet submitted: no wait
    for (const std::int64_t wait : Waits(points, per, range)) check(submitted + wait);
    // From step to step, as a scheduler does that asks again when a decision ends.
    std::optional<std::int64_t> next = check(submitted);
    for (int i = 0; i < 5 && next; ++i) {
      check(*next - 1);
      if (*next > 8'000'000'000'000'000'000) break;
      next = check(*next);
    }
    if (::testing::Test::HasFailure()) return;
  }
  reference::Job job;  // without a wait
  EXPECT_EQ(subject->Check(job, 0, {}), "");
}

TEST(WaitsTest, AgreeWithTheReferenceBesideEveryStep) {
  std::uint64_t pairs = 0;
  int number = 0;
  for (const double points : {1.0, -1.0, 0.5, -0.3, 10.0, 1e6, -1e9, 1e-9, 4.9e-324, -1e300, 0.0})
    for (const double per : {1.0, 60.0, 1800.0, 0.7, 1e-6, 1e-3, 1e9, 1e300})
      for (const Range& range : Ranges()) {
        // Of every range and quotient some have a table and some have not.
        const int i = number++;
        if (i % kLess != 0) continue;
        Check(points, per, range, (i + i / 6) % 2 == 0, &pairs);
        if (HasFailure()) return;
      }
  std::printf("%llu pairs\n", static_cast<unsigned long long>(pairs));
}

}  // namespace
}  // namespace precedent::differential
