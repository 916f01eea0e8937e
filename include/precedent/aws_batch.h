// AWS Batch requests to job descriptors.
//
// Target precedent::aws. No function here throws, prints or aborts.
#ifndef PRECEDENT_AWS_BATCH_H_
#define PRECEDENT_AWS_BATCH_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "precedent/described_job.h"
#include "precedent/v1/adapter.pb.h"

namespace precedent::aws {

// Maps fields and nothing else. Immutable after Create: one adapter serves any
// number of threads. Copies share their tables.
class Adapter {
 public:
  // INVALID_ARGUMENT, naming the option, when the options contradict themselves.
  static absl::StatusOr<Adapter> Create(const v1::AdapterOptions& options = {});

  // The body of a SubmitJob request as JSON bytes (UTF-8, at most 7 MiB, depth
  // 64), and the body of the RegisterJobDefinition that it names, or empty: then
  // what only the definition tells (GPUs, mostly) is absent. An array job is
  // described as one of its children. Copies what it needs. INVALID_ARGUMENT names
  // the path in the body of what is wrong, after `definition: ` for the definition.
  // Linear in the bytes.
  //
  // - kind is `BatchJob`, name the job's name, queue the last part of its queue's
  //   ARN, pod_count the nodes.
  // - Batch's GPUs are listed in devices as `nvidia.com/gpu`.
  // - labels: tags, then labels and annotations of an EKS pod, the request's before
  //   the definition's; and for what has no attribute of its own
  //   `aws:batch:share-identifier`, `aws:batch:scheduling-priority`,
  //   `aws:batch:attempts` and `aws:batch:array-size`, which no tag can be called.
  // - parents: the parent that metadata name, then those of dependsOn.
  // - lineage_key: `BatchJob/definition/job name`, the definition without revision.
  // - A definition of another name is used all the same, with a remark.
  absl::StatusOr<DescribedJob> Describe(std::string_view request_json,
                                        std::string_view definition_json = {}) const;

 private:
  class Impl;
  explicit Adapter(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<const Impl> impl_;
};

}  // namespace precedent::aws

#endif  // PRECEDENT_AWS_BATCH_H_
