// AWS Batch: requests, jobs and events in, requests with the derived priority out.
//
// Target precedent::aws. No function here throws, prints or aborts.
//
// A Lambda in front of Batch, in short:
//
//   auto adapter = precedent::aws::Adapter::Create(options);        // once
//   auto request = adapter->Prepare(body, &evaluator, QueuePolicy::kFairShare, now);
//   if (request.ok()) Post("/v1/submitjob", request->body);
#ifndef PRECEDENT_AWS_BATCH_H_
#define PRECEDENT_AWS_BATCH_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "precedent/decision.h"
#include "precedent/described_job.h"
#include "precedent/evaluator.h"
#include "precedent/time.h"
#include "precedent/v1/adapter.pb.h"
#include "precedent/v1/lineage.pb.h"

namespace precedent::aws {

// What orders the jobs of a queue (API reference, CreateSchedulingPolicy). A request
// does not tell, and Batch refuses one that says too much or too little for its queue.
enum class QueuePolicy {
  kOfRequest,   // as the request's own shareIdentifier or quotaShareName says, else kNone
  kNone,        // first in, first out: neither share nor priority may be given
  kFairShare,   // shareIdentifier and priority are required
  kQuotaShare,  // quotaShareName is required; service jobs only
};

// One job of a document that may hold several.
struct DescribedItem {
  // Where it is: `jobs[2]`, `Records[0].body`; empty where the document is the job.
  std::string place;
  // Of the queue's message that held it; else empty.
  std::string message_id;
  // Or what is wrong with it, which does not touch the others.
  absl::StatusOr<DescribedJob> job;
};

// Request to send, and how it came to be.
struct PreparedRequest {
  std::string body;
  DescribedJob job;
  // Borrows from the evaluator, and without one from the adapter.
  Decision decision;
  // What `warn` rules say, in order.
  std::vector<std::string> warnings;
  // What was replaced, left out, or could not be known: those of `job` first.
  std::vector<std::string> remarks;
};

// What one job of a document went through.
struct JobHistory {
  // As of a DescribedItem.
  std::string place;
  std::string message_id;
  // Or what is wrong with it, which does not touch the others. The submission comes
  // first.
  absl::StatusOr<std::vector<v1::LineageEvent>> events;
};

// Immutable after Create: one adapter serves any number of threads. Copies share
// their tables.
class Adapter {
 public:
  // INVALID_ARGUMENT, naming the option, when the options contradict themselves.
  static absl::StatusOr<Adapter> Create(const v1::AdapterOptions& options = {});

  // The jobs of one document as JSON bytes (UTF-8, at most 7 MiB, depth 64). What it
  // is shows in its members; the forms are those of the API reference and of the user
  // guide's pages on events:
  // - the body of SubmitJob, with that of the RegisterJobDefinition that it names, or
  //   without (`definition_json` empty): then what only the definition tells (GPUs,
  //   mostly) is absent. An array job is described as one of its children.
  // - the body of RegisterJobDefinition alone: any job by it
  // - the body of SubmitServiceJob; GPUs by instance type, from a table that
  //   AdapterOptions.instance_gpus extends
  // - the results of DescribeJobs and of DescribeServiceJob, and one job of the former
  // - an event of EventBridge about either (UNIMPLEMENTED for any other detail-type)
  // - a Lambda event with messages of SQS whose bodies are any of these, or a team's
  //   own: like a SubmitJob, but for the queue, with its metadata as members
  //   (`failure_count` as `failure-count`). Behind a message that fails, a FIFO queue's
  //   later ones fail as well (ABORTED), since their order is promised.
  //
  // Copies what it needs. INVALID_ARGUMENT names the path in the document of what is
  // wrong, after `definition: ` for the definition. Linear in the bytes.
  //
  // Of a descriptor:
  // - kind is `BatchJob` or `BatchServiceJob`, name the job's name, queue the last part
  //   of its queue's ARN, pod_count the nodes or instances; id and submitted are those
  //   that Batch gave, where it has.
  // - Batch's GPUs are listed in devices as `nvidia.com/gpu`.
  // - labels: tags, then labels and annotations of an EKS pod, the request's before
  //   the definition's; and for what has no attribute of its own
  //   `aws:batch:share-identifier`, `aws:batch:quota-share-name`,
  //   `aws:batch:scheduling-priority`, `aws:batch:attempts`, `aws:batch:array-size`,
  //   `aws:batch:preemption-retries` and `aws:batch:status`, which no tag can be called.
  // - parents: the parent that metadata name, then those of dependsOn.
  // - lineage: what metadata say came before the job, plus its own attempts: own
  //   failures and time-outs are failures; hosts lost (`Host EC2*`) and faults of the
  //   service are infrastructure failures; preemptions are counted apart; endings that
  //   nobody can tell, and jobs that somebody terminated, are not charged.
  // - lineage_key: `BatchJob/definition/job name`, the definition without revision;
  //   `BatchServiceJob/job name`; empty for a definition alone.
  // - A definition of another name is used all the same, with a remark.
  absl::StatusOr<std::vector<DescribedItem>> DescribeAll(
      std::string_view json, std::string_view definition_json = {}) const;

  // The same for a document of one job: INVALID_ARGUMENT where it holds several.
  absl::StatusOr<DescribedJob> Describe(std::string_view json,
                                        std::string_view definition_json = {}) const;

  // What the jobs of one document went through, as far as it tells: for each job its
  // submission, then what became of its attempts, in order. Documents are those of
  // DescribeAll that tell of a job which has an id: results of DescribeJobs and
  // DescribeServiceJob, state change events, messages of these. Telling the same thing
  // twice is harmless to a LineageGraph, so every event of a job may be read.
  //
  // - submission: the descriptor, with the lineage that its metadata say (the job's own
  //   attempts come as events), parents as in DescribeAll. owner: the account of its
  //   ARN; empty where there is none.
  // - STARTED at an attempt's startedAt, and its end at stoppedAt: SUCCEEDED by exit code
  //   0; FAILED by OWN fault for another exit code, a kill for the use of memory, a
  //   time-out of the job's own limit; FAILED by INFRASTRUCTURE where statusReason begins
  //   with `Host EC2`, and for faults of the service; PREEMPTED where the service says
  //   so; CANCELLED where somebody terminated the job (isTerminated, isCancelled); FAILED
  //   without cause where nobody can tell.
  // - A job that waits for another attempt (SUBMITTED to STARTING after one that ended)
  //   lives: PROGRESS of the attempt to come, with nothing reported.
  // - SUCCEEDED or FAILED alone, without attempts, is the end of attempt 1.
  // Errors as of DescribeAll; and INVALID_ARGUMENT for a request or a definition.
  absl::StatusOr<std::vector<JobHistory>> Events(std::string_view json,
                                                 std::string_view definition_json = {}) const;

  // The body of a SubmitJob or SubmitServiceJob with what `evaluator` decides about its
  // job at `now`, ready to send. Null for `evaluator`: no policy is live, and
  // AdapterOptions.fallback decides.
  //
  // These members are set or removed; no other byte of the body changes, so the order
  // of members, unknown ones and the spelling of numbers stay (a member whose value is
  // right already keeps its spelling, too). Preparing a prepared body changes nothing.
  // - schedulingPriorityOverride (SubmitJob) or schedulingPriority (SubmitServiceJob):
  //   the decision's priority, clamped to 0..9999. One of the request's own is replaced,
  //   with a remark.
  // - shareIdentifier or quotaShareName: the share_identifier of the policy, else the
  //   team, as ShareName writes it; else the request's own. Where
  //   AdapterOptions.known_shares are given (an entry may end in `*`), a share that is
  //   none of them becomes default_share.
  // - On a queue of policy kNone neither share nor priority: they are removed.
  // - timeout.attemptDurationSeconds (timeoutConfig of a service job): the policy's
  //   limit_runtime_seconds, at least 60 (Batch's least), where the job's own is longer
  //   or absent; never a longer one.
  // - tags: `precedent.dev/priority`, `precedent.dev/policy` (its fingerprint),
  //   `precedent.dev/priority-class`, `precedent.dev/reason` where it is not DERIVED,
  //   the lineage counts and parent that no tag says yet, and the policy's annotations.
  //   Batch takes 50 tags, the definition's counted, in letters, digits, space and
  //   `+-=._:/@`: what does not fit is left out, last first, with a remark.
  //
  // PERMISSION_DENIED with the rule's text where the policy denies the job;
  // INVALID_ARGUMENT as Describe, and where the queue needs a share and nothing names
  // one, the share's name is too long or unknown, or both kinds of share are given.
  // Linear in the bytes, besides the evaluation.
  absl::StatusOr<PreparedRequest> Prepare(std::string_view request_json, const Evaluator* evaluator,
                                          QueuePolicy queue, TimePoint now,
                                          std::string_view definition_json = {}) const;

  // The body of UpdateServiceJob that gives a service job its priority of now: from
  // the result of DescribeServiceJob, or an event about it, whose job is described (an
  // event has neither tags nor payload: what they tell is absent). Nothing where the
  // priority is right already, where the job has ended, or where its queue knows no
  // priority. Errors as for Prepare.
  absl::StatusOr<std::optional<std::string>> PrepareUpdate(std::string_view json,
                                                           const Evaluator* evaluator,
                                                           TimePoint now) const;

 private:
  class Impl;
  explicit Adapter(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<const Impl> impl_;
};

// Body of UpdateServiceJob; `priority` is clamped to 0..9999. Of container jobs Batch
// can change no priority. INVALID_ARGUMENT for an empty id or one that is no UTF-8.
absl::StatusOr<std::string> UpdateServiceJobBody(std::string_view job_id, std::int32_t priority);

// `name` as a share: letters A-Y, a-z and digits stand, any other byte, and Z, becomes
// Z and two hex digits (`ml-team_a`: `mlZ2dteamZ5fa`), so that two names never share
// one. INVALID_ARGUMENT where `name` is empty or the result is longer than 255 bytes,
// the API's limit (128 for `quotaShareName`, which Prepare checks).
absl::StatusOr<std::string> ShareName(std::string_view name);

// What a Lambda with ReportBatchItemFailures returns: the messages whose jobs could
// not be read, each once. `{"batchItemFailures":[]}` where all could.
std::string BatchItemFailures(const std::vector<DescribedItem>& items);

}  // namespace precedent::aws

#endif  // PRECEDENT_AWS_BATCH_H_
