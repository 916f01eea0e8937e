// What the checks of a policy share: where they are, what they found, what is known
// by name.
#ifndef PRECEDENT_SRC_POLICY_CHECK_CONTEXT_H_
#define PRECEDENT_SRC_POLICY_CHECK_CONTEXT_H_

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "precedent/issue.h"
#include "precedent/policy.h"
#include "src/policy/issue_sink.h"
#include "src/policy/path.h"

namespace precedent::internal {

class CheckContext {
 public:
  CheckContext(const v1::Policy& policy, const PolicyLimits& limits,
               std::vector<Issue>* issues);

  const v1::Policy& policy() const { return policy_; }
  const PolicyLimits& limits() const { return limits_; }
  Path& path() { return path_; }

  // Issues at the current path. Nothing is added where an error is known at the same
  // place or inside it: most likely this only follows from that.
  void Error(std::string message, std::string hint = {});
  void Warning(std::string message, std::string hint = {});
  void Note(std::string message, std::string hint = {});

  // Whether an error is known at `path` or inside it: what stands there is not what
  // the author meant, so no conclusions are drawn from it.
  bool Broken(const std::string& path) const;
  bool Broken() const { return Broken(path_.text()); }

  // Whether a field with a name like `field` was refused at the current path: then
  // that `field` is missing only follows from it.
  bool Misspelled(std::string_view field) const;

  // "the policy has 5 rules, and the limit is 4", with the limit's name as hint.
  // Never follows from another error.
  void LimitError(std::string_view has, std::size_t value, std::string_view what,
                  std::size_t limit, std::string_view limit_name);

  // A reference by name; an error with the nearest name if there is none.
  void CheckSetName(const std::string& name);
  void CheckClassName(const std::string& name);
  // The set with this name, or null.
  const v1::ValueSet* FindSet(const std::string& name) const;

  std::int32_t bounds_min() const;
  std::int32_t bounds_max() const;

 private:
  void Add(Severity severity, std::string message, std::string hint);
  void AddAlways(Severity severity, std::string message, std::string hint);
  // True if something under `list` is broken in more than its `member`: a name that
  // seems not to be declared may be the one that could not be read.
  bool DeclarationsBroken(const std::string& list) const;

  const v1::Policy& policy_;
  const PolicyLimits& limits_;
  IssueSink sink_;
  Path path_;
  std::set<std::string, std::less<>> error_paths_;
  std::unordered_map<std::string_view, const v1::ValueSet*> sets_;
  std::unordered_map<std::string_view, const v1::PriorityClass*> classes_;
  std::vector<std::string_view> set_names_;
  std::vector<std::string_view> class_names_;
};

// Appends one step to the context's path for a scope:
//   At at(&context, "team");  At at(&context, "when", 2);  AtKey at(&context, "a", key);
class At {
 public:
  At(CheckContext* context, std::string_view field) : scope_(&context->path()) {
    context->path().Field(field);
  }
  At(CheckContext* context, std::string_view field, int index) : At(context, field) {
    context->path().Index(static_cast<std::size_t>(index));
  }

 private:
  Path::Scope scope_;
};
class AtKey {
 public:
  AtKey(CheckContext* context, std::string_view field, std::string_view key)
      : scope_(&context->path()) {
    context->path().Field(field);
    context->path().Key(key);
  }

 private:
  Path::Scope scope_;
};

}  // namespace precedent::internal

#endif  // PRECEDENT_SRC_POLICY_CHECK_CONTEXT_H_
