#include "reloader.h"

#include <signal.h>

#include <cstdio>
#include <ctime>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "precedent/adapter_options.h"

namespace precedent::webhook {
namespace {

constexpr std::size_t kMaxOptionsBytes = 1 << 20;

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) return absl::NotFoundError(absl::StrCat(path, ": cannot be read"));
  std::string content(kMaxOptionsBytes + 1, '\0');
  content.resize(std::fread(content.data(), 1, content.size(), file));
  std::fclose(file);
  return content;
}

PolicyFileOptions FileOptions(const ReloaderOptions& options,
                              std::function<void(const PolicyFileStatus&)> on_status) {
  PolicyFileOptions file;
  file.allow_older_generation = options.allow_older_generation;
  file.interval = options.interval;
  file.on_status = std::move(on_status);
  return file;
}

}  // namespace

Reloader::Reloader(ReloaderOptions options, Sinks sinks, LiveEvaluator* live, Metrics* metrics,
                   Log* log)
    : options_(std::move(options)),
      sinks_(std::move(sinks)),
      live_(live),
      metrics_(metrics),
      log_(log),
      tls_(options_.tls),
      policy_(options_.policy, live,
              FileOptions(options_, [this](const PolicyFileStatus& status) { OnPolicy(status); })) {}

Reloader::~Reloader() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stop_ = true;
  }
  wake_.notify_one();
  if (thread_.joinable()) thread_.join();
}

absl::Status Reloader::Start() {
  if (absl::Status status = ReadOptions(); !status.ok()) return status;
  if (absl::Status status = ReadIdentity(); !status.ok()) return status;
  const PolicyFileStatus policy = policy_.Load();
  if (policy.state != PolicyFileState::kLive && options_.policy_required) {
    return absl::FailedPreconditionError(policy.message);
  }
  // Signals are for the thread that waits for them.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  absl::Status started;
  try {
    thread_ = std::thread([this] { Run(); });
  } catch (const std::system_error&) {
    started = absl::ResourceExhaustedError("the system gives no thread to watch the files");
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return started;
}

void Reloader::Wake() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    look_ = true;
  }
  wake_.notify_one();
}

void Reloader::Run() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (!stop_) {
    wake_.wait_for(lock, options_.interval, [this] { return stop_ || look_; });
    if (stop_) return;
    const bool at_once = std::exchange(look_, false);
    lock.unlock();
    if (at_once) {
      policy_.Load();
    } else {
      policy_.Check(std::chrono::steady_clock::now());
    }
    CheckOptions();
    CheckIdentity();
    lock.lock();
  }
}

void Reloader::CheckOptions() {
  Report("options", ReadOptions(), &options_problem_, metrics_->options_failing, nullptr);
}

absl::Status Reloader::ReadOptions() {
  v1::AdapterOptions options;
  std::string content;
  if (!options_.options.empty()) {
    absl::StatusOr<std::string> read = ReadFile(options_.options);
    if (!read.ok()) return read.status();
    content = *std::move(read);
    if (content == options_content_) return absl::OkStatus();
    AdapterOptionsResult result = ReadAdapterOptions(content);
    if (!result.options) {
      std::string problems;
      for (const Issue& issue : result.issues) {
        absl::StrAppend(&problems, problems.empty() ? "" : "; ",
                        FormatIssue(issue, options_.options));
      }
      return absl::InvalidArgumentError(problems);
    }
    options = *std::move(result.options);
  } else if (thread_.joinable()) {
    return absl::OkStatus();  // the defaults do not change
  }
  absl::StatusOr<kubernetes::Adapter> adapter = kubernetes::Adapter::Create(options);
  if (!adapter.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(options_.options, ": ", adapter.status().message()));
  }
  options_content_ = std::move(content);
  sinks_.adapter(*std::move(adapter));
  log_->Write(LogLevel::kInfo, "options are live", {{"file", std::string_view(options_.options)}});
  return absl::OkStatus();
}

void Reloader::CheckIdentity() {
  Report("certificate", ReadIdentity(), &identity_problem_, metrics_->certificate_failing,
         &metrics_->certificate_errors);
}

absl::Status Reloader::ReadIdentity() {
  absl::StatusOr<std::shared_ptr<TlsIdentity>> identity = tls_.Read();
  if (!identity.ok()) return identity.status();
  if (*identity == nullptr) return absl::OkStatus();
  metrics_->certificate_expiry_seconds.Set(static_cast<double>((*identity)->expires));
  log_->Write(LogLevel::kInfo, "certificate is live",
              {{"file", std::string_view(options_.tls.certificate)},
               {"expires", (*identity)->expires}});
  sinks_.identity(*std::move(identity));
  return absl::OkStatus();
}

void Reloader::Report(std::string_view what, const absl::Status& status, std::string* last,
                      prometheus::Gauge& failing, prometheus::Counter* failures) {
  failing.Set(status.ok() ? 0 : 1);
  const std::string problem(status.message());
  if (problem != *last && !status.ok()) {
    if (failures != nullptr) failures->Increment();
    log_->Write(LogLevel::kError, "the old one stays",
                {{"what", what}, {"error", std::string_view(problem)}});
  }
  *last = problem;
}

void Reloader::OnPolicy(const PolicyFileStatus& status) {
  const bool live = status.state == PolicyFileState::kLive;
  // What is changing is neither good nor bad yet.
  if (status.state != PolicyFileState::kChanging) metrics_->policy_failing.Set(live ? 0 : 1);
  if (status.failures > policy_failures_) {
    metrics_->policy_errors.Increment(static_cast<double>(status.failures - policy_failures_));
    policy_failures_ = status.failures;
  }
  log_->Write(live || status.state == PolicyFileState::kChanging ? LogLevel::kInfo : LogLevel::kError,
              status.message,
              {{"state", PolicyFileStateName(status.state)},
               {"policy", std::string_view(status.fingerprint)},
               {"generation", status.generation}});
  for (const Issue& issue : status.issues) {
    const std::string text = FormatIssue(issue, options_.policy);
    log_->Write(issue.severity == Severity::kError ? LogLevel::kError : LogLevel::kInfo, text);
  }
  if (!live || status.fingerprint == policy_fingerprint_) return;
  policy_fingerprint_ = status.fingerprint;
  const LiveEvaluator::Guard guard = live_->read();
  if (guard.evaluator() == nullptr) return;
  std::vector<std::string> classes;
  for (std::uint32_t i = 0; i < guard.evaluator()->class_count(); ++i) {
    classes.emplace_back(guard.evaluator()->class_name(i));
  }
  metrics_->SetClasses(classes);
  metrics_->policy_live.Set(1);
  metrics_->policy_generation.Set(static_cast<double>(status.generation));
  metrics_->policy_loaded_seconds.Set(static_cast<double>(std::time(nullptr)));
}

}  // namespace precedent::webhook
