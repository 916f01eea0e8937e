// Keeps a table of pods as the API server has them.
#ifndef PRECEDENT_EXAMPLES_KUBERNETES_WEBHOOK_PODS_POD_WATCHER_H_
#define PRECEDENT_EXAMPLES_KUBERNETES_WEBHOOK_PODS_POD_WATCHER_H_

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <random>
#include <string>
#include <thread>

#include "absl/status/status.h"
#include "api_client.h"
#include "log.h"
#include "pod_metrics.h"
#include "pod_reader.h"
#include "pod_table.h"

namespace precedent::webhook {

struct PodWatcherOptions {
  ApiOptions api;
  int page_size = 100;  // pods
  std::chrono::seconds watch_timeout{300};
  std::chrono::milliseconds backoff{500};  // after the first error; doubles
  std::chrono::milliseconds max_backoff{30'000};
};

// Lists all pods page by page, then watches from the list's version on. A watch that ends
// goes on where it was; only when the server has forgotten that version is everything
// listed again. After an error it waits, longer each time, by half of it at random: many
// clients must not come back to a restarted server as one.
class PodWatcher {
 public:
  // All pointers outlive it.
  PodWatcher(PodWatcherOptions options, PodTable* table, PodMetrics* metrics, Log* log);
  // Ends within about a second.
  ~PodWatcher();
  PodWatcher(const PodWatcher&) = delete;
  PodWatcher& operator=(const PodWatcher&) = delete;

  // Begins, in a thread of its own. An error where the system gives none.
  absl::Status Start();

 private:
  void Run();
  bool List();
  // Until it ends. True: watch again at once.
  bool Watch();
  bool OnLine(const std::string& line);
  void Fail(PodMetrics::Error error, const std::string& why);
  void Wait();

  const PodWatcherOptions options_;
  PodTable* const table_;
  PodMetrics* const metrics_;
  Log* const log_;
  std::atomic<bool> stop_{false};
  ApiClient client_;
  PodReader pages_;
  PodReader events_;
  std::string version_;  // to watch from; empty: everything is to be listed
  int failures_ = 0;     // without a success between them
  std::chrono::seconds retry_after_{0};
  std::minstd_rand random_{std::random_device()()};

  std::mutex mutex_;
  std::condition_variable wake_;
  std::thread thread_;
};

}  // namespace precedent::webhook

#endif  // PRECEDENT_EXAMPLES_KUBERNETES_WEBHOOK_PODS_POD_WATCHER_H_
