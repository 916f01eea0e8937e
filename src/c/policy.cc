#include "src/c/policy.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <string>
#include <utility>

#include "precedent/issue.h"
#include "src/c/layout.h"
#include "src/c/text.h"
#include "src/policy/read_file.h"

namespace precedent::c {

TextsRead::TextsRead(const v1::Policy& policy) {
  const auto* fields = v1::Match::descriptor();
  const auto* reflection = v1::Match::GetReflection();
  bool looked_at[PRECEDENT_KIND + 1] = {};
  for (const v1::Stage& stage : policy.stages()) {
    for (const v1::Rule& rule : stage.rules()) {
      if (rule.add_scaled().source_case() == v1::ScaledAdd::kMetric) metrics = true;
      for (const v1::Match& match : rule.when()) {
        // A text's field has the number of its attribute.
        for (int text = PRECEDENT_TEAM; text <= PRECEDENT_KIND; ++text)
          looked_at[text] |= reflection->HasField(match, fields->FindFieldByNumber(text));
        labels |= match.labels_size() != 0;
        metrics |= match.metrics_size() != 0;
      }
    }
  }
  for (int text = PRECEDENT_TEAM; text <= PRECEDENT_KIND; ++text)
    if (looked_at[text])
      built_in[built_in_count++] = static_cast<std::uint16_t>((text - 1) * sizeof(precedent_text));
}

bool TextsRead::Reads(std::size_t text) const noexcept {
  const std::uint16_t* end = built_in + built_in_count;
  return std::find(built_in, end, text * sizeof(precedent_text)) != end;
}

namespace {

// Scattered, so that memory that was never bound does not look like it.
std::uint64_t NewId() {
  static std::atomic<std::uint64_t> count{0};
  return (count.fetch_add(1, std::memory_order_relaxed) + 1) * 0x9e3779b97f4a7c15u;
}

precedent_status Load(std::string_view bytes, std::string_view name, precedent_policy** policy,
                      char** issues) {
  CompileResult result = LoadPolicy(bytes);
  if (!result.issues.empty() && issues != nullptr) {
    std::string text;
    for (const Issue& issue : result.issues) text += FormatIssue(issue, name) + "\n";
    *issues = NewText(text);
  }
  if (!result.ok()) return PRECEDENT_INVALID_POLICY;
  *policy = new precedent_policy(*std::move(result.policy));
  return PRECEDENT_OK;
}

}  // namespace
}  // namespace precedent::c

using namespace precedent;
using namespace precedent::c;

precedent_policy::precedent_policy(CompiledPolicy policy)
    : id(NewId()), read(policy.source()), compiled(std::move(policy)) {}

precedent_status precedent_policy_load(const char* bytes, size_t size, precedent_policy** policy,
                                       char** issues) {
  return Guarded(issues, [&] {
    if (policy == nullptr) return Fail(PRECEDENT_NULL_ARGUMENT, issues, "policy: is NULL");
    *policy = nullptr;
    if (bytes == nullptr && size != 0)
      return Fail(PRECEDENT_NULL_ARGUMENT, issues, "bytes: is NULL");
    if (size > kMaxTextBytes)
      return Fail(PRECEDENT_WRONG_SIZE, issues, "size: is no length of a policy: was it set?");
    return Load({bytes, size}, "policy", policy, issues);
  });
}

precedent_status precedent_policy_load_file(const char* path, precedent_policy** policy,
                                            char** issues) {
  return Guarded(issues, [&] {
    if (policy == nullptr) return Fail(PRECEDENT_NULL_ARGUMENT, issues, "policy: is NULL");
    *policy = nullptr;
    if (path == nullptr) return Fail(PRECEDENT_NULL_ARGUMENT, issues, "path: is NULL");
    constexpr std::size_t kMaxPath = 4096;
    const std::size_t length = strnlen(path, kMaxPath);
    if (length == kMaxPath)
      return Fail(PRECEDENT_WRONG_SIZE, issues, "path: does not end within 4096 bytes");
    const std::string name(path, length);
    std::string bytes;
    const std::string problem =
        internal::ReadRegularFile(name, PolicyLimits().policy_bytes, &bytes);
    if (!problem.empty()) return Fail(PRECEDENT_UNREADABLE, issues, name + ": " + problem);
    return Load(bytes, name, policy, issues);
  });
}

precedent_status precedent_policy_close(precedent_policy* policy) { return CloseHandle(policy); }

precedent_status precedent_policy_describe(const precedent_policy* policy,
                                           precedent_policy_info* info) {
  if (info == nullptr) return PRECEDENT_NULL_ARGUMENT;
  precedent_policy_info known = {};
  const precedent_status status = CheckHandle(policy);
  if (status == PRECEDENT_OK) {
    const Evaluator& evaluator = policy->evaluator();
    known.generation = evaluator.generation();
    known.name = ToText(evaluator.name());
    known.fingerprint = ToText(evaluator.fingerprint());
    known.rule_count = evaluator.rule_count();
    known.class_count = evaluator.class_count();
    known.lock_free = evaluator.lock_free();
  }
  return GiveStruct(known, info) ? status : PRECEDENT_WRONG_SIZE;
}
