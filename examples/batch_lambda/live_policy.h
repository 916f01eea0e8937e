// LivePolicy: where the policy comes from, and the one that is live.
#ifndef PRECEDENT_EXAMPLES_BATCH_LAMBDA_LIVE_POLICY_H_
#define PRECEDENT_EXAMPLES_BATCH_LAMBDA_LIVE_POLICY_H_

#include <chrono>
#include <optional>
#include <string>

#include "examples/batch_lambda/aws.h"
#include "precedent/policy.h"

namespace precedent::batch_lambda {

// A file, such as one of the package; `s3://BUCKET/KEY`; or `ssm:NAME`, a parameter of
// Systems Manager.
// Looked at when it is made up to date, at most once in `refresh`. What cannot be read or
// does not compile, and what has a lower generation, changes nothing: the policy that was
// live stays, and without one the fallback decides. Not thread-safe.
class LivePolicy {
 public:
  // Borrows `aws`.
  LivePolicy(std::string source, Aws* aws,
             std::chrono::milliseconds refresh = std::chrono::seconds(30))
      : source_(std::move(source)), aws_(aws), refresh_(refresh) {}

  // What is to be said about it: empty where all is well.
  std::string Refresh(std::chrono::steady_clock::time_point now);

  // Null where none is live. Until the next Refresh.
  const CompiledPolicy* policy() const { return policy_.has_value() ? &*policy_ : nullptr; }

 private:
  std::string Read(std::string& text) const;

  const std::string source_;
  Aws* const aws_;
  const std::chrono::milliseconds refresh_;
  std::optional<std::chrono::steady_clock::time_point> looked_;
  std::string text_;
  std::optional<CompiledPolicy> policy_;
};

}  // namespace precedent::batch_lambda

#endif  // PRECEDENT_EXAMPLES_BATCH_LAMBDA_LIVE_POLICY_H_
