#include "src/adapter/metadata.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/string_view.h"

namespace precedent::adapter {
namespace {

absl::string_view View(std::string_view text) { return {text.data(), text.size()}; }

}  // namespace

void Metadata::AddMap(json::Value map, InLabels in_labels) {
  Source source{{}, false, Repeated::kNever, in_labels};
  for (const json::Value::Member& member : map.Members()) {
    const std::optional<std::string_view> text = member.value.String();
    if (text.has_value()) source.entries.push_back({member.key, *text, member.value});
  }
  if (!source.entries.empty()) sources_.push_back(std::move(source));
}

void Metadata::AddEnvironment(json::Value list) {
  Source source{{}, true, Repeated::kLast, InLabels::kNo};
  for (const json::Value item : list.Items()) {
    const std::optional<std::string_view> name = item.Get("name").String();
    const json::Value value = item.Get("value");
    const std::optional<std::string_view> text = value.String();
    if (name.has_value() && text.has_value()) source.entries.push_back({*name, *text, value});
  }
  if (!source.entries.empty()) sources_.push_back(std::move(source));
}

void Metadata::AddVariables(json::Value object) {
  Source source{{}, true, Repeated::kFirst, InLabels::kNo};
  for (const json::Value::Member& member : object.Members()) {
    const std::optional<std::string> text = member.value.ScalarText();
    if (!text.has_value()) continue;
    const std::string_view name = owned_.emplace_back(UpperSnake(member.key));
    source.entries.push_back({name, owned_.emplace_back(*text), member.value});
  }
  if (!source.entries.empty()) sources_.push_back(std::move(source));
}

// Chooses for each attribute that has none yet the entry of this source whose key comes
// first among the attribute's.
void Metadata::Choose(const Options& options, const Source& source, Chosen& chosen) {
  // No more than there are keys in the options, however long the source is.
  absl::InlinedVector<Candidate, 16> candidates;
  const KeyTable& table = source.environment ? options.by_variable : options.by_key;
  for (const Entry& entry : source.entries) {
    const auto uses = table.find(View(entry.key));
    if (uses == table.end()) continue;
    for (const KeyUse& use : uses->second) {
      const Candidate candidate{&entry, use.attribute, use.place};
      if (source.repeated == Repeated::kNever) {
        candidates.push_back(candidate);
        continue;
      }
      const auto same = std::find_if(
          candidates.begin(), candidates.end(), [&](const Candidate& other) {
            return other.attribute == use.attribute && other.place == use.place;
          });
      if (same == candidates.end()) {
        candidates.push_back(candidate);
      } else if (source.repeated == Repeated::kLast) {
        *same = candidate;
      }
    }
  }
  const Chosen before = chosen;
  for (const Candidate& candidate : candidates) {
    const AttributeRow& row = *options.attributes[candidate.attribute].row;
    if (candidate.entry->text.empty() && row.empty_is_absent) continue;
    if (before[candidate.attribute].entry != nullptr) continue;
    Candidate& best = chosen[candidate.attribute];
    if (best.entry == nullptr || candidate.place < best.place) best = candidate;
  }
}

void Metadata::Read(const Options& options, Draft& draft) const {
  Chosen chosen(options.attributes.size());
  for (const Source& source : sources_) Choose(options, source, chosen);
  // In the order of the attributes, so that it is always the same error that comes first.
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const Entry* const entry = chosen[i].entry;
    if (entry == nullptr) continue;
    const AttributeRow& row = *options.attributes[i].row;
    const absl::Status status = row.read(entry->text, draft.out.job);
    if (!status.ok()) entry->place.Fail(std::string(status.message()));
    draft.Claim(row.attribute);
  }
  auto& labels = *draft.out.job.mutable_labels();
  for (const Source& source : sources_) {
    if (source.in_labels == InLabels::kNo) continue;
    for (const Entry& entry : source.entries) {
      if (options.no_labels.contains(View(entry.key))) continue;
      labels.insert({std::string(entry.key), std::string(entry.text)});  // unless it is there
    }
  }
  if (!labels.empty()) draft.Claim(v1::LABELS);
}

}  // namespace precedent::adapter
