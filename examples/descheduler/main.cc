// precedent-descheduler: makes room for pods that wait, where they are more important.
#include <curl/curl.h>
#include <signal.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <cstdlib>
#include <iostream>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/flags/usage.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/time/time.h"
#include "desched_metrics.h"
#include "descheduler.h"
#include "log.h"
#include "policies.h"
#include "server.h"

ABSL_FLAG(std::string, policy, "", "file of the policy; required");
ABSL_FLAG(std::string, preemption, "", "file of the PreemptionPolicy; empty: the defaults");
ABSL_FLAG(std::string, options, "", "file of the AdapterOptions; empty: the defaults");
ABSL_FLAG(std::string, gang_keys, "",
          "labels or annotations of pods that belong together, instead of the usual pod groups");
ABSL_FLAG(bool, evict, false,
          "evicts; otherwise everything is planned and said, and nothing is written");
ABSL_FLAG(bool, once, false, "one round; exit code 1 where it failed");
ABSL_FLAG(std::string, api_server, "",
          "such as https://10.0.0.1:443; empty: as KUBERNETES_SERVICE_HOST and "
          "KUBERNETES_SERVICE_PORT say, which every pod has");
ABSL_FLAG(std::string, token_file, "/var/run/secrets/kubernetes.io/serviceaccount/token",
          "the service account's token, read again for every request; empty: none is sent");
ABSL_FLAG(std::string, ca_file, "/var/run/secrets/kubernetes.io/serviceaccount/ca.crt",
          "PEM; the API server's CA; empty: those of the system");
ABSL_FLAG(int, page_size, 500, "objects asked for at a time");
ABSL_FLAG(absl::Duration, request_timeout, absl::Seconds(10), "of one request");
ABSL_FLAG(std::string, namespace, "precedent-system", "of the state's ConfigMap");
ABSL_FLAG(std::string, state, "precedent-descheduler", "name of the state's ConfigMap");
ABSL_FLAG(
    std::string, identity, "",
    "of this process, among all that share a state; empty: host name, pid and a random number");
ABSL_FLAG(absl::Duration, lease, absl::Seconds(30),
          "for how long others leave the state to who wrote it; a few times --request_timeout");
ABSL_FLAG(absl::Duration, interval, absl::Minutes(1), "the longest time between two rounds");
ABSL_FLAG(absl::Duration, least_interval, absl::Seconds(1), "the shortest");
ABSL_FLAG(int, metrics_port, 0, "for plain HTTP: /metrics, /healthz, /readyz; 0: none");
ABSL_FLAG(std::string, log_level, "info", "debug, info, warning or error; JSON on standard error");

namespace precedent::descheduler {
namespace {

constexpr const char* kLevels[] = {"debug", "info", "warning", "error"};

int LevelFromFlag() {
  for (int i = 0; i < 4; ++i) {
    if (absl::GetFlag(FLAGS_log_level) == kLevels[i]) return i;
  }
  return -1;
}

std::string ApiServer() {
  const std::string flag = absl::GetFlag(FLAGS_api_server);
  if (!flag.empty()) return flag;
  const char* const host = std::getenv("KUBERNETES_SERVICE_HOST");
  const char* const port = std::getenv("KUBERNETES_SERVICE_PORT");
  if (host == nullptr || *host == '\0' || port == nullptr || *port == '\0') return "";
  const bool is_v6 = absl::StrContains(host, ":");
  return absl::StrCat("https://", is_v6 ? "[" : "", host, is_v6 ? "]" : "", ":", port);
}

// Two processes never have the same.
std::string Identity() {
  const std::string flag = absl::GetFlag(FLAGS_identity);
  if (!flag.empty()) return flag;
  char host[256] = "";
  (void)gethostname(host, sizeof(host) - 1);
  std::random_device random;
  return absl::StrFormat("%s-%d-%08x", host, static_cast<int>(getpid()), random());
}

bool Within(absl::Duration value, absl::Duration least, absl::Duration most) {
  return value >= least && value <= most;
}

// A DNS label or name: it becomes part of a path.
bool IsName(const std::string& name) {
  if (name.empty() || name.size() > 253) return false;
  for (const char c : name) {
    if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && c != '-' && c != '.') return false;
  }
  return name[0] != '.';
}

// What is wrong with the flags; empty: nothing.
std::string WrongFlag() {
  const std::string server = ApiServer();
  if (absl::GetFlag(FLAGS_policy).empty()) return "--policy: is missing";
  if (server.empty()) {
    return "--api_server: is not given, and KUBERNETES_SERVICE_HOST and "
           "KUBERNETES_SERVICE_PORT are not set";
  }
  if (!absl::StartsWith(server, "https://") && !absl::StartsWith(server, "http://")) {
    return absl::StrCat("--api_server: `", server, "` begins with neither https:// nor http://");
  }
  if (LevelFromFlag() < 0) {
    return absl::StrCat("--log_level: `", absl::GetFlag(FLAGS_log_level),
                        "` is none of debug, info, warning, error");
  }
  if (!IsName(absl::GetFlag(FLAGS_namespace))) return "--namespace: is no name of a namespace";
  if (!IsName(absl::GetFlag(FLAGS_state))) return "--state: is no name of a ConfigMap";
  if (absl::GetFlag(FLAGS_page_size) < 1 || absl::GetFlag(FLAGS_page_size) > 10'000) {
    return "--page_size: must be 1 to 10000";
  }
  if (absl::GetFlag(FLAGS_metrics_port) < 0 || absl::GetFlag(FLAGS_metrics_port) > 65'535) {
    return "--metrics_port: must be 0 to 65535";
  }
  if (!Within(absl::GetFlag(FLAGS_request_timeout), absl::Milliseconds(100), absl::Minutes(10))) {
    return "--request_timeout: must be from 100ms to 10m";
  }
  if (!Within(absl::GetFlag(FLAGS_lease), absl::Seconds(1), absl::Hours(1))) {
    return "--lease: must be from 1s to 1h";
  }
  if (!Within(absl::GetFlag(FLAGS_least_interval), absl::Milliseconds(10), absl::Hours(1)) ||
      !Within(absl::GetFlag(FLAGS_interval), absl::GetFlag(FLAGS_least_interval),
              absl::Hours(24))) {
    return "--interval and --least_interval: must be from 10ms to 24h, the first not below the "
           "second";
  }
  return "";
}

Options OptionsFromFlags() {
  Options options;
  options.api = {ApiServer(), absl::GetFlag(FLAGS_token_file), absl::GetFlag(FLAGS_ca_file),
                 "precedent-descheduler"};
  options.request_timeout = absl::ToChronoMilliseconds(absl::GetFlag(FLAGS_request_timeout));
  options.page_size = absl::GetFlag(FLAGS_page_size);
  options.namespace_name = absl::GetFlag(FLAGS_namespace);
  options.state = absl::GetFlag(FLAGS_state);
  options.identity = Identity();
  options.lease = absl::ToChronoMilliseconds(absl::GetFlag(FLAGS_lease));
  options.interval = absl::ToChronoMilliseconds(absl::GetFlag(FLAGS_interval));
  options.least_interval = absl::ToChronoMilliseconds(absl::GetFlag(FLAGS_least_interval));
  options.evict = absl::GetFlag(FLAGS_evict);
  options.once = absl::GetFlag(FLAGS_once);
  options.gang_keys = absl::StrSplit(absl::GetFlag(FLAGS_gang_keys), ',', absl::SkipEmpty());
  return options;
}

int Run() {
  webhook::Log log(STDERR_FILENO, static_cast<webhook::LogLevel>(LevelFromFlag()));
  Metrics metrics;
  metrics.refresh = [&] { metrics.log_lines_dropped.Set(static_cast<double>(log.dropped())); };
  Policies policies(
      {absl::GetFlag(FLAGS_policy), absl::GetFlag(FLAGS_preemption), absl::GetFlag(FLAGS_options)},
      &metrics, &log);
  const Options options = OptionsFromFlags();
  log.Write(webhook::LogLevel::kInfo, "starting",
            {{"identity", std::string_view(options.identity)},
             {"dry_run", options.evict ? "no" : "yes"}});
  Descheduler descheduler(options, &policies, &metrics, &log);

  boost::asio::io_context control{1};
  webhook::Limits limits;
  limits.connections = 32;
  limits.body_bytes = 4 << 10;
  limits.bodies_bytes = 1 << 20;
  webhook::Server server(control, limits, &metrics);
  server.on_accept_error = [&log](const std::string& why) {
    log.Write(webhook::LogLevel::kError, "cannot accept a connection",
              {{"error", std::string_view(why)}});
  };
  // A second signal: at once.
  boost::asio::signal_set ends(control, SIGTERM, SIGINT);
  ends.async_wait([&](boost::system::error_code error, int) {
    if (error) return;
    log.Write(webhook::LogLevel::kInfo, "stopping");
    descheduler.Stop();
    ends.async_wait([](boost::system::error_code again, int) {
      if (!again) _exit(1);
    });
  });
  if (const int port = absl::GetFlag(FLAGS_metrics_port); port > 0) {
    if (const absl::Status status = server.Listen(absl::StrCat(":", port), 0); !status.ok()) {
      log.Write(webhook::LogLevel::kError, std::string(status.message()));
      return 1;
    }
  }
  policies.Start();
  bool good = false;
  std::thread rounds([&] {
    // Signals are for the thread that waits for them.
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, nullptr);
    good = descheduler.Run();
    boost::asio::post(control, [&control] { control.stop(); });
  });
  control.run();
  rounds.join();
  log.Write(webhook::LogLevel::kInfo, "stopped");
  return good ? 0 : 1;
}

}  // namespace
}  // namespace precedent::descheduler

int main(int argc, char** argv) {
  absl::SetProgramUsageMessage(
      "precedent-descheduler: evicts pods of lower priority for pods that wait for GPUs, with as "
      "little loss as can be. A dry run without --evict.");
  const std::vector<char*> rest = absl::ParseCommandLine(argc, argv);
  if (rest.size() > 1) {
    std::cerr << "precedent-descheduler: unexpected argument `" << rest[1] << "`\n";
    return 2;
  }
  if (const std::string wrong = precedent::descheduler::WrongFlag(); !wrong.empty()) {
    std::cerr << "precedent-descheduler: " << wrong << '\n';
    return 2;
  }
  signal(SIGPIPE, SIG_IGN);
  if (curl_global_init(CURL_GLOBAL_DEFAULT) != 0) {
    std::cerr << "precedent-descheduler: libcurl does not start\n";
    return 1;
  }
  const int code = precedent::descheduler::Run();
  curl_global_cleanup();
  return code;
}
