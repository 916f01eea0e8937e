#include "src/kubernetes/describe.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "src/adapter/keys.h"
#include "src/adapter/metadata.h"
#include "src/adapter/rules.h"
#include "src/json/duration.h"
#include "src/json/path.h"
#include "src/kubernetes/identity.h"

namespace precedent::kubernetes {
namespace {

using adapter::Draft;
using adapter::kKueueClassKey;
using adapter::kRequestedClassKey;
using adapter::kRequestedDeadlineKey;
using adapter::Metadata;
using json::Value;

void AddMetadata(Value place, Metadata& metadata) {
  metadata.AddMap(place.Get("labels"), Metadata::InLabels::kYes);
  metadata.AddMap(place.Get("annotations"), Metadata::InLabels::kYes);
}

// An annotation of the object, else of a template.
std::optional<std::string_view> FindAnnotation(const Reading& reading, std::string_view key,
                                               Value* place) {
  const auto at = [&](Value owner) {
    *place = owner.Get("metadata").Get("annotations").Get(key);
    return place->String();
  };
  std::optional<std::string_view> text = at(reading.object);
  for (const PodSet& set : reading.sets) {
    // The template of a pod is the pod.
    if (text.has_value() || reading.kind->kind == "Pod") break;
    text = at(set.pod_template);
  }
  return text;
}

// The record of a first pass, which may be empty, then a configured key, then the
// spec, then Kueue's label. Claimed wherever it stands: a second pass cannot tell a
// record of what was in the spec from one that the user wrote.
void ReadRequestedClass(const Reading& reading, Draft& draft) {
  v1::JobDescriptor& job = draft.out.job;
  Value place;
  if (const auto record = FindAnnotation(reading, kRequestedClassKey, &place)) {
    job.set_requested_class(std::string(*record));
  } else if (job.requested_class().empty()) {
    std::string_view name = PriorityClassName(*reading.kind, reading.object, reading.sets);
    if (name.empty()) {
      const Value labels = reading.object.Get("metadata").Get("labels");
      name = labels.Get(kKueueClassKey).String().value_or("");
    }
    job.set_requested_class(std::string(name));
  }
  if (!job.requested_class().empty()) draft.Claim(v1::REQUESTED_CLASS);
}

// The shortest limit that the platform enforces.
std::optional<std::int64_t> EnforcedDeadline(const Reading& reading) {
  std::vector<Value> deadlines;
  if (!reading.kind->deadline.empty()) {
    deadlines.push_back(reading.object.Find(reading.kind->deadline));
  }
  for (const PodSet& set : reading.sets) {
    deadlines.push_back(set.job_spec.Get("activeDeadlineSeconds"));
    deadlines.push_back(set.pod_template.Get("spec").Get("activeDeadlineSeconds"));
  }
  std::optional<std::int64_t> shortest;
  for (const Value deadline : deadlines) {
    const auto seconds = deadline.Integer(0, std::numeric_limits<std::int64_t>::max());
    if (seconds.has_value()) shortest = std::min(shortest.value_or(*seconds), *seconds);
  }
  return shortest;
}

// What the user asked for. A record of that is longer than what is enforced: it was
// shortened. One that is shorter is the user's own claim.
void ReadDeadline(const Reading& reading, Draft& draft) {
  const std::optional<std::int64_t> enforced = reading.deadline;
  Value place;
  const auto record = FindAnnotation(reading, kRequestedDeadlineKey, &place);
  if (!record.has_value()) {
    if (enforced.has_value()) ShortenRuntime(*enforced, draft);
    return;
  }
  if (record->empty()) return;
  const absl::StatusOr<std::int64_t> asked = json::ParseWholeNumber(*record);
  if (!asked.ok()) return place.Fail(std::string(asked.status().message()));
  ShortenRuntime(*asked, draft);
  if (!enforced.has_value() || *asked < *enforced) draft.Claim(v1::MAX_RUNTIME_SECONDS);
}

}  // namespace

absl::StatusOr<const Kind*> KindOf(Value object, const json::Document& document) {
  if (!object.is_object()) {
    return absl::InvalidArgumentError("a Kubernetes object must be a JSON object");
  }
  const std::optional<std::string_view> api_version = object.Get("apiVersion").String();
  const std::optional<std::string_view> kind = object.Get("kind").String();
  if (!document.status().ok()) return document.status();
  if (!kind.has_value()) return absl::InvalidArgumentError("kind: is missing");
  if (!api_version.has_value()) return absl::InvalidArgumentError("apiVersion: is missing");
  const std::string_view group = GroupOf(*api_version);
  const Kind* row = FindKind(group, *kind);
  if (row != nullptr) return row;
  return absl::UnimplementedError(absl::StrCat(
      "kind `", json::Printable(*kind), "` of ",
      group.empty() ? "the core group" : absl::StrCat("group `", json::Printable(group), "`"),
      " is not known (known: ", KnownKinds(), ")"));
}

Reading ReadObject(const adapter::Options& options, const Kind& kind, Value object,
                   const json::Document& document, const Context& context) {
  Reading reading;
  reading.kind = &kind;
  reading.object = object;
  Draft& draft = reading.draft;
  draft.out.job.set_kind(std::string(kind.name));
  ReadIdentity(kind, object, context, draft);
  reading.sets = ReadPodSets(kind, object);
  // First, to know whether the devices are what is wrong with the object.
  const bool was_good = document.status().ok();
  reading.holds_devices = ReadDevices(options, kind, object, reading.sets, context.claims, draft);
  if (was_good && !document.status().ok()) reading.holds_devices = true;

  Metadata metadata;
  AddMetadata(object.Get("metadata"), metadata);
  if (!kind.inner_metadata.empty()) AddMetadata(object.Find(kind.inner_metadata), metadata);
  for (const PodSet& set : reading.sets) {
    // The template of a pod is the pod: its metadata are there already.
    if (kind.kind == "Pod") break;
    AddMetadata(set.pod_template.Get("metadata"), metadata);
  }
  metadata.Read(options, draft);
  ApplyBindings(options, draft, context.groups);
  ReadWorkloadType(kind, object, draft);
  if (draft.out.job.queue().empty() && !kind.queue.empty()) {
    draft.out.job.set_queue(std::string(object.Find(kind.queue).String().value_or("")));
    if (!draft.out.job.queue().empty()) draft.Claim(v1::QUEUE);
  }
  ReadImageAndAccelerator(reading.sets, draft);
  ReadRequestedClass(reading, draft);
  ApplyPreemptibleClasses(options, draft);
  reading.deadline = EnforcedDeadline(reading);
  ReadDeadline(reading, draft);
  return reading;
}

}  // namespace precedent::kubernetes
