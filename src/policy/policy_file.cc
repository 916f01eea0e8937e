// The idea: content is known by its hash. `decided_` is the content last taken and what
// became of it; `pending_` is content seen once, waiting to be seen again unchanged.
#include "precedent/policy_file.h"

#include <signal.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "precedent/internal/hash.h"
#include "src/policy/read_file.h"

namespace precedent {
namespace {

bool IsFailure(PolicyFileState state) {
  return state != PolicyFileState::kLive && state != PolicyFileState::kChanging &&
         state != PolicyFileState::kNotLoaded;
}

std::string Errors(const std::vector<Issue>& issues) {
  std::size_t count = 0;
  std::string first;
  for (const Issue& issue : issues) {
    if (issue.severity != Severity::kError) continue;
    if (++count == 1) first = FormatIssue(issue, "");
  }
  if (count == 1) return absl::StrCat("does not compile: ", first);
  return absl::StrCat("does not compile, ", count, " errors; the first: ", first);
}

}  // namespace

std::string_view PolicyFileStateName(PolicyFileState state) {
  switch (state) {
    case PolicyFileState::kNotLoaded: return "NOT_LOADED";
    case PolicyFileState::kLive: return "LIVE";
    case PolicyFileState::kChanging: return "CHANGING";
    case PolicyFileState::kUnreadable: return "UNREADABLE";
    case PolicyFileState::kInvalid: return "INVALID";
    case PolicyFileState::kOlderGeneration: return "OLDER_GENERATION";
    case PolicyFileState::kResourceExhausted: return "RESOURCE_EXHAUSTED";
  }
  return "UNKNOWN";
}

class PolicyFile::Impl {
 public:
  using Time = std::chrono::steady_clock::time_point;

  Impl(std::string path, LiveEvaluator* live, PolicyFileOptions options)
      : path_(std::move(path)), live_(live), options_(std::move(options)) {
    status_.message = absl::StrCat(path_, ": not loaded yet");
  }
  ~Impl() { Stop(); }

  // `settled`: takes new content at once.
  PolicyFileStatus Look(bool settled, Time now) {
    const std::lock_guard<std::mutex> lock(check_mutex_);
    std::string bytes;
    const std::string wrong = internal::ReadRegularFile(
        path_, options_.compile.limits.policy_bytes, &bytes);
    if (!wrong.empty()) {
      pending_.reset();
      return Report(PolicyFileState::kUnreadable, absl::StrCat(wrong, "; ", WhatStays()), {});
    }
    const Content content(bytes);
    if (decided_ && decided_->content == content) {
      pending_.reset();
      if (decided_->waiting) return Publish(*std::exchange(decided_->waiting, std::nullopt));
      if (!settled || decided_->state == PolicyFileState::kLive)
        return Report(decided_->state, decided_->message, decided_->issues);
    }
    if (!pending_ || !(pending_->content == content)) pending_ = Pending{content, now};
    if (!settled && now - pending_->since < options_.settle)
      return Report(PolicyFileState::kChanging,
                    absl::StrCat("has changed, and may still be changing; ", WhatStays()), {});
    pending_.reset();
    return Take(content, bytes);
  }

  bool Start() {
    const std::lock_guard<std::mutex> lock(thread_mutex_);
    if (thread_.joinable()) return true;
    stop_ = false;
    // The program's signal handlers run in the program's threads.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = true;
    try {
      thread_ = std::thread([this] { Run(); });
    } catch (const std::system_error&) {
      started = false;
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return started;
  }

  void Stop() {
    const std::lock_guard<std::mutex> lock(thread_mutex_);
    if (!thread_.joinable()) return;
    {
      const std::lock_guard<std::mutex> stop_lock(stop_mutex_);
      stop_ = true;
    }
    wake_.notify_all();
    thread_.join();
  }

  PolicyFileStatus status() const {
    const std::lock_guard<std::mutex> lock(status_mutex_);
    return status_;
  }

 private:
  // Two hashes and the size: two contents that differ have the same for nobody who does
  // not try, and who writes the policy has no need to.
  struct Content {
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    std::size_t size = 0;

    explicit Content(std::string_view bytes)
        : low(internal::HashBytes(bytes.data(), bytes.size(), 1)),
          high(internal::HashBytes(bytes.data(), bytes.size(), 2)),
          size(bytes.size()) {}
    bool operator==(const Content& other) const {
      return low == other.low && high == other.high && size == other.size;
    }
  };

  struct Pending {
    Content content;
    Time since;
  };
  struct Decided {
    Content content;
    PolicyFileState state = PolicyFileState::kInvalid;
    std::string message;
    std::vector<Issue> issues;
    // Compiled, and refused for want of room.
    std::optional<Evaluator> waiting;
  };

  std::string WhatStays() const {
    const LiveEvaluator::Guard guard = live_->read();
    const Evaluator* evaluator = guard.evaluator();
    if (evaluator == nullptr) return "no policy is live";
    return absl::StrCat("the live policy stays (generation ", evaluator->generation(), ")");
  }

  PolicyFileStatus Take(const Content& content, const std::string& bytes) {
    decided_ = Decided{content, PolicyFileState::kInvalid, "", {}, std::nullopt};
    if (bytes.empty()) return Decide(PolicyFileState::kInvalid, "is empty, which is no policy");
    CompileResult result = LoadPolicy(bytes, options_.compile);
    decided_->issues = std::move(result.issues);
    if (!result.ok()) return Decide(PolicyFileState::kInvalid, Errors(decided_->issues));
    return Publish(result.policy->evaluator());
  }

  // Makes the content that was decided last live. REQUIRES: decided_.
  PolicyFileStatus Publish(const Evaluator& evaluator) {
    PublishOptions publish;
    publish.allow_older_generation = options_.allow_older_generation;
    const PublishStatus published = live_->Publish(evaluator, publish);
    const std::string reason(PublishStatusText(published));
    switch (published) {
      case PublishStatus::kPublished: break;
      case PublishStatus::kOlderGeneration:
        return Decide(PolicyFileState::kOlderGeneration,
                      absl::StrCat("is of generation ", evaluator.generation(), ": ", reason));
      case PublishStatus::kResourceExhausted:
        decided_->waiting = evaluator;
        return Decide(PolicyFileState::kResourceExhausted, reason);
    }
    {
      const std::lock_guard<std::mutex> lock(status_mutex_);
      status_.fingerprint = std::string(evaluator.fingerprint());
      status_.generation = evaluator.generation();
      ++status_.published;
    }
    decided_->state = PolicyFileState::kLive;
    decided_->message = absl::StrCat("is live: generation ", evaluator.generation(), ", ",
                                     std::string(evaluator.fingerprint()));
    return Report(decided_->state, decided_->message, decided_->issues, true);
  }

  PolicyFileStatus Decide(PolicyFileState state, std::string_view message) {
    decided_->state = state;
    decided_->message = absl::StrCat(std::string(message), "; ", WhatStays());
    return Report(state, decided_->message, decided_->issues);
  }

  PolicyFileStatus Report(PolicyFileState state, const std::string& message,
                          const std::vector<Issue>& issues, bool always = false) {
    PolicyFileStatus status;
    bool changed;
    {
      const std::lock_guard<std::mutex> lock(status_mutex_);
      std::string full = absl::StrCat(path_, ": ", message);
      changed = always || state != status_.state || full != status_.message;
      if (changed && IsFailure(state)) ++status_.failures;
      status_.state = state;
      status_.message = std::move(full);
      status_.issues = issues;
      status = status_;
    }
    if (changed && options_.on_status) options_.on_status(status);
    return status;
  }

  void Run() {
    std::unique_lock<std::mutex> lock(stop_mutex_);
    auto wait = options_.interval;
    while (!wake_.wait_for(lock, wait, [this] { return stop_; })) {
      lock.unlock();
      const PolicyFileState state = Look(false, std::chrono::steady_clock::now()).state;
      // What has changed needs a second look, and not only after a whole interval.
      wait = state == PolicyFileState::kChanging ? std::min(options_.interval, options_.settle)
                                                 : options_.interval;
      lock.lock();
    }
  }

  const std::string path_;
  LiveEvaluator* const live_;
  const PolicyFileOptions options_;

  std::mutex check_mutex_;  // one look at a time; guards the next two
  std::optional<Decided> decided_;
  std::optional<Pending> pending_;

  mutable std::mutex status_mutex_;
  PolicyFileStatus status_;

  std::mutex thread_mutex_;  // one Start or Stop at a time
  std::thread thread_;
  std::mutex stop_mutex_;
  std::condition_variable wake_;
  bool stop_ = false;  // under stop_mutex_
};

PolicyFile::PolicyFile(std::string path, LiveEvaluator* live, PolicyFileOptions options)
    : impl_(std::make_unique<Impl>(std::move(path), live, std::move(options))) {}
PolicyFile::~PolicyFile() = default;

PolicyFileStatus PolicyFile::Load() {
  return impl_->Look(true, std::chrono::steady_clock::time_point::min());
}
PolicyFileStatus PolicyFile::Check(std::chrono::steady_clock::time_point now) {
  return impl_->Look(false, now);
}
bool PolicyFile::Start() { return impl_->Start(); }
void PolicyFile::Stop() { impl_->Stop(); }
PolicyFileStatus PolicyFile::status() const { return impl_->status(); }

}  // namespace precedent
