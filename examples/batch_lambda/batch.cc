#include "examples/batch_lambda/batch.h"

#include <simdjson.h>

#include <limits>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "src/json/document.h"
#include "src/json/writer.h"

namespace precedent::batch_lambda {
namespace {

using json::AppendMember;
using Result = Submitted::Result;

constexpr std::size_t kMaxHeld = 1'000;

AwsReply Send(Aws& aws, const char* path, std::string body, bool repeatable = true) {
  AwsRequest request;
  request.service = "batch";
  request.path = path;
  request.body = std::move(body);
  request.repeatable = repeatable;
  return aws.Call(request);
}

std::string_view Text(json::Value value) { return value.String().value_or(std::string_view()); }

// What the request itself is to blame for. Anything else that is refused, such as a role
// without permission, somebody may put right, and the submission is worth another time.
bool IsOfRequest(const AwsReply& reply) {
  return reply.code == "ClientException" || reply.code == "ValidationException" ||
         reply.code == "SerializationException" || reply.code == "RequestEntityTooLarge" ||
         absl::StartsWith(reply.message, "status 413");
}

}  // namespace

Submitted Submit(Aws& aws, bool service, std::string body) {
  const char* path = service ? "/v1/submitservicejob" : "/v1/submitjob";
  const AwsReply reply = Send(aws, path, std::move(body), service);
  Submitted submitted;
  submitted.reason = absl::StrCat(service ? "SubmitServiceJob: " : "SubmitJob: ", reply.code,
                                  reply.code.empty() ? "" : ": ", reply.message);
  switch (reply.outcome) {
    case AwsReply::Outcome::kThrottled:
      submitted.result = Result::kNot;
      break;
    case AwsReply::Outcome::kUncertain:
      submitted.result = Result::kUncertain;
      break;
    case AwsReply::Outcome::kRefused:
      submitted.result = IsOfRequest(reply) ? Result::kRefused : Result::kNot;
      break;
    case AwsReply::Outcome::kDone: {
      const auto document = json::Document::Parse(reply.body);
      if (document.ok()) submitted.job_id = std::string(Text((*document)->root().Get("jobId")));
      submitted.result = submitted.job_id.empty() ? Result::kUncertain : Result::kDone;
      if (submitted.job_id.empty()) submitted.reason += "the answer has no jobId";
      break;
    }
  }
  return submitted;
}

absl::StatusOr<std::optional<std::string>> FindJob(Aws& aws, bool service,
                                                   std::string_view job_queue,
                                                   std::string_view name) {
  std::optional<std::string> found;
  std::int64_t created = std::numeric_limits<std::int64_t>::max();
  std::string next;
  do {
    std::string body = "{";
    AppendMember("jobQueue", job_queue, &body);
    body += ",\"filters\":[{\"name\":\"JOB_NAME\",\"values\":[";
    json::AppendString(name, &body);
    body += "]}]";
    if (!next.empty()) AppendMember("nextToken", next, &body);
    body += '}';
    const AwsReply reply =
        Send(aws, service ? "/v1/listservicejobs" : "/v1/listjobs", std::move(body));
    if (!reply.ok()) return StatusOf(reply, "ListJobs");
    const auto document = json::Document::Parse(reply.body, "ListJobs");
    if (!document.ok()) return absl::UnavailableError(document.status().message());
    const json::Value root = (*document)->root();
    for (const json::Value job : root.Get("jobSummaryList").Items()) {
      // The filter looks at no case.
      if (Text(job.Get("jobName")) != name) continue;
      const std::int64_t at =
          job.Get("createdAt").Integer(0, std::numeric_limits<std::int64_t>::max()).value_or(0);
      if (found.has_value() && at >= created) continue;
      created = at;
      found = std::string(Text(job.Get("jobId")));
    }
    next = std::string(Text(root.Get("nextToken")));
    if (!(*document)->status().ok()) {
      return absl::UnavailableError((*document)->status().message());
    }
  } while (!next.empty());
  return found;
}

absl::Status UpdateServiceJob(Aws& aws, std::string body) {
  return StatusOf(Send(aws, "/v1/updateservicejob", std::move(body)), "UpdateServiceJob");
}

absl::StatusOr<std::string> DescribeServiceJob(Aws& aws, std::string_view job_id) {
  std::string body = "{";
  AppendMember("jobId", job_id, &body);
  const AwsReply reply = Send(aws, "/v1/describeservicejob", body + "}");
  if (!reply.ok()) return StatusOf(reply, "DescribeServiceJob");
  return reply.body;
}

absl::StatusOr<std::vector<ServiceJobName>> RunnableServiceJobs(Aws& aws,
                                                                std::string_view job_queue) {
  std::string body = "{";
  AppendMember("jobQueue", job_queue, &body);
  const AwsReply reply = Send(aws, "/v1/listservicejobs", body + ",\"jobStatus\":\"RUNNABLE\"}");
  if (!reply.ok()) return StatusOf(reply, "ListServiceJobs");
  const auto document = json::Document::Parse(reply.body, "ListServiceJobs");
  if (!document.ok()) return absl::UnavailableError(document.status().message());
  std::vector<ServiceJobName> jobs;
  for (const json::Value job : (*document)->root().Get("jobSummaryList").Items()) {
    jobs.push_back({std::string(Text(job.Get("jobId"))), std::string(Text(job.Get("jobName")))});
  }
  if (!(*document)->status().ok()) return absl::UnavailableError((*document)->status().message());
  return jobs;
}

absl::StatusOr<std::string> QueueSnapshot(Aws& aws, std::string_view job_queue) {
  std::string body = "{";
  AppendMember("jobQueue", job_queue, &body);
  const AwsReply reply = Send(aws, "/v1/getjobqueuesnapshot", body + "}");
  if (!reply.ok()) return StatusOf(reply, "GetJobQueueSnapshot");
  return reply.body;
}

absl::StatusOr<std::string> Definitions::Get(const std::string& name, absl::Time now) {
  const auto held = held_.find(name);
  if (held != held_.end() && now < held->second.until) return held->second.body;
  const bool one = absl::StrContains(name, ":");  // a revision or an ARN
  std::string body = "{";
  if (one) {
    body += "\"jobDefinitions\":[";
    json::AppendString(name, &body);
    body += "]}";
  } else {
    AppendMember("jobDefinitionName", name, &body);
    body += ",\"status\":\"ACTIVE\"}";
  }
  const AwsReply reply = Send(*aws_, "/v1/describejobdefinitions", std::move(body));
  std::string definition;
  if (reply.ok()) {
    // By simdjson itself: a definition goes on as the text that it is.
    simdjson::dom::parser parser;
    simdjson::dom::array all;
    if (parser.parse(reply.body)["jobDefinitions"].get(all) != simdjson::SUCCESS) {
      return absl::UnavailableError("DescribeJobDefinitions: the answer has no jobDefinitions");
    }
    std::int64_t newest = -1;
    for (const simdjson::dom::element each : all) {
      std::int64_t revision = 0;
      if (each["revision"].get(revision) != simdjson::SUCCESS || revision <= newest) continue;
      newest = revision;
      definition = simdjson::minify(each);
    }
  } else if (reply.code != "ClientException") {
    return StatusOf(reply, "DescribeJobDefinitions");
  }
  // A revision never changes; which is the newest does, and one that is not there may come.
  const absl::Duration good = definition.empty() ? absl::Seconds(10)
                              : one              ? absl::Hours(1)
                                                 : absl::Minutes(1);
  if (held_.size() >= kMaxHeld) held_.clear();
  held_.insert_or_assign(name, Held{definition, now + good});
  return definition;
}

}  // namespace precedent::batch_lambda
