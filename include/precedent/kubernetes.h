// Kubernetes objects to job descriptors.
//
// Target precedent::kubernetes. No function here throws, prints or aborts.
#ifndef PRECEDENT_KUBERNETES_H_
#define PRECEDENT_KUBERNETES_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "precedent/described_job.h"
#include "precedent/v1/adapter.pb.h"

namespace precedent::kubernetes {

// Maps fields and nothing else. Immutable after Create: one adapter serves any
// number of threads. Copies share their tables.
class Adapter {
 public:
  // INVALID_ARGUMENT, naming the option, when the options contradict themselves.
  static absl::StatusOr<Adapter> Create(const v1::AdapterOptions& options = {});

  // One object as JSON bytes (UTF-8, at most 7 MiB, depth 64): a Pod, Job or
  // Deployment. Copies what it needs. INVALID_ARGUMENT names the path in the
  // object of what is wrong, a key given twice and a NUL included; UNIMPLEMENTED
  // names the group and kind of an object that this adapter does not know. Linear
  // in the bytes.
  //
  // - devices and gpu_count are those of all pods wanted at once (Job: the smaller
  //   of parallelism and completions), by Kubernetes' own rule for init containers.
  //   A pod with resourceClaims has no gpu_count, and a remark.
  // - labels: the object's labels, its annotations, then the labels and annotations
  //   of its pod template; the first of a key counts. kubectl's copy of the object
  //   (last-applied-configuration) is left out.
  // - claimed: what came from labels and annotations and no binding confirmed.
  // - max_runtime_seconds: the shortest of the metadata's and activeDeadlineSeconds.
  // - name: `namespace/name`, or `namespace/prefix-*` where only generateName is
  //   given. lineage_key: `namespace/kind/name` of the owning controller, else of
  //   the Job that a pod's label names, else of the object; empty where it has
  //   neither owner nor name.
  absl::StatusOr<DescribedJob> Describe(std::string_view json) const;

 private:
  class Impl;
  explicit Adapter(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<const Impl> impl_;
};

}  // namespace precedent::kubernetes

#endif  // PRECEDENT_KUBERNETES_H_
