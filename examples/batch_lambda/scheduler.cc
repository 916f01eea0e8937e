#include "examples/batch_lambda/scheduler.h"

#include "absl/strings/str_cat.h"
#include "examples/batch_lambda/submission.h"
#include "src/json/writer.h"

namespace precedent::batch_lambda {

absl::Status ScheduleMessage(Aws& aws, const Settings& settings, std::string_view name,
                             absl::Time time, std::string_view message) {
  if (settings.schedule_role.empty() || settings.queue_arn.empty()) {
    return absl::FailedPreconditionError(
        "a delay beyond 12 hours is EventBridge Scheduler's: set PRECEDENT_SCHEDULE_ROLE_ARN and "
        "PRECEDENT_QUEUE_ARN, or a smaller `max` in PRECEDENT_BACKOFF");
  }
  AwsRequest request;
  request.service = "scheduler";
  request.path = absl::StrCat("/schedules/precedent-", Digest(name));
  std::string& body = request.body;
  body = "{";
  json::AppendMember("ClientToken", Digest(name), &body);
  // Whole seconds, and never early.
  const absl::Time at = absl::UnixEpoch() + absl::Ceil(time - absl::UnixEpoch(), absl::Seconds(1));
  json::AppendMember("ScheduleExpression",
                     absl::FormatTime("at(%Y-%m-%dT%H:%M:%S)", at, absl::UTCTimeZone()), &body);
  body += ",\"FlexibleTimeWindow\":{\"Mode\":\"OFF\"},\"ActionAfterCompletion\":\"DELETE\"";
  json::AppendKey("Target", &body);
  body += '{';
  json::AppendMember("Arn", settings.queue_arn, &body);
  json::AppendMember("RoleArn", settings.schedule_role, &body);
  json::AppendMember("Input", message, &body);
  body += "}}";
  const AwsReply reply = aws.Call(request);
  if (reply.code == "ConflictException") return absl::OkStatus();
  return StatusOf(reply, "CreateSchedule");
}

}  // namespace precedent::batch_lambda
