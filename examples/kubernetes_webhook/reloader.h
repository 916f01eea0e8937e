// Keeps policy, options and certificate as their files are, and says how that goes.
#ifndef PRECEDENT_EXAMPLES_KUBERNETES_WEBHOOK_RELOADER_H_
#define PRECEDENT_EXAMPLES_KUBERNETES_WEBHOOK_RELOADER_H_

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "absl/status/status.h"
#include "log.h"
#include "metrics.h"
#include "precedent/kubernetes.h"
#include "precedent/live_evaluator.h"
#include "precedent/policy_file.h"
#include "tls.h"

namespace precedent::webhook {

struct ReloaderOptions {
  std::string policy;                 // file
  std::string options;                // file; empty: defaults
  TlsFiles tls;
  bool policy_required = false;       // no start without one
  bool allow_older_generation = false;
  std::chrono::milliseconds interval{1000};  // between two looks at the files
};

// One thread looks at all files; whatever is wrong with a new content, the old one
// goes on serving. Compiling a large policy delays nobody else.
class Reloader {
 public:
  // Where new things go; called from the thread of Start, then from the reloader's.
  struct Sinks {
    std::function<void(kubernetes::Adapter)> adapter;
    std::function<void(std::shared_ptr<TlsIdentity>)> identity;
  };
  // `live`, `metrics` and `log` outlive it.
  Reloader(ReloaderOptions options, Sinks sinks, LiveEvaluator* live, Metrics* metrics, Log* log);
  ~Reloader();
  Reloader(const Reloader&) = delete;
  Reloader& operator=(const Reloader&) = delete;

  // Reads everything once; an error says what cannot be started with. Then goes on in a
  // thread of its own.
  absl::Status Start();
  // Looks at once (SIGHUP). From any thread.
  void Wake();

 private:
  void Run();
  void CheckOptions();
  absl::Status ReadOptions();
  void CheckIdentity();
  absl::Status ReadIdentity();
  void OnPolicy(const PolicyFileStatus& status);
  // Logs and counts a failure once, however often it is seen.
  void Report(std::string_view what, const absl::Status& status, std::string* last,
              prometheus::Gauge& failing, prometheus::Counter* failures);

  const ReloaderOptions options_;
  const Sinks sinks_;
  LiveEvaluator* const live_;
  Metrics* const metrics_;
  Log* const log_;
  TlsSource tls_;
  std::string options_content_;
  std::string options_problem_;
  std::string identity_problem_;
  std::string policy_fingerprint_;
  std::uint64_t policy_failures_ = 0;
  PolicyFile policy_;

  std::mutex mutex_;
  std::condition_variable wake_;
  bool stop_ = false;
  bool look_ = false;
  std::thread thread_;
};

}  // namespace precedent::webhook

#endif  // PRECEDENT_EXAMPLES_KUBERNETES_WEBHOOK_RELOADER_H_
