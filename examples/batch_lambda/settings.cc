#include "examples/batch_lambda/settings.h"

#include <cstdlib>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace precedent::batch_lambda {
namespace {

using std::chrono::milliseconds;

absl::Status Bad(const std::string& name, const std::string& value, const std::string& wanted) {
  return absl::InvalidArgumentError(absl::StrCat(name, ": `", value, "` is no ", wanted));
}

bool ReadQueuePolicy(absl::string_view text, aws::QueuePolicy& policy) {
  if (text == "fair-share")
    policy = aws::QueuePolicy::kFairShare;
  else if (text == "quota-share")
    policy = aws::QueuePolicy::kQuotaShare;
  else if (text == "none")
    policy = aws::QueuePolicy::kNone;
  else
    return false;
  return true;
}

absl::Status ReadQueuePolicies(const std::string& text, Settings& settings) {
  for (const absl::string_view part : absl::StrSplit(text, ',', absl::SkipWhitespace())) {
    const std::pair<absl::string_view, absl::string_view> pair =
        absl::StrSplit(absl::StripAsciiWhitespace(part), absl::MaxSplits('=', 1));
    const bool one = absl::StrContains(part, '=');
    aws::QueuePolicy& policy =
        one ? settings.queue_policies[std::string(pair.first)] : settings.queue_policy;
    if (!ReadQueuePolicy(one ? pair.second : pair.first, policy)) {
      return Bad("PRECEDENT_QUEUE_POLICY", std::string(part),
                 "policy of a queue: `fair-share`, `quota-share`, `none`, or `NAME=` and one of "
                 "these");
    }
  }
  return absl::OkStatus();
}

absl::Status ReadBackoff(const std::string& text, BackoffOptions& backoff) {
  for (const absl::string_view part : absl::StrSplit(text, ',', absl::SkipWhitespace())) {
    const std::pair<absl::string_view, absl::string_view> pair =
        absl::StrSplit(part, absl::MaxSplits('=', 1));
    double value = 0;
    const bool number = absl::SimpleAtod(pair.second, &value) && value >= 0 && value < 1e9;
    const auto seconds = milliseconds(static_cast<std::int64_t>(value * 1000));
    const absl::string_view name = absl::StripAsciiWhitespace(pair.first);
    if (number && name == "initial")
      backoff.initial = seconds;
    else if (number && name == "max")
      backoff.max = seconds;
    else if (number && name == "factor")
      backoff.factor = value;
    else if (number && name == "jitter")
      backoff.jitter = value;
    else if (number && name == "attempts")
      backoff.attempts = static_cast<std::int32_t>(value);
    else
      return Bad("PRECEDENT_BACKOFF", std::string(part),
                 "`initial=`, `factor=`, `max=`, `jitter=` or `attempts=` and a number");
  }
  return absl::OkStatus();
}

absl::Status ReadDuration(const Variables& variables, const std::string& name, int unit,
                          milliseconds& out) {
  const std::string text = variables(name);
  std::int64_t value = 0;
  if (text.empty()) return absl::OkStatus();
  if (!absl::SimpleAtoi(text, &value) || value < 1 || value > 1'000'000) {
    return Bad(name, text, "whole number from 1 to 1000000");
  }
  out = milliseconds(value * unit);
  return absl::OkStatus();
}

}  // namespace

std::string FromEnvironment(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value == nullptr ? "" : value;
}

std::string_view LastPart(std::string_view arn) {
  const std::size_t slash = arn.rfind('/');
  return slash == std::string_view::npos ? arn : arn.substr(slash + 1);
}

aws::QueuePolicy Settings::PolicyOf(std::string_view job_queue_or_arn) const {
  const auto found = queue_policies.find(std::string(LastPart(job_queue_or_arn)));
  return found == queue_policies.end() ? queue_policy : found->second;
}

absl::StatusOr<Settings> ReadSettings(const Variables& variables) {
  Settings settings;
  settings.region = variables("AWS_REGION");
  if (settings.region.empty()) settings.region = variables("AWS_DEFAULT_REGION");
  settings.table = variables("PRECEDENT_TABLE");
  settings.queue_url = variables("PRECEDENT_QUEUE_URL");
  settings.dead_letter_url = variables("PRECEDENT_DEAD_LETTER_URL");
  const std::pair<const char*, const std::string*> needed[] = {
      {"AWS_REGION", &settings.region},
      {"PRECEDENT_TABLE", &settings.table},
      {"PRECEDENT_QUEUE_URL", &settings.queue_url},
      {"PRECEDENT_DEAD_LETTER_URL", &settings.dead_letter_url}};
  for (const auto& [name, value] : needed) {
    if (value->empty()) {
      return absl::InvalidArgumentError(absl::StrCat(name, ": is not set in the environment"));
    }
  }
  settings.events_url = variables("PRECEDENT_EVENTS_URL");
  settings.policy = variables("PRECEDENT_POLICY");
  if (settings.policy.empty()) {
    const std::string root = variables("LAMBDA_TASK_ROOT");
    settings.policy = absl::StrCat(root, root.empty() ? "" : "/", "policy.txtpb");
  }
  settings.options = variables("PRECEDENT_OPTIONS");
  settings.job_queue = variables("PRECEDENT_JOB_QUEUE");
  settings.snapshot_queues = variables("PRECEDENT_SNAPSHOT_QUEUES");
  settings.schedule_role = variables("PRECEDENT_SCHEDULE_ROLE_ARN");
  settings.queue_arn = variables("PRECEDENT_QUEUE_ARN");
  for (const absl::Status& status :
       {ReadQueuePolicies(variables("PRECEDENT_QUEUE_POLICY"), settings),
        ReadBackoff(variables("PRECEDENT_BACKOFF"), settings.backoff),
        ReadDuration(variables, "PRECEDENT_CLAIM_SECONDS", 1000, settings.claim),
        ReadDuration(variables, "PRECEDENT_REQUEST_MILLISECONDS", 1, settings.request_timeout)}) {
    if (!status.ok()) return status;
  }
  return settings;
}

std::string EndpointOf(const std::string& service, const std::string& region,
                       const Variables& variables) {
  std::string url = variables(absl::StrCat("AWS_ENDPOINT_URL_", absl::AsciiStrToUpper(service)));
  if (url.empty()) url = variables("AWS_ENDPOINT_URL");
  if (url.empty()) {
    url = absl::StrCat("https://", service, ".", region, ".amazonaws.com",
                       absl::StartsWith(region, "cn-") ? ".cn" : "");
  }
  while (absl::EndsWith(url, "/")) url.pop_back();
  return url;
}

}  // namespace precedent::batch_lambda
