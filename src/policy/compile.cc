// Load, check, compile: the pipeline of precedent/policy.h.
#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

#include "google/protobuf/arena.h"
#include "precedent/policy.h"
#include "src/policy/check.h"
#include "src/policy/check_message.h"
#include "src/policy/locate.h"
#include "src/policy/lower.h"
#include "src/policy/parse.h"

namespace precedent {

// The friend that makes CompiledPolicy values.
class PolicyCompiler {
 public:
  // Keeps a policy that was checked. REQUIRES: no errors in result->issues.
  static void Finish(std::shared_ptr<const v1::Policy> source, const CompileOptions& options,
                     CompileResult* result) {
    std::optional<Evaluator> evaluator =
        internal::CompileChecked(*source, options, &result->issues);
    if (evaluator && !HasErrors(result->issues))
      result->policy = CompiledPolicy(std::move(*evaluator), std::move(source));
  }
};

namespace {

// On an arena: copied and given back in large pieces.
std::shared_ptr<const v1::Policy> Copy(const v1::Policy& policy) {
  google::protobuf::ArenaOptions options;
  options.max_block_size = std::size_t{1} << 20;
  auto arena = std::make_shared<google::protobuf::Arena>(options);
  auto* copy = google::protobuf::Arena::CreateMessage<v1::Policy>(arena.get());
  copy->CopyFrom(policy);
  return {std::move(arena), copy};
}

// In the order of the source; what has no line keeps its order and comes first.
void SortByLine(std::vector<Issue>* issues) {
  std::stable_sort(issues->begin(), issues->end(), [](const Issue& a, const Issue& b) {
    return a.line != b.line ? a.line < b.line : a.column < b.column;
  });
}

void Locate(const internal::ParsedPolicy& parsed, std::vector<Issue>* issues) {
  if (!parsed.source) return;
  internal::LocateIssues(parsed.source->root, *v1::Policy::descriptor(), parsed.dialect, issues);
  SortByLine(issues);
}

// What ReadPolicy and LoadPolicy share; the issues still lack lines.
internal::ParsedPolicy Read(std::string_view bytes, const CompileOptions& options,
                            std::vector<Issue>* issues) {
  internal::ParsedPolicy parsed = internal::ParsePolicy(bytes, options, issues);
  if (parsed.unreadable) return parsed;
  // Only binary can hold enum numbers that nobody declared.
  if (!parsed.source) internal::CheckMessage(parsed.policy, issues);
  internal::CheckPolicy(parsed.policy, options.limits, issues, options.require_lock_free);
  return parsed;
}

}  // namespace

CompileResult LoadPolicy(std::string_view bytes, const CompileOptions& options) {
  CompileResult result;
  internal::ParsedPolicy parsed = Read(bytes, options, &result.issues);
  if (!HasErrors(result.issues))
    PolicyCompiler::Finish(std::make_shared<const v1::Policy>(std::move(parsed.policy)), options,
                           &result);
  Locate(parsed, &result.issues);
  return result;
}

CompileResult CompilePolicy(const v1::Policy& policy, const CompileOptions& options) {
  CompileResult result;
  internal::CheckMessage(policy, &result.issues);
  internal::CheckPolicy(policy, options.limits, &result.issues, options.require_lock_free);
  if (!HasErrors(result.issues)) PolicyCompiler::Finish(Copy(policy), options, &result);
  return result;
}

ReadResult ReadPolicy(std::string_view bytes, const CompileOptions& options) {
  ReadResult result;
  internal::ParsedPolicy parsed = Read(bytes, options, &result.issues);
  Locate(parsed, &result.issues);
  result.policy = std::move(parsed.policy);
  return result;
}

}  // namespace precedent
