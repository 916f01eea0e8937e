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
  // object of what is wrong; UNIMPLEMENTED names the group and kind of an object
  // that this adapter does not know. Linear in the bytes.
  absl::StatusOr<DescribedJob> Describe(std::string_view json) const;

 private:
  class Impl;
  explicit Adapter(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<const Impl> impl_;
};

}  // namespace precedent::kubernetes

#endif  // PRECEDENT_KUBERNETES_H_
