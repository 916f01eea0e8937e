#include "bench/policy/report.h"

#include <algorithm>
#include <cstdio>

#include "bench/policy/advice.h"
#include "src/cli/console.h"

namespace precedent::bench {
namespace {

// Rules and attributes shown in a list.
constexpr std::size_t kMaxShown = 10;
// A branch predictor learns fewer by heart, and then all is faster than it will be.
constexpr std::size_t kJobsThatSaySomething = 4096;

std::string Format(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

void PrintPolicy(const CompiledPolicy& policy, std::size_t jobs, const RuleUse& use,
                 std::ostream& out) {
  const Evaluator& evaluator = policy.evaluator();
  out << "policy  " << evaluator.rule_count() << " rules, " << evaluator.size_bytes()
      << " bytes; a bound job " << evaluator.bound_size() << " bytes; "
      << (evaluator.lock_free() ? "lock-free" : "not lock-free") << '\n'
      << "jobs    " << jobs;
  if (use.invalid != 0) out << ", of which " << use.invalid << " are invalid and get the fallback";
  if (jobs < kJobsThatSaySomething)
    out << "; a processor learns so few by heart: from " << kJobsThatSaySomething
        << " on the times are those of a real queue";
  out << '\n';
}

void PrintCosts(const Costs& costs, std::ostream& out) {
  out << "\nns for a job\n"
      << Format("  bind      %9.1f\n", costs.bind)
      << Format("  evaluate  %9.1f  once bound\n", costs.evaluate)
      << Format("  both      %9.1f\n", costs.both);
}

void PrintUse(const CompiledPolicy& policy, std::size_t jobs, const RuleUse& use,
              std::ostream& out) {
  out << "\nrules that apply to a job: " << Format("%.2f", use.per_job) << " on average, "
      << use.most_per_job << " at most\n";
  for (std::size_t i = 0; i < std::min(use.most.size(), kMaxShown); ++i) {
    const std::uint32_t rule = use.most[i];
    const double share = 100 * static_cast<double>(use.jobs[rule]) / static_cast<double>(jobs);
    out << Format("  %3.0f %%  ", share) << cli::Printable(policy.evaluator().rule(rule).id)
        << '\n';
  }
  if (use.most.size() > kMaxShown)
    out << "  and " << use.most.size() - kMaxShown << " rules less often\n";
  if (use.never.empty()) return;
  std::vector<std::string> ids;
  for (const std::uint32_t rule : use.never)
    ids.push_back(cli::Printable(policy.evaluator().rule(rule).id));
  out << "  never  " << Some(ids, kMaxShown) << '\n';
}

void PrintAttributes(const AllCosts& costs, std::ostream& out) {
  if (costs.attributes.empty()) return;
  out << "\nns for a job that the rules cost that look at an attribute (a rule may look at"
         " several)\n"
      << "       bind  evaluate   rules\n";
  for (const AttributeCost& cost : costs.attributes)
    out << Format("  %9.1f", costs.policy.bind - cost.without.bind)
        << Format(" %9.1f", costs.policy.evaluate - cost.without.evaluate)
        << Format(" %7.0f  ", static_cast<double>(cost.use.rules.size()))
        << cli::Printable(cost.use.attribute) << '\n';
}

}  // namespace

void PrintReport(const CompiledPolicy& policy, std::size_t jobs, const RuleUse& use,
                 const AllCosts& costs, const std::vector<std::string>& advice, std::ostream& out) {
  PrintPolicy(policy, jobs, use, out);
  PrintCosts(costs.policy, out);
  PrintUse(policy, jobs, use, out);
  PrintAttributes(costs, out);
  out << "\nto make it faster\n";
  for (const std::string& line : advice) out << "  - " << cli::Printable(line) << '\n';
  if (advice.empty()) out << "  nothing that these jobs show\n";
}

}  // namespace precedent::bench
