#include "src/kubernetes/identity.h"

#include <optional>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "src/json/path.h"
#include "src/json/time.h"
#include "src/kubernetes/fields.h"

namespace precedent::kubernetes {
namespace {

using adapter::Draft;
using json::Value;

absl::string_view View(std::string_view text) { return {text.data(), text.size()}; }

void ReadSubmitted(Value created, Draft& draft) {
  const std::optional<std::string_view> text = created.String();
  if (!text.has_value()) return;
  const std::optional<absl::Time> time = json::ParseTime(*text);
  if (!time.has_value()) {
    created.Fail(absl::StrCat("`", json::Printable(*text),
                              "` is no time (write it as `2006-01-02T15:04:05Z`)"));
    return;
  }
  *draft.out.job.mutable_submitted() = json::ToTimestamp(*time);
}

std::string Key(std::string_view namespace_name, std::string_view kind, std::string_view name) {
  return absl::StrCat(View(namespace_name), "/", View(kind), "/", View(name));
}

// The key of the owner that controls the object; empty where there is none.
std::string OwnerKey(Value metadata, std::string_view namespace_name) {
  std::string key;
  for (const Value owner : metadata.Get("ownerReferences").Items()) {
    const bool controls = owner.Get("controller").Bool().value_or(false);
    const std::string_view api_version = TextOf(owner.Get("apiVersion"));
    const std::string_view kind = TextOf(owner.Get("kind"));
    const std::string_view name = TextOf(owner.Get("name"));
    if (!controls || kind.empty() || name.empty() || !key.empty()) continue;
    const std::string_view group = GroupOf(api_version);
    const Kind* row = FindKind(group, kind);
    // A kind outside the table is told apart by its group.
    const std::string full =
        row != nullptr ? std::string(row->name) : absl::StrCat(View(kind), ".", View(group));
    key = Key(namespace_name, full, name);
  }
  return key;
}

std::string_view JobNameLabel(Value metadata) {
  const Value labels = metadata.Get("labels");
  const std::string_view name = TextOf(labels.Get("batch.kubernetes.io/job-name"));
  return name.empty() ? TextOf(labels.Get("job-name")) : name;
}

// Of a pod of an indexed Job: each index is work of its own.
std::string_view CompletionIndex(Value metadata) {
  constexpr std::string_view kIndex = "batch.kubernetes.io/job-completion-index";
  const std::string_view index = TextOf(metadata.Get("labels").Get(kIndex));
  return index.empty() ? TextOf(metadata.Get("annotations").Get(kIndex)) : index;
}

struct LabelType {
  std::string_view label;
  std::string_view value;  // empty: any
  std::string_view workload_type;
};
constexpr LabelType kLabelTypes[] = {
    {"serving.kserve.io/inferenceservice", "", "inference"},
    {"ray.io/originated-from-crd", "RayService", "inference"},
    {"notebook-name", "", "interactive"},             // Kubeflow
    {"hub.jupyter.org/username", "", "interactive"},  // JupyterHub
};

}  // namespace

void ReadWorkloadType(const Kind& kind, Value object, Draft& draft) {
  v1::JobDescriptor& job = draft.out.job;
  if (!job.workload_type().empty()) return;
  if (!kind.workload_type.empty()) {
    job.set_workload_type(std::string(kind.workload_type));
    return;
  }
  std::string_view type;
  for (const Value owner : object.Get("metadata").Get("ownerReferences").Items()) {
    if (!owner.Get("controller").Bool().value_or(false)) continue;
    type = WorkloadTypeOfOwner(GroupOf(TextOf(owner.Get("apiVersion"))), TextOf(owner.Get("kind")));
  }
  for (const LabelType& row : kLabelTypes) {
    if (!type.empty()) break;
    const auto label = job.labels().find(std::string(row.label));
    if (label == job.labels().end()) continue;
    if (row.value.empty() || row.value == label->second) type = row.workload_type;
  }
  if (type.empty()) return;
  job.set_workload_type(std::string(type));
  draft.Claim(v1::WORKLOAD_TYPE);
}

void ReadIdentity(const Kind& kind, Value object, const Context& context, Draft& draft) {
  v1::JobDescriptor& job = draft.out.job;
  const Value metadata = object.Get("metadata");
  // What the object says of its namespace may be wrong or missing.
  const std::string_view namespace_name =
      context.namespace_name.empty() ? TextOf(metadata.Get("namespace")) : context.namespace_name;
  std::string_view name = TextOf(metadata.Get("name"));
  if (name.empty()) name = context.name;
  const std::string_view prefix = TextOf(metadata.Get("generateName"));
  job.set_namespace_(std::string(namespace_name));
  job.set_user(std::string(context.user));
  job.set_id(std::string(TextOf(metadata.Get("uid"))));
  ReadSubmitted(metadata.Get("creationTimestamp"), draft);

  std::string shown(name);
  if (shown.empty() && !(prefix.empty() && namespace_name.empty())) {
    shown = absl::StrCat(View(prefix), "*");
  }
  job.set_name(namespace_name.empty() ? shown : absl::StrCat(View(namespace_name), "/", shown));

  std::string key = OwnerKey(metadata, namespace_name);
  const std::string_view job_name = JobNameLabel(metadata);
  if (key.empty() && kind.kind == "Pod" && !job_name.empty()) {
    key = Key(namespace_name, "Job", job_name);
  }
  if (!key.empty() && kind.kind == "Pod") {
    const std::string_view index = CompletionIndex(metadata);
    if (!index.empty()) absl::StrAppend(&key, "/", View(index));
  }
  if (key.empty() && !name.empty()) key = Key(namespace_name, kind.name, name);
  job.set_lineage_key(key);
}

}  // namespace precedent::kubernetes
