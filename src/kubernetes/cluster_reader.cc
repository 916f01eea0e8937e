// kubernetes::ClusterReader: texts to objects, objects to records.
#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "precedent/kubernetes_cluster.h"
#include "src/json/document.h"
#include "src/json/limits.h"
#include "src/json/writer.h"
#include "src/kubernetes/cluster_jobs.h"
#include "src/kubernetes/cluster_objects.h"
#include "src/kubernetes/kinds.h"
#include "src/kubernetes/list_splitter.h"

namespace precedent::kubernetes {
namespace {

using json::Value;

constexpr std::size_t kMaxProblems = 1000;
constexpr const char* kGangKeys[] = {
    "scheduling.x-k8s.io/pod-group",
    "pod-group.scheduling.sigs.k8s.io",
    "scheduling.k8s.io/group-name",
    "kueue.x-k8s.io/pod-group-name",
};

std::string Text(Value value) { return std::string(value.String().value_or("")); }

// `namespace/name` of an object, for messages; empty where it has none.
std::string NameOf(Value object) {
  if (!object.is_object() || !object.Get("metadata").is_object()) return "";
  const Value metadata = object.Get("metadata");
  const std::string name = Text(metadata.Get("name"));
  const std::string in = Text(metadata.Get("namespace"));
  return in.empty() ? name : absl::StrCat(in, "/", name);
}

}  // namespace

class ClusterReader::Impl {
 public:
  Impl(adapter::Options options, std::vector<std::string> gang_keys, const Evaluator& evaluator,
       TimePoint now)
      : options_(std::move(options)),
        gang_keys_(std::move(gang_keys)),
        evaluator_(evaluator),
        now_(now),
        splitter_({[this](std::string_view object, std::string_view list, std::size_t index) {
                     OnObject(object, list, index);
                   },
                   [this](std::string_view list) { OnList(list); },
                   [this](std::string problem) { AddProblem(std::move(problem)); }},
                  json::kMaxBytes) {
    if (gang_keys_.empty()) gang_keys_.assign(std::begin(kGangKeys), std::end(kGangKeys));
  }

  absl::Status Add(std::string_view json, std::string_view list_kind) {
    const absl::StatusOr<std::unique_ptr<json::Document>> parsed =
        json::Document::Parse(json, {}, &workspace_);
    if (!parsed.ok()) return parsed.status();
    json::Document& document = **parsed;
    const Value object = document.root();
    if (!object.is_object()) {
      return absl::InvalidArgumentError("a Kubernetes object must be a JSON object");
    }
    std::string kind = Text(object.Get("kind"));
    const std::string version = Text(object.Get("apiVersion"));
    // Servers leave the kind of a list's items out.
    if (kind.empty()) kind = std::string(list_kind);
    if (kind.empty()) return absl::InvalidArgumentError("kind: is missing");
    const absl::Status status = AddKind(kind, version, json, object, document);
    if (status.ok()) return status;
    const std::string name = NameOf(object);
    if (name.empty()) return status;
    return absl::InvalidArgumentError(
        absl::StrCat("`", json::Printable(name), "`: ", status.message()));
  }

  void Read(std::string_view bytes) { splitter_.Read(bytes); }
  void EndOfText() { splitter_.End(); }
  const ListMetadata& list() const { return list_; }

  std::vector<std::string> TakeProblems() {
    if (left_out_ > 0) {
      problems_.push_back(absl::StrCat("and ", left_out_, " more problems"));
    }
    left_out_ = 0;
    return std::exchange(problems_, {});
  }

  ClusterReading Finish() && { return MakeCluster(std::move(objects_), std::move(remarks_)); }

 private:
  absl::Status AddKind(const std::string& kind, const std::string& version, std::string_view json,
                       Value object, json::Document& document) {
    const auto keep = [&](auto& into, const std::string& key, auto record) {
      if (document.status().ok()) into.insert_or_assign(key, std::move(record));
      return document.status();
    };
    const std::string_view group = GroupOf(version);
    if (kind == "Pod" && group.empty()) {
      std::optional<PodRecord> pod =
          ReadPod(options_, gang_keys_, claims_, evaluator_, now_, object, document);
      if (!pod.has_value()) return document.status();
      const std::string uid = pod->identity.uid;
      return keep(objects_.pods, uid, *std::move(pod));
    }
    if (kind == "Node" && group.empty()) {
      NodeRecord node = ReadNode(options_, object);
      const std::string name = node.name;
      return keep(objects_.nodes, name, std::move(node));
    }
    if (kind == "PodDisruptionBudget") {
      BudgetRecord budget = ReadBudget(object);
      const std::string key = absl::StrCat(budget.namespace_name, "/", budget.name);
      return keep(objects_.budgets, key, std::move(budget));
    }
    if (kind == "PriorityClass") {
      objects_.classes.insert(Text(object.Get("metadata").Get("name")));
      return document.status();
    }
    if (DeviceClaims::IsClaim(version, kind)) return claims_.Add(json);
    if (absl::EndsWith(kind, "List")) {
      TakeList(object);  // one whose items are null
    } else {
      remarks_.Add("objects of other kinds are left out", kind);
    }
    return document.status();
  }

  void OnObject(std::string_view object, std::string_view list, std::size_t index) {
    if (!list.empty() && (index == 0 || list_kind_.empty())) ReadListKind(list);
    const absl::Status status = Add(object, list.empty() ? std::string() : list_kind_);
    if (!status.ok()) {
      AddProblem(list.empty() ? std::string(status.message())
                              : absl::StrCat("items[", index, "]: ", status.message()));
    }
  }

  // `PodList` -> `Pod`; of a `List` every item says its own.
  void ReadListKind(std::string_view beginning) {
    list_kind_.clear();
    const auto parsed = json::Document::Parse(absl::StrCat(std::string(beginning), "]}"));
    if (!parsed.ok()) return;
    const std::string kind = Text((*parsed)->root().Get("kind"));
    if (kind.size() > 4 && absl::EndsWith(kind, "List")) {
      list_kind_ = kind.substr(0, kind.size() - 4);
    }
  }

  void OnList(std::string_view list) {
    list_ = {};
    const auto parsed = json::Document::Parse(list);
    if (!parsed.ok()) return AddProblem(std::string(parsed.status().message()));
    TakeList((*parsed)->root());
  }

  void TakeList(Value list) {
    const Value metadata = list.Get("metadata");
    list_.resource_version = Text(metadata.Get("resourceVersion"));
    list_.next = Text(metadata.Get("continue"));
    list_kind_.clear();
  }

  void AddProblem(std::string problem) {
    if (problems_.size() < kMaxProblems) {
      problems_.push_back(std::move(problem));
    } else {
      ++left_out_;
    }
  }

  const adapter::Options options_;
  std::vector<std::string> gang_keys_;
  const Evaluator& evaluator_;
  const TimePoint now_;
  json::Workspace workspace_;
  DeviceClaims claims_;
  ClusterObjects objects_;
  Remarks remarks_;
  ListMetadata list_;
  std::string list_kind_;
  std::vector<std::string> problems_;
  std::size_t left_out_ = 0;
  ListSplitter splitter_;
};

ClusterReader::ClusterReader(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ClusterReader::ClusterReader(ClusterReader&&) noexcept = default;
ClusterReader& ClusterReader::operator=(ClusterReader&&) noexcept = default;
ClusterReader::~ClusterReader() = default;

absl::StatusOr<ClusterReader> ClusterReader::Create(const ClusterOptions& options,
                                                    const Evaluator& evaluator, TimePoint now) {
  absl::StatusOr<adapter::Options> read = adapter::Options::Create(options.adapter);
  if (!read.ok()) return read.status();
  return ClusterReader(std::make_unique<Impl>(*std::move(read), options.gang_keys, evaluator, now));
}

absl::Status ClusterReader::Add(std::string_view json) { return impl_->Add(json, {}); }
void ClusterReader::Read(std::string_view bytes) { impl_->Read(bytes); }
void ClusterReader::EndOfText() { impl_->EndOfText(); }
const ListMetadata& ClusterReader::list() const { return impl_->list(); }
std::vector<std::string> ClusterReader::TakeProblems() { return impl_->TakeProblems(); }
ClusterReading ClusterReader::Finish() && { return std::move(*impl_).Finish(); }

std::string EvictionJson(const PodIdentity& pod, std::string_view resource_version) {
  std::string out = R"({"apiVersion":"policy/v1","kind":"Eviction","metadata":{)";
  json::AppendMember("name", pod.name, &out);
  json::AppendMember("namespace", pod.namespace_name, &out);
  out += R"(},"deleteOptions":{"preconditions":{)";
  json::AppendMember("uid", pod.uid, &out);
  if (!resource_version.empty()) json::AppendMember("resourceVersion", resource_version, &out);
  return out + "}}}";
}

}  // namespace precedent::kubernetes
