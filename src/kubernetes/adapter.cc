// kubernetes::Adapter: one object's way to a job descriptor.
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "precedent/kubernetes.h"
#include "src/adapter/draft.h"
#include "src/adapter/metadata.h"
#include "src/adapter/options.h"
#include "src/adapter/rules.h"
#include "src/json/document.h"
#include "src/json/path.h"
#include "src/kubernetes/identity.h"
#include "src/kubernetes/kinds.h"
#include "src/kubernetes/pods.h"

namespace precedent::kubernetes {
namespace {

using adapter::Draft;
using adapter::Metadata;
using json::Document;
using json::Value;

// Where `admit` records the class that the user asked for, before it changes it.
constexpr std::string_view kRequestedClass = "precedent.dev/requested-class";

absl::StatusOr<const Kind*> KindOf(Document& document) {
  const Value root = document.root();
  if (!root.is_object()) {
    return absl::InvalidArgumentError("a Kubernetes object must be a JSON object");
  }
  const std::optional<std::string_view> api_version = root.Get("apiVersion").String();
  const std::optional<std::string_view> kind = root.Get("kind").String();
  if (!document.status().ok()) return document.status();
  if (!kind.has_value()) return absl::InvalidArgumentError("kind: is missing");
  if (!api_version.has_value()) return absl::InvalidArgumentError("apiVersion: is missing");
  const std::size_t slash = api_version->find('/');
  const std::string_view group =
      slash == std::string_view::npos ? std::string_view() : api_version->substr(0, slash);
  const Kind* row = FindKind(group, *kind);
  if (row != nullptr) return row;
  const std::string_view known = KnownKinds();
  return absl::UnimplementedError(absl::StrCat(
      "kind `", json::Printable(*kind), "` of ",
      group.empty() ? "the core group" : absl::StrCat("group `", json::Printable(group), "`"),
      " is not known (known: ", absl::string_view(known.data(), known.size()), ")"));
}

void AddMetadata(Value place, Metadata& metadata) {
  metadata.AddMap(place.Get("labels"), Metadata::InLabels::kYes);
  metadata.AddMap(place.Get("annotations"), Metadata::InLabels::kYes);
}

// The stamp, which may be empty, then a configured key, then the spec.
void ReadRequestedClass(Value object, const std::vector<PodSet>& sets, Draft& draft) {
  v1::JobDescriptor& job = draft.out.job;
  const std::string_view in_spec = PriorityClassName(sets);
  std::optional<std::string_view> stamp =
      object.Get("metadata").Get("annotations").Get(kRequestedClass).String();
  for (const PodSet& set : sets) {
    if (stamp.has_value()) break;
    stamp = set.pod_template.Get("metadata").Get("annotations").Get(kRequestedClass).String();
  }
  if (stamp.has_value()) {
    job.set_requested_class(std::string(*stamp));
    draft.Claim(v1::REQUESTED_CLASS);
  } else if (job.requested_class().empty()) {
    job.set_requested_class(std::string(in_spec));
  }
}

// The shortest of the limit in the metadata and those that the platform enforces.
void ReadDeadlines(const Kind& kind, Value object, const std::vector<PodSet>& sets, Draft& draft) {
  std::vector<Value> deadlines;
  if (!kind.deadline.empty()) deadlines.push_back(object.Find(kind.deadline));
  for (const PodSet& set : sets) {
    deadlines.push_back(set.pod_template.Get("spec").Get("activeDeadlineSeconds"));
  }
  for (const Value deadline : deadlines) {
    const std::optional<std::int64_t> seconds =
        deadline.Integer(0, std::numeric_limits<std::int64_t>::max());
    if (seconds.has_value()) ShortenRuntime(*seconds, draft);
  }
}

}  // namespace

class Adapter::Impl {
 public:
  explicit Impl(adapter::Options options) : options_(std::move(options)) {}

  absl::StatusOr<DescribedJob> Describe(std::string_view json) const {
    const absl::StatusOr<std::unique_ptr<Document>> document = Document::Parse(json);
    if (!document.ok()) return document.status();
    const absl::StatusOr<const Kind*> kind = KindOf(**document);
    if (!kind.ok()) return kind.status();
    Draft draft;
    Read(**kind, (*document)->root(), draft);
    if (!(*document)->status().ok()) return (*document)->status();
    return std::move(draft).Finish();
  }

 private:
  void Read(const Kind& kind, Value object, Draft& draft) const {
    draft.out.job.set_kind(std::string(kind.name));
    ReadIdentity(kind, object, draft);
    const std::vector<PodSet> sets = ReadPodSets(kind, object);

    Metadata metadata;
    AddMetadata(object.Get("metadata"), metadata);
    if (!kind.inner_metadata.empty()) AddMetadata(object.Find(kind.inner_metadata), metadata);
    for (const Role& role : kind.roles) {
      // The template of a pod is the pod: its metadata are there already.
      if (role.each.empty() && role.pod_template.empty()) continue;
      for (const PodSet& set : sets) AddMetadata(set.pod_template.Get("metadata"), metadata);
      break;
    }
    metadata.Read(options_, draft);
    ApplyBindings(options_, draft);

    ReadDevices(options_, sets, draft);
    ReadImageAndAccelerator(sets, draft);
    ReadRequestedClass(object, sets, draft);
    ApplyPreemptibleClasses(options_, draft);
    ReadDeadlines(kind, object, sets, draft);
  }

  const adapter::Options options_;
};

absl::StatusOr<Adapter> Adapter::Create(const v1::AdapterOptions& options) {
  absl::StatusOr<adapter::Options> read = adapter::Options::Create(options);
  if (!read.ok()) return read.status();
  return Adapter(std::make_shared<const Impl>(*std::move(read)));
}

absl::StatusOr<DescribedJob> Adapter::Describe(std::string_view json) const {
  return impl_->Describe(json);
}

}  // namespace precedent::kubernetes
