#include "policies.h"

#include <cstdio>
#include <utility>

#include "absl/strings/str_cat.h"
#include "precedent/adapter_options.h"
#include "precedent/issue.h"
#include "precedent/preemption.h"
#include "precedent/preemption_policy.h"

namespace precedent::descheduler {
namespace {

constexpr std::size_t kMaxBytes = 1 << 20;

bool ReadBytes(const std::string& path, std::string* content) {
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) return false;
  content->assign(kMaxBytes + 1, '\0');
  content->resize(std::fread(content->data(), 1, content->size(), file));
  std::fclose(file);
  return true;
}

absl::Status Problems(const std::vector<Issue>& issues, const std::string& path) {
  std::string text;
  for (const Issue& issue : issues) {
    absl::StrAppend(&text, text.empty() ? "" : "; ", FormatIssue(issue, path));
  }
  return absl::InvalidArgumentError(text);
}

}  // namespace

Policies::Policies(PolicyFiles files, Metrics* metrics, webhook::Log* log)
    : policy_path_(files.policy),
      metrics_(metrics),
      log_(log),
      preemption_file_{std::move(files.preemption), "preemption", "", "", false},
      options_file_{std::move(files.options), "options", "", "", false},
      policy_(files.policy, &live_, [this] {
        PolicyFileOptions options;
        options.on_status = [this](const PolicyFileStatus& status) { OnPolicy(status); };
        return options;
      }()) {}

void Policies::Start() {
  policy_.Load();
  Refresh();
  if (!policy_.Start()) log_->Write(webhook::LogLevel::kError, "the policy is read once only");
}

void Policies::Refresh() {
  std::string content;
  if (Changed(&preemption_file_, &content)) {
    Report(&preemption_file_, TakePreemption(content));
  }
  if (Changed(&options_file_, &content)) Report(&options_file_, TakeOptions(content));
}

absl::Status Policies::Ready() {
  const LiveEvaluator::Guard guard = live_.read();
  if (guard.evaluator() == nullptr) {
    return absl::FailedPreconditionError("no policy is live: see --policy");
  }
  if (!preemption_.has_value()) {
    return absl::FailedPreconditionError("no preemption policy is live: see --preemption");
  }
  if (!adapter_.has_value()) {
    return absl::FailedPreconditionError("no options are live: see --options");
  }
  return absl::OkStatus();
}

bool Policies::Changed(File* file, std::string* content) {
  *content = "{}";
  if (file->path.empty()) return !std::exchange(file->read, true);
  if (!ReadBytes(file->path, content)) {
    Report(file, absl::NotFoundError(absl::StrCat(file->path, ": cannot be read")));
    return false;
  }
  if (file->read && *content == file->content) return false;
  file->read = true;
  file->content = *content;
  return true;
}

void Policies::Report(File* file, const absl::Status& status) {
  metrics_->SetFileFailing(file->what, !status.ok());
  const std::string problem(status.message());
  if (!status.ok() && problem != file->problem) {
    log_->Write(webhook::LogLevel::kError, "the old one stays",
                {{"what", file->what}, {"error", std::string_view(problem)}});
  } else if (status.ok() && !file->path.empty()) {
    log_->Write(webhook::LogLevel::kInfo, "is live",
                {{"what", file->what}, {"file", std::string_view(file->path)}});
  }
  // What could not be read is a change when it can.
  if (!status.ok() && absl::IsNotFound(status)) file->read = false;
  file->problem = problem;
}

absl::Status Policies::TakePreemption(const std::string& content) {
  PreemptionPolicyResult result = ReadPreemptionPolicy(content);
  if (!result.policy) return Problems(result.issues, preemption_file_.path);
  if (const auto planner = PreemptionPlanner::Create(*result.policy); !planner.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat(preemption_file_.path, ": ", planner.status().message()));
  }
  preemption_ = *std::move(result.policy);
  return absl::OkStatus();
}

absl::Status Policies::TakeOptions(const std::string& content) {
  AdapterOptionsResult result = ReadAdapterOptions(content);
  if (!result.options) return Problems(result.issues, options_file_.path);
  absl::StatusOr<kubernetes::Adapter> adapter = kubernetes::Adapter::Create(*result.options);
  if (!adapter.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat(options_file_.path, ": ", adapter.status().message()));
  }
  options_ = *std::move(result.options);
  adapter_ = *std::move(adapter);
  return absl::OkStatus();
}

void Policies::OnPolicy(const PolicyFileStatus& status) {
  const bool live = status.state == PolicyFileState::kLive;
  const bool changing = status.state == PolicyFileState::kChanging;
  if (!changing) metrics_->SetFileFailing("policy", !live);
  const webhook::LogLevel level =
      live || changing ? webhook::LogLevel::kInfo : webhook::LogLevel::kError;
  log_->Write(level, status.message,
              {{"state", PolicyFileStateName(status.state)},
               {"policy", std::string_view(status.fingerprint)},
               {"generation", status.generation}});
  for (const Issue& issue : status.issues) {
    log_->Write(
        issue.severity == Severity::kError ? webhook::LogLevel::kError : webhook::LogLevel::kInfo,
        FormatIssue(issue, policy_path_));
  }
}

}  // namespace precedent::descheduler
