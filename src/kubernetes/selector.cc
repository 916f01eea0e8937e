#include "src/kubernetes/selector.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "src/json/path.h"
#include "src/json/writer.h"

namespace precedent::kubernetes {
namespace {

using json::Value;

constexpr std::string_view kOperators[] = {"In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"};

std::string Text(Value value) { return std::string(value.String().value_or("")); }

void AppendText(std::string_view text, std::string* out) {
  json::AppendString(text, out);
  out->push_back(' ');
}

void AppendSelector(const Selector& selector, std::string* out) {
  for (const Requirement& requirement : selector) {
    AppendText(requirement.key, out);
    AppendText(requirement.op, out);
    for (const std::string& value : requirement.values) AppendText(value, out);
    out->push_back(';');
  }
  out->push_back('|');
}

bool Tolerates(const Toleration& toleration, const Taint& taint) {
  if (!toleration.effect.empty() && toleration.effect != taint.effect) return false;
  if (!toleration.key.empty() && toleration.key != taint.key) return false;
  if (toleration.exists) return true;
  return !toleration.key.empty() && toleration.value == taint.value;
}

}  // namespace

Labels ReadLabels(Value map) {
  Labels labels;
  for (const Value::Member& member : map.Members()) {
    if (const auto text = member.value.String()) {
      labels.emplace(std::string(member.key), std::string(*text));
    }
  }
  return labels;
}

bool Requirement::Holds(const Labels& labels) const {
  const auto found = labels.find(key);
  const bool there = found != labels.end();
  if (op == "Exists") return there;
  if (op == "DoesNotExist") return !there;
  const bool listed =
      there && std::find(values.begin(), values.end(), found->second) != values.end();
  if (op == "In") return listed;
  if (op == "NotIn") return !listed;
  std::int64_t have = 0, limit = 0;
  if (!there || values.size() != 1 || !absl::SimpleAtoi(found->second, &have) ||
      !absl::SimpleAtoi(values[0], &limit)) {
    return false;
  }
  return op == "Gt" ? have > limit : have < limit;
}

bool Selects(const Selector& selector, const Labels& labels) {
  return std::all_of(selector.begin(), selector.end(),
                     [&](const Requirement& one) { return one.Holds(labels); });
}

void ReadExpressions(Value list, Selector* selector) {
  for (const Value entry : list.Items()) {
    Requirement& requirement = selector->emplace_back();
    requirement.key = Text(entry.Get("key"));
    const Value op = entry.Get("operator");
    requirement.op = Text(op);
    if (std::find(std::begin(kOperators), std::end(kOperators), requirement.op) ==
        std::end(kOperators)) {
      (op.present() ? op : entry)
          .Fail(absl::StrCat("`", json::Printable(requirement.op), "` is no operator"));
    }
    for (const Value value : entry.Get("values").Items()) requirement.values.push_back(Text(value));
  }
}

Selector ReadLabelSelector(Value selector) {
  Selector result;
  for (const Value::Member& member : selector.Get("matchLabels").Members()) {
    result.push_back({std::string(member.key), "In", {Text(member.value)}});
  }
  ReadExpressions(selector.Get("matchExpressions"), &result);
  return result;
}

std::string Constraint::Signature() const {
  std::string text;
  AppendSelector(required, &text);
  for (const Selector& term : any_of) AppendSelector(term, &text);
  text.push_back('|');
  for (const Toleration& one : tolerations) {
    for (const std::string* part : {&one.key, &one.value, &one.effect}) AppendText(*part, &text);
    text.push_back(one.exists ? '1' : '0');
  }
  text.push_back('|');
  for (const std::string& name : devices) AppendText(name, &text);
  return text;
}

Constraint ReadConstraint(Value spec) {
  Constraint constraint;
  for (const Value::Member& member : spec.Get("nodeSelector").Members()) {
    constraint.required.push_back({std::string(member.key), "In", {Text(member.value)}});
  }
  std::sort(constraint.required.begin(), constraint.required.end(),
            [](const Requirement& a, const Requirement& b) { return a.key < b.key; });
  const Value affinity =
      spec.Find("affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution");
  for (const Value term : affinity.Get("nodeSelectorTerms").Items()) {
    Selector selector;
    ReadExpressions(term.Get("matchExpressions"), &selector);
    const std::size_t fields = selector.size();
    ReadExpressions(term.Get("matchFields"), &selector);
    // There is one field: the node's name.
    for (std::size_t i = fields; i < selector.size(); ++i) selector[i].key = kNodeNameKey;
    // A term without requirements matches nothing.
    if (selector.empty()) selector.push_back({std::string(kNodeNameKey), "DoesNotExist", {}});
    constraint.any_of.push_back(std::move(selector));
  }
  for (const Value entry : spec.Get("tolerations").Items()) {
    constraint.tolerations.push_back({Text(entry.Get("key")),
                                      Text(entry.Get("operator")) == "Exists",
                                      Text(entry.Get("value")), Text(entry.Get("effect"))});
  }
  return constraint;
}

bool Allows(const Constraint& constraint, const Labels& labels, const std::vector<Taint>& taints,
            const std::vector<std::string>& devices) {
  if (!Selects(constraint.required, labels)) return false;
  const std::vector<Selector>& terms = constraint.any_of;
  if (!terms.empty() && std::none_of(terms.begin(), terms.end(), [&](const Selector& term) {
        return Selects(term, labels);
      })) {
    return false;
  }
  for (const Taint& taint : taints) {
    if (std::none_of(constraint.tolerations.begin(), constraint.tolerations.end(),
                     [&](const Toleration& one) { return Tolerates(one, taint); })) {
      return false;
    }
  }
  return std::all_of(constraint.devices.begin(), constraint.devices.end(),
                     [&](const std::string& name) {
                       return std::find(devices.begin(), devices.end(), name) != devices.end();
                     });
}

}  // namespace precedent::kubernetes
