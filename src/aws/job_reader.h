// The jobs of Batch on their way to a descriptor: container jobs (job_reader.cc) and
// service jobs (service_job_reader.cc).
#ifndef PRECEDENT_SRC_AWS_JOB_READER_H_
#define PRECEDENT_SRC_AWS_JOB_READER_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "src/adapter/draft.h"
#include "src/adapter/options.h"
#include "src/aws/instances.h"
#include "src/json/document.h"

namespace precedent::aws {

// What an adapter reads with. Borrowed.
struct Tables {
  const adapter::Options& options;
  const InstanceTable& instances;
};

// A container job: what asks for it, what defines it, or both. A job that Batch
// describes is its own definition, with its overrides applied.
struct Bodies {
  json::Value request;     // SubmitJob
  json::Value definition;  // RegisterJobDefinition, or a described job
  // The request is a queue's message: it may leave out the queue, and its own members
  // are metadata too.
  bool message = false;

  // What tells of this job rather than of any by its definition.
  json::Value Own() const { return request.present() ? request : definition; }
  // The request's value where it gives one, else the definition's.
  json::Value Either(std::string_view path) const {
    const json::Value own = request.Find(path);
    return own.present() ? own : definition.Find(path);
  }
};

// Both return the limit of runtime that the platform enforces, in seconds, if one is
// given. Errors go to the documents.
std::optional<std::int64_t> ReadJob(const Tables& tables, const Bodies& bodies,
                                    adapter::Draft& draft);
std::optional<std::int64_t> ReadServiceJob(const Tables& tables, json::Value job,
                                           adapter::Draft& draft);

// Labels for what a request says that has no attribute of its own. AWS keeps tags
// that begin with `aws:` to itself, so no tag of a user has these names.
struct OwnLabel {
  std::string_view path;
  const char* label;
  // Bounds of a number; a text where both are 0.
  std::int64_t min, max;
};
void ReadOwnLabel(json::Value from, const OwnLabel& label, adapter::Draft& draft);

// Name, id, queue, time of submission.
void ReadIdentity(json::Value own, adapter::Draft& draft);

// The text, which must be there and not be empty.
std::string_view Required(json::Value value);
// `gpu-fair` of `arn:aws:batch:us-east-1:123456789012:job-queue/gpu-fair`.
std::string_view LastPart(std::string_view name_or_arn);

}  // namespace precedent::aws

#endif  // PRECEDENT_SRC_AWS_JOB_READER_H_
