#include "cluster_source.h"

#include <simdjson.h>

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "fields.h"

namespace precedent::descheduler {
namespace {

using simdjson::dom::element;

constexpr std::size_t kMaxPageBytes = 64 << 20;
constexpr std::size_t kMaxProblems = 100;
// Of a page that gets no answer.
constexpr int kTries = 3;

struct Kind {
  const char* path;
  const char* kind;
  const char* version;
  bool optional;  // an API server may not have it, or this one may not be allowed to see it
};
// Claims first: pods name them.
constexpr Kind kKinds[] = {
    {"/apis/resource.k8s.io/v1/resourceclaims", "ResourceClaim", "resource.k8s.io/v1", true},
    {"/api/v1/pods", "Pod", "v1", false},
    {"/api/v1/nodes", "Node", "v1", false},
    {"/apis/policy/v1/poddisruptionbudgets", "PodDisruptionBudget", "policy/v1", false},
    {"/apis/scheduling.k8s.io/v1/priorityclasses", "PriorityClass", "scheduling.k8s.io/v1", false},
    {"/apis/batch/v1/jobs", "Job", "batch/v1", true},
};

// What the items of a list leave out.
std::string WithKind(element item, const char* kind, const char* version) {
  std::string json = simdjson::minify(item);
  element there;
  if (!item.is_object() || !item["kind"].get(there)) return json;
  const char* const comma = json.size() > 2 ? "," : "";
  return absl::StrCat(R"({"kind":")", kind, R"(","apiVersion":")", version, "\"", comma,
                      json.substr(1));
}

// Extended resources have a slash in their name; most pods have none and are of no interest.
bool MayHoldDevice(element pod) {
  element spec = pod;
  if (!Find(&spec, "spec")) return false;
  element claims;
  if (!spec["resourceClaims"].get(claims)) return true;
  for (const char* list : {"containers", "initContainers"}) {
    simdjson::dom::array containers;
    if (spec[list].get(containers)) continue;
    for (const element container : containers) {
      for (const char* which : {"limits", "requests"}) {
        element resources = container;
        simdjson::dom::object named;
        if (!Find(&resources, "resources", which) || resources.get(named)) continue;
        for (const auto field : named) {
          if (field.key.find('/') != std::string_view::npos) return true;
        }
      }
    }
  }
  return false;
}

}  // namespace

struct ClusterSource::Round {
  kubernetes::ClusterReader reader;
  const kubernetes::Adapter& adapter;
  History* history;
  ClusterLists lists;
  std::set<std::string> closed_nodes;

  void Problem(std::string text) {
    if (lists.problems.size() < kMaxProblems) lists.problems.push_back(std::move(text));
  }
};

absl::StatusOr<ClusterLists> ClusterSource::List(const kubernetes::ClusterOptions& options,
                                                 const kubernetes::Adapter& adapter,
                                                 const Evaluator& evaluator, History* history) {
  absl::StatusOr<kubernetes::ClusterReader> reader =
      kubernetes::ClusterReader::Create(options, evaluator, api_->Earliest());
  if (!reader.ok()) return reader.status();
  Round round{*std::move(reader), adapter, history, {}, {}};
  for (const Kind& kind : kKinds) {
    const absl::Status status = ListKind(kind.path, kind.kind, kind.version, kind.optional, &round);
    if (!status.ok()) return status;
  }
  round.lists.reading = std::move(round.reader).Finish();
  for (v1::Node& node : *round.lists.reading.cluster.mutable_nodes()) {
    if (round.closed_nodes.count(node.name()) > 0) node.set_unschedulable(true);
  }
  return std::move(round.lists);
}

absl::Status ClusterSource::ListKind(const char* path, const char* kind, const char* version,
                                     bool optional, Round* round) {
  int limit = page_size_;
  int tries = 0;
  std::string next;
  for (;;) {
    if (stop_->load()) return absl::CancelledError("stopping");
    std::string target = absl::StrCat(path, "?limit=", limit);
    if (!next.empty()) absl::StrAppend(&target, "&continue=", webhook::ApiClient::Escape(next));
    const Answer answer =
        api_->Call("GET", target, "", std::chrono::milliseconds::max(), kMaxPageBytes);
    if (answer.too_large && limit > 1) {
      limit = std::max(1, limit / 2);
      continue;
    }
    if (optional && next.empty() && (answer.status == 404 || answer.status == 403)) {
      return absl::OkStatus();
    }
    if (answer.status == 410) return absl::AbortedError(absl::StrCat(path, ": ", answer.error));
    absl::Status status = absl::UnavailableError(answer.error);
    std::string after;
    if (answer.ok()) status = ReadPage(answer.body, kind, version, round, &after);
    if (!status.ok()) {
      const bool again = answer.status == 0 || answer.status == 429 || answer.status >= 500 ||
                         (answer.status == 200 && !answer.whole);
      if (again && ++tries < kTries) continue;
      return absl::UnavailableError(
          absl::StrCat(path, ": is not listed whole: ", status.message()));
    }
    tries = 0;
    next = std::move(after);
    if (next.empty()) return absl::OkStatus();
  }
}

absl::Status ClusterSource::ReadPage(const std::string& body, const char* kind, const char* version,
                                     Round* round, std::string* next) {
  simdjson::dom::parser parser;
  element root;
  if (parser.parse(body).get(root)) return absl::InvalidArgumentError("the answer is no JSON");
  const std::string list = Text(root, "kind");
  if (list != absl::StrCat(kind, "List")) {
    return absl::InvalidArgumentError(absl::StrCat("the answer is a `", list, "`"));
  }
  *next = Text(root, "metadata", "continue");
  simdjson::dom::array items;
  element any;
  if (root["items"].get(any) || any.is_null()) return absl::OkStatus();
  if (any.get(items)) return absl::InvalidArgumentError("`items` is no list");
  const bool is_pod = std::string_view(kind) == "Pod";
  const bool is_job = std::string_view(kind) == "Job";
  for (const element item : items) {
    ++round->lists.objects;
    const std::string json = WithKind(item, kind, version);
    if (!is_job) {
      const absl::Status added = round->reader.Add(json);
      if (!added.ok()) {
        round->Problem(absl::StrCat(kind, ": ", added.message()));
        const std::string node = Text(item, "spec", "nodeName");
        if (is_pod && !node.empty()) round->closed_nodes.insert(node);
        continue;
      }
    }
    if (!is_job && !(is_pod && MayHoldDevice(item))) continue;
    const auto events = round->adapter.Events(json);
    if (events.ok()) round->history->Observe(*events);
  }
  return absl::OkStatus();
}

}  // namespace precedent::descheduler
