#include "src/kubernetes/kinds.h"

namespace precedent::kubernetes {
namespace {

constexpr Role kPod[] = {{"", "", "", ""}};
constexpr Role kJob[] = {{"", "", "spec", "spec.template"}};
constexpr Role kDeployment[] = {{"", "spec.replicas", "", "spec.template"}};

constexpr Kind kKinds[] = {
    {"", "Pod", "Pod", kPod, "", ""},
    {"batch", "Job", "Job", kJob, "spec.activeDeadlineSeconds", ""},
    {"apps", "Deployment", "Deployment", kDeployment, "", ""},
};

}  // namespace

const Kind* FindKind(std::string_view group, std::string_view kind) {
  for (const Kind& row : kKinds) {
    if (row.group == group && row.kind == kind) return &row;
  }
  return nullptr;
}

std::string_view KnownKinds() { return "Pod, batch Job and apps Deployment"; }

}  // namespace precedent::kubernetes
