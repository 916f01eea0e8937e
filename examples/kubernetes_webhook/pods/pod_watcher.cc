#include "pod_watcher.h"

#include <signal.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"

namespace precedent::webhook {
namespace {

// A page is a hundred pods, most of them a few kilobytes; the API server takes no object
// over 3 MiB.
constexpr std::size_t kMaxPageBytes = 16 << 20;
constexpr std::size_t kMaxEventBytes = 8 << 20;
constexpr std::chrono::seconds kListTimeout{60};
constexpr std::chrono::seconds kListSilence{20};
// The server sends a bookmark each minute where nothing happens.
constexpr std::chrono::seconds kWatchSilence{150};
constexpr std::chrono::seconds kMaxRetryAfter{60};
constexpr int kGone = 410;
// Pods that have ended are most of a busy cluster's, and of no interest.
constexpr std::string_view kPath =
    "/api/v1/pods?fieldSelector=status.phase%21%3DSucceeded%2Cstatus.phase%21%3DFailed";

std::string Path(const std::string& more) {
  return std::string(kPath) + more;
}

}  // namespace

PodWatcher::PodWatcher(PodWatcherOptions options, PodTable* table, PodMetrics* metrics, Log* log)
    : options_(std::move(options)),
      table_(table),
      metrics_(metrics),
      log_(log),
      client_(options_.api, &stop_),
      pages_(kMaxPageBytes),
      events_(kMaxEventBytes) {}

PodWatcher::~PodWatcher() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stop_.store(true);
  }
  wake_.notify_one();
  if (thread_.joinable()) thread_.join();
}

absl::Status PodWatcher::Start() {
  // Signals are for the thread that waits for them.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  absl::Status started;
  try {
    thread_ = std::thread([this] { Run(); });
  } catch (const std::system_error&) {
    started = absl::ResourceExhaustedError("the system gives no thread to watch the pods");
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return started;
}

void PodWatcher::Run() {
  while (!stop_.load()) {
    if (!(version_.empty() ? List() : Watch())) Wait();
  }
}

bool PodWatcher::List() {
  table_->BeginList();
  PodPage page;
  std::string next;
  do {
    std::string json;
    bool too_large = false;
    const ApiResult result = client_.Get(
        Path(absl::StrCat("&limit=", options_.page_size,
                          next.empty() ? "" : "&continue=" + ApiClient::Escape(next))),
        kListTimeout, kListSilence, [&](std::string_view bytes) {
          too_large = json.size() + bytes.size() > kMaxPageBytes;
          if (!too_large) json.append(bytes);
          return !too_large;
        });
    if (stop_.load()) return false;
    retry_after_ = result.retry_after;
    if (!result.error.empty()) {
      Fail(result.status == kGone ? PodMetrics::Error::kGone : PodMetrics::Error::kList,
           too_large ? "a page is larger than 16 MiB: lower --page_size" : result.error);
      return false;
    }
    page = {};
    if (!pages_.ReadPage(json, &page, [this](const Pod& pod) { table_->Put(pod); })) {
      Fail(PodMetrics::Error::kUnreadable, "the answer is no list of pods");
      return false;
    }
    metrics_->OnEvent();
    next = page.next;
  } while (!next.empty());
  table_->EndList();
  version_ = page.resource_version;
  failures_ = 0;
  metrics_->OnListed();
  log_->Write(LogLevel::kInfo, "all pods are listed", {{"version", std::string_view(version_)}});
  return true;
}

bool PodWatcher::Watch() {
  bool readable = true;
  bool any = false;
  std::string line;
  const auto sink = [&](std::string_view bytes) {
    while (readable && !bytes.empty()) {
      const std::size_t end = bytes.find('\n');
      line.append(bytes.substr(0, end));
      if (line.size() > kMaxEventBytes) {
        version_.clear();  // or it would come again
        Fail(PodMetrics::Error::kUnreadable, "an event is too large");
        readable = false;
      }
      if (end == std::string_view::npos) break;
      bytes.remove_prefix(end + 1);
      if (readable && !line.empty()) {
        readable = OnLine(line);
        any = any || readable;
      }
      line.clear();
    }
    return readable;
  };
  const ApiResult result = client_.Get(
      Path(absl::StrCat("&watch=1&allowWatchBookmarks=true&timeoutSeconds=",
                        options_.watch_timeout.count(), "&resourceVersion=",
                        ApiClient::Escape(version_))),
      options_.watch_timeout + std::chrono::seconds(30), kWatchSilence, sink);
  if (stop_.load()) return false;
  retry_after_ = result.retry_after;
  if (any) failures_ = 0;
  if (!readable) return false;  // OnLine said why
  if (result.status == kGone) {
    version_.clear();
    Fail(PodMetrics::Error::kGone, result.error);
    return false;
  }
  if (!result.error.empty()) {
    Fail(PodMetrics::Error::kWatch, result.error);
    return false;
  }
  // Its time is over. A server that ends one at once must not be asked in a loop.
  if (!any) ++failures_;
  return any;
}

bool PodWatcher::OnLine(const std::string& line) {
  PodEvent event;
  if (!events_.ReadEvent(line, &event)) {
    // What it would have changed is lost.
    version_.clear();
    Fail(PodMetrics::Error::kUnreadable, "an event cannot be read");
    return false;
  }
  switch (event.type) {
    case PodEvent::Type::kError:
      version_.clear();
      Fail(event.code == kGone ? PodMetrics::Error::kGone : PodMetrics::Error::kWatch,
           event.message);
      return false;
    case PodEvent::Type::kPut:
      table_->Put(event.pod);
      break;
    case PodEvent::Type::kRemove:
      table_->Remove(event.pod.uid);
      break;
    case PodEvent::Type::kBookmark:
      break;
  }
  version_ = event.resource_version;
  metrics_->OnEvent();
  return true;
}

void PodWatcher::Fail(PodMetrics::Error error, const std::string& why) {
  ++failures_;
  metrics_->OnError(error);
  log_->Write(LogLevel::kWarning, "the pods are not up to date",
              {{"during", PodMetrics::ErrorName(error)}, {"error", std::string_view(why)}});
}

void PodWatcher::Wait() {
  std::chrono::milliseconds longest = options_.backoff;
  for (int i = 1; i < failures_ && longest < options_.max_backoff; ++i) longest *= 2;
  longest = std::min(longest, options_.max_backoff);
  const auto half = longest / 2;
  std::chrono::milliseconds wait =
      half + std::chrono::milliseconds(random_() % (static_cast<std::uint64_t>(half.count()) + 1));
  wait = std::max<std::chrono::milliseconds>(wait, std::min(retry_after_, kMaxRetryAfter));
  std::unique_lock<std::mutex> lock(mutex_);
  wake_.wait_for(lock, wait, [this] { return stop_.load(); });
}

}  // namespace precedent::webhook
