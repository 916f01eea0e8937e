#include "src/policy/check_context.h"

#include <utility>

#include "src/policy/hint.h"
#include "src/text/cursor.h"

namespace precedent::internal {

CheckContext::CheckContext(const v1::Policy& policy, const PolicyLimits& limits,
                           std::vector<Issue>* issues)
    : policy_(policy), limits_(limits), sink_(issues) {
  for (const Issue& issue : *issues)
    if (issue.severity == Severity::kError) error_paths_.insert(issue.path);
  for (const v1::ValueSet& set : policy.sets())
    if (sets_.emplace(set.name(), &set).second) set_names_.push_back(set.name());
  for (const v1::PriorityClass& priority_class : policy.priority_classes())
    if (classes_.emplace(priority_class.name(), &priority_class).second)
      class_names_.push_back(priority_class.name());
}

bool CheckContext::Broken(const std::string& path) const {
  if (error_paths_.empty()) return false;
  if (path.empty()) return true;
  if (error_paths_.count(path) > 0) return true;
  for (const char* boundary : {".", "["}) {
    const std::string inside = path + boundary;
    const auto found = error_paths_.lower_bound(inside);
    if (found != error_paths_.end() && found->compare(0, inside.size(), inside) == 0) return true;
  }
  return false;
}

bool CheckContext::Misspelled(std::string_view field) const {
  if (error_paths_.empty()) return false;
  const std::string inside = path_.text() + ".";
  for (auto found = error_paths_.lower_bound(inside);
       found != error_paths_.end() && found->compare(0, inside.size(), inside) == 0; ++found) {
    const std::string_view rest = std::string_view(*found).substr(inside.size());
    if (!NearestName(rest.substr(0, rest.find_first_of(".[")), {field}).empty()) return true;
  }
  return false;
}

void CheckContext::Add(Severity severity, std::string message, std::string hint) {
  if (!Broken()) AddAlways(severity, std::move(message), std::move(hint));
}

void CheckContext::AddAlways(Severity severity, std::string message, std::string hint) {
  if (severity == Severity::kError) error_paths_.insert(path_.text());
  Issue issue;
  issue.severity = severity;
  issue.path = path_.text();
  issue.message = std::move(message);
  issue.hint = std::move(hint);
  sink_.Add(std::move(issue));
}

void CheckContext::Error(std::string message, std::string hint) {
  Add(Severity::kError, std::move(message), std::move(hint));
}
void CheckContext::Warning(std::string message, std::string hint) {
  Add(Severity::kWarning, std::move(message), std::move(hint));
}
void CheckContext::Note(std::string message, std::string hint) {
  Add(Severity::kNote, std::move(message), std::move(hint));
}

void CheckContext::LimitError(std::string_view has, std::size_t value, std::string_view what,
                              std::size_t limit, std::string_view limit_name) {
  std::string message(has);
  message += " " + std::to_string(value) + " ";
  message += what;
  message += ", and the limit is " + std::to_string(limit);
  AddAlways(Severity::kError, std::move(message), "PolicyLimits::" + std::string(limit_name));
}

bool CheckContext::DeclarationsBroken(const std::string& list) const {
  if (error_paths_.count(list) > 0) return true;
  const std::string inside = list + "[";
  for (auto found = error_paths_.lower_bound(inside);
       found != error_paths_.end() && found->compare(0, inside.size(), inside) == 0; ++found) {
    // What is wrong with the members or a number leaves the name what it is.
    if (found->find(".values") == std::string::npos &&
        found->find(".at_least") == std::string::npos)
      return true;
  }
  return false;
}

void CheckContext::CheckSetName(const std::string& name) {
  if (sets_.count(name) > 0 || DeclarationsBroken("sets")) return;
  Error("no set " + Quote(name) + " is declared", DidYouMean(name, set_names_));
}

void CheckContext::CheckClassName(const std::string& name) {
  if (classes_.count(name) > 0 || DeclarationsBroken("priority_classes")) return;
  Error("no priority class " + Quote(name) + " is declared", DidYouMean(name, class_names_));
}

const v1::ValueSet* CheckContext::FindSet(const std::string& name) const {
  const auto found = sets_.find(name);
  return found == sets_.end() ? nullptr : found->second;
}

std::int32_t CheckContext::bounds_min() const {
  return policy_.bounds().has_min() ? policy_.bounds().min() : 0;
}
std::int32_t CheckContext::bounds_max() const {
  return policy_.bounds().has_max() ? policy_.bounds().max() : 9999;
}

}  // namespace precedent::internal
