#include "bench/policy/costs.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "bench/harness/library.h"
#include "bench/harness/measure.h"

namespace precedent::bench {
namespace {

// Each variant is compiled and measured.
constexpr std::size_t kMaxAttributes = 12;
constexpr double kSecondsOfPolicy = 1;
constexpr double kSecondsOfVariant = 0.3;
// Fewer are repeated up to this many: a slice has to be long enough to be timed.
constexpr std::size_t kMinJobs = 1024;

// One policy with what is timed of it.
class Variant {
 public:
  Variant(const Evaluator& evaluator, const std::vector<JobDescriptor>& jobs, TimePoint now)
      : evaluator_(evaluator), bound_(evaluator_, jobs) {
    contenders_.push_back(BindTexts(evaluator_, jobs));
    contenders_.push_back(EvaluateBound(evaluator_, bound_, now));
    contenders_.push_back(EvaluateTexts(evaluator_, jobs, now));
  }
  Variant(const Variant&) = delete;
  Variant& operator=(const Variant&) = delete;

  void AddTo(std::vector<Contender*>& all) const {
    for (const auto& contender : contenders_) all.push_back(contender.get());
  }

 private:
  Evaluator evaluator_;  // shares its block with the policy's
  BoundJobs bound_;
  std::vector<std::unique_ptr<Contender>> contenders_;
};

Costs CostsOf(const std::vector<double>& times, std::size_t variant) {
  return {times[variant * 3], times[variant * 3 + 1], times[variant * 3 + 2]};
}

}  // namespace

AllCosts MeasureCosts(const CompiledPolicy& policy, const std::vector<JobDescriptor>& given,
                      TimePoint now) {
  std::vector<JobDescriptor> jobs = given;
  while (jobs.size() < kMinJobs) jobs.push_back(given[jobs.size() % given.size()]);

  AllCosts costs;
  std::vector<std::unique_ptr<Variant>> variants;
  variants.push_back(std::make_unique<Variant>(policy.evaluator(), jobs, now));
  for (AttributeUse& use : AttributesOf(policy.source())) {
    if (costs.attributes.size() == kMaxAttributes) break;
    // It has fewer rules, so it compiles; if not, there is no figure to give.
    const CompileResult result = CompilePolicy(WithoutRulesOn(use.attribute, policy.source()));
    if (!result.ok()) continue;
    variants.push_back(std::make_unique<Variant>(result.policy->evaluator(), jobs, now));
    costs.attributes.push_back({std::move(use), {}});
  }

  std::vector<Contender*> contenders;
  for (const auto& variant : variants) variant->AddTo(contenders);
  const double seconds =
      kSecondsOfPolicy + kSecondsOfVariant * static_cast<double>(variants.size());
  const std::vector<double> times =
      Measure(contenders, jobs.size(), {seconds / static_cast<double>(contenders.size())});
  costs.policy = CostsOf(times, 0);
  for (std::size_t i = 0; i < costs.attributes.size(); ++i)
    costs.attributes[i].without = CostsOf(times, i + 1);
  std::stable_sort(costs.attributes.begin(), costs.attributes.end(),
                   [](const AttributeCost& a, const AttributeCost& b) {
                     return a.without.both < b.without.both;
                   });
  return costs;
}

}  // namespace precedent::bench
