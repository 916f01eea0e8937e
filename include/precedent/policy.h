// From policy text to an Evaluator: load, check, compile, explain, format.
//
//   precedent::CompileResult result = precedent::LoadPolicy(text);
//   for (const precedent::Issue& issue : result.issues)
//     std::cerr << precedent::FormatIssue(issue, "policy.txtpb") << "\n";
//   if (result.policy) decision = result.policy->evaluator().Evaluate(job, now);
//
// Target precedent::compiler. No function here throws, prints or aborts; all are
// safe to call from several threads at once.
#ifndef PRECEDENT_POLICY_H_
#define PRECEDENT_POLICY_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "precedent/evaluator.h"
#include "precedent/issue.h"
#include "precedent/v1/policy.pb.h"

namespace precedent {

enum class PolicyFormat {
  kDetect,  // by content: `{` first is JSON, control bytes are binary, else text or YAML
  kText,    // protobuf text format (txtpb)
  kJson,    // proto3 JSON
  kYaml,    // the same members as JSON; only where the library was built with yaml-cpp
  kBinary,  // protobuf wire format
};

// Bounds on what a policy may cost to load and to evaluate. Passing one is an
// error of its own that names the path, the value and the limit.
struct PolicyLimits {
  std::size_t policy_bytes = 64 << 20;       // of the text as given
  std::size_t rules = 1 << 20;               // in all stages; cannot be raised above 2^20
  std::size_t matches_per_rule = 1024;       // entries of `when`
  std::size_t set_members = 1 << 18;         // values of one set or of one list of a TextMatch
  std::size_t pattern_bytes = 1024;          // one regex
  std::size_t regex_memory = 256 << 10;      // bytes, RE2's max_mem for one pattern
  std::size_t regex_program_size = 100'000;  // RE2 instructions, all patterns together
  std::size_t alternatives_per_match = 256;  // combinations of kinds of lists in one Match
  std::size_t attributes = 4096;             // distinct texts and numbers the policy looks at
  std::size_t image_bytes = std::size_t{1} << 30;  // the compiled block
};

struct CompileOptions {
  PolicyFormat format = PolicyFormat::kDetect;
  PolicyLimits limits;
  // Refuse a policy whose evaluation would not be lock-free (it needs RE2).
  bool require_lock_free = false;
};

// A policy that compiled: the message it came from and the evaluator made of it.
// Immutable; copies share both.
class CompiledPolicy {
 public:
  const Evaluator& evaluator() const { return evaluator_; }
  const v1::Policy& source() const { return *source_; }

 private:
  friend class PolicyCompiler;
  CompiledPolicy(Evaluator evaluator, std::shared_ptr<const v1::Policy> source)
      : evaluator_(std::move(evaluator)), source_(std::move(source)) {}
  Evaluator evaluator_;
  std::shared_ptr<const v1::Policy> source_;
};

struct CompileResult {
  // Set exactly when no issue is an error. Nothing half-valid ever is.
  std::optional<CompiledPolicy> policy;
  // Everything there is to say, in the policy's order: errors, warnings, notes.
  std::vector<Issue> issues;

  bool ok() const { return policy.has_value(); }
};

// Reads, checks and compiles a policy from its bytes, which need not outlive the
// call. Reports every problem at once, with lines for text, JSON and YAML. Time
// and memory are linear in the policy, but for patterns, which PolicyLimits bounds.
CompileResult LoadPolicy(std::string_view bytes, const CompileOptions& options = {});

// The same for a policy that is already a message; issues have paths and no lines.
CompileResult CompilePolicy(const v1::Policy& policy, const CompileOptions& options = {});

// Reads and checks without compiling: what `precedent check` and `format` use.
// `policy` holds as much as could be read; do not use it when there are errors.
struct ReadResult {
  v1::Policy policy;
  std::vector<Issue> issues;
};
ReadResult ReadPolicy(std::string_view bytes, const CompileOptions& options = {});

// The policy as canonical text: two policies have the same text exactly when they
// are the same message. Comments are not kept.
std::string FormatPolicy(const v1::Policy& policy);

}  // namespace precedent

#endif  // PRECEDENT_POLICY_H_
