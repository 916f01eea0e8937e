#include "src/aws/tags.h"

#include <algorithm>
#include <optional>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "src/json/path.h"

namespace precedent::aws {
namespace {

using json::Value;

constexpr std::size_t kMaxTags = 50;
constexpr std::size_t kMaxKey = 128;
constexpr std::size_t kMaxValue = 256;

// The service also takes letters outside of ASCII; which ones only it knows, and a tag
// that it refuses costs the whole job.
bool IsTagText(std::string_view text, std::size_t max) {
  constexpr std::string_view kPunctuation = " +-=._:/@";
  return text.size() <= max && std::all_of(text.begin(), text.end(), [&](char c) {
           return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
                  kPunctuation.find(c) != std::string_view::npos;
         });
}

bool IsTag(const std::string& key, const std::string& value) {
  return !key.empty() && IsTagText(key, kMaxKey) && !absl::StartsWithIgnoreCase(key, "aws:") &&
         IsTagText(value, kMaxValue);
}

absl::flat_hash_set<std::string> KeysOf(Value tags) {
  absl::flat_hash_set<std::string> keys;
  for (const Value::Member& member : tags.Members()) keys.insert(std::string(member.key));
  return keys;
}

}  // namespace

Tags DecisionTags(const Decision& decision, std::int32_t priority) {
  Tags tags = {{"precedent.dev/priority", absl::StrCat(priority)}};
  const auto add = [&](const char* key, std::string_view value) {
    if (!value.empty()) tags.emplace_back(key, std::string(value));
  };
  add("precedent.dev/policy", decision.policy_fingerprint);
  add("precedent.dev/priority-class", decision.priority_class);
  if (decision.reason != Reason::kDerived) {
    add("precedent.dev/reason", ReasonName(decision.reason));
  }
  return tags;
}

Tags LineageTags(const adapter::Options& options, const v1::JobDescriptor& job, Value tags) {
  const v1::Lineage& lineage = job.lineage();
  Tags all;
  for (const adapter::AttributeKeys& keys : options.attributes) {
    const std::string_view name = keys.row->name;
    std::string value;
    const auto count = [&](std::string_view attribute, std::int64_t number) {
      if (name == attribute && number > 0) value = absl::StrCat(number);
    };
    count("failure_count", lineage.failure_count());
    count("preemption_count", lineage.preemption_count());
    count("infrastructure_failure_count", lineage.infrastructure_failure_count());
    // The parent that metadata name comes first and has no relation of its own.
    const bool waits =
        job.parents_size() > 0 && job.parents(0).relation() == v1::Parent::DEPENDS_ON;
    if (name == "parent_job_id" && job.parents_size() > 0 && !waits) value = job.parents(0).id();
    const bool told = std::any_of(keys.keys.begin(), keys.keys.end(),
                                  [&](const std::string& key) { return tags.Get(key).present(); });
    if (!value.empty() && !told) all.emplace_back(keys.keys[0], value);
  }
  return all;
}

void SetTags(const Tags& wanted, Value request, Value definition, json::ObjectEditor& editor,
             std::vector<std::string>& remarks) {
  const Value own = request.Get("tags");
  absl::flat_hash_set<std::string> keys = KeysOf(own);
  for (const std::string& key : KeysOf(definition.Get("tags"))) keys.insert(key);

  const std::string_view text = own.present() ? *editor.Find("tags") : "{}";
  json::ObjectEditor tags(text);
  std::vector<std::string> no_room;
  for (const auto& [key, value] : wanted) {
    if (!IsTag(key, value)) {
      remarks.push_back(absl::StrCat("tag `", json::Printable(key), "` is left out: `",
                                     json::Printable(value), "` is no value that AWS takes"));
    } else if (!keys.contains(key) && keys.size() >= kMaxTags) {
      no_room.push_back(absl::StrCat("`", key, "`"));
    } else {
      keys.insert(key);
      const std::optional<std::string_view> before = own.Get(key).String();
      if (before != value) tags.Set(key, json::Quote(value));
    }
  }
  if (!no_room.empty()) {
    remarks.push_back(absl::StrCat("a job has at most ", kMaxTags,
                                   " tags; left out: ", absl::StrJoin(no_room, ", ")));
  }
  if (tags.changed()) editor.Set("tags", tags.Text());
}

}  // namespace precedent::aws
