// precedent-webhook-pods: how many pods wait, by priority class, and for how long.
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <curl/curl.h>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/flags/usage.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "log.h"
#include "pod_metrics.h"
#include "pod_table.h"
#include "pod_watcher.h"
#include "server.h"

ABSL_FLAG(std::string, api_server, "",
          "such as https://10.0.0.1:443; empty: as KUBERNETES_SERVICE_HOST and "
          "KUBERNETES_SERVICE_PORT say, which every pod has");
ABSL_FLAG(std::string, token_file, "/var/run/secrets/kubernetes.io/serviceaccount/token",
          "the service account's token, read again for every request; empty: none is sent");
ABSL_FLAG(std::string, ca_file, "/var/run/secrets/kubernetes.io/serviceaccount/ca.crt",
          "PEM; the API server's CA; empty: those of the system");
ABSL_FLAG(std::string, metrics_listen, ":9444",
          "address for plain HTTP: /metrics, /healthz, /readyz");
ABSL_FLAG(std::string, log_level, "info", "debug, info, warning or error");
ABSL_FLAG(int, page_size, 100, "pods asked for at a time");
ABSL_FLAG(int, max_pods, 200'000, "pods kept; what is beyond is not counted");
ABSL_FLAG(int, max_classes, 32, "classes told apart; what comes later counts as `other`");
ABSL_FLAG(absl::Duration, watch_timeout, absl::Minutes(5), "of one watch; another follows");
ABSL_FLAG(absl::Duration, backoff, absl::Milliseconds(500), "after an error; doubles");
ABSL_FLAG(absl::Duration, max_backoff, absl::Seconds(30), "between two tries");

namespace precedent::webhook {
namespace {

constexpr const char* kLevels[] = {"debug", "info", "warning", "error"};

int LevelFromFlag() {
  for (int i = 0; i < 4; ++i) {
    if (absl::GetFlag(FLAGS_log_level) == kLevels[i]) return i;
  }
  return -1;
}

std::string ServerFromEnvironment() {
  const char* const host = std::getenv("KUBERNETES_SERVICE_HOST");
  const char* const port = std::getenv("KUBERNETES_SERVICE_PORT");
  if (host == nullptr || *host == '\0' || port == nullptr || *port == '\0') return "";
  const bool is_v6 = absl::StrContains(host, ":");
  return absl::StrCat("https://", is_v6 ? "[" : "", host, is_v6 ? "]" : "", ":", port);
}

std::string ApiServer() {
  const std::string flag = absl::GetFlag(FLAGS_api_server);
  return flag.empty() ? ServerFromEnvironment() : flag;
}

// What is wrong with the flags; empty: nothing.
std::string WrongFlag() {
  const std::string server = ApiServer();
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
  if (absl::GetFlag(FLAGS_page_size) < 1 || absl::GetFlag(FLAGS_page_size) > 10'000) {
    return "--page_size: must be 1 to 10000";
  }
  if (absl::GetFlag(FLAGS_max_pods) < 1) return "--max_pods: must be positive";
  if (absl::GetFlag(FLAGS_max_classes) < 0 || absl::GetFlag(FLAGS_max_classes) > 1024) {
    return "--max_classes: must be 0 to 1024";
  }
  if (absl::GetFlag(FLAGS_watch_timeout) < absl::Seconds(1) ||
      absl::GetFlag(FLAGS_watch_timeout) > absl::Hours(1)) {
    return "--watch_timeout: must be from 1s to 1h";
  }
  if (absl::GetFlag(FLAGS_backoff) < absl::Milliseconds(1) ||
      absl::GetFlag(FLAGS_max_backoff) < absl::GetFlag(FLAGS_backoff) ||
      absl::GetFlag(FLAGS_max_backoff) > absl::Hours(1)) {
    return "--backoff and --max_backoff: must be from 1ms to 1h, the second not below the first";
  }
  return "";
}

int Run() {
  Log log(STDERR_FILENO, static_cast<LogLevel>(LevelFromFlag()));
  const auto fail = [&log](const absl::Status& status) {
    log.Write(LogLevel::kError, std::string(status.message()));
    return 1;
  };
  PodTable table(static_cast<std::size_t>(absl::GetFlag(FLAGS_max_pods)),
                 static_cast<std::size_t>(absl::GetFlag(FLAGS_max_classes)));
  PodMetrics metrics(&table);
  PodWatcherOptions options;
  options.api = {ApiServer(), absl::GetFlag(FLAGS_token_file), absl::GetFlag(FLAGS_ca_file)};
  options.page_size = absl::GetFlag(FLAGS_page_size);
  options.watch_timeout = absl::ToChronoSeconds(absl::GetFlag(FLAGS_watch_timeout));
  options.backoff = absl::ToChronoMilliseconds(absl::GetFlag(FLAGS_backoff));
  options.max_backoff = absl::ToChronoMilliseconds(absl::GetFlag(FLAGS_max_backoff));

  boost::asio::io_context control{1};
  Limits limits;
  limits.connections = 32;
  limits.body_bytes = 4 << 10;
  limits.bodies_bytes = 1 << 20;
  Server server(control, limits, &metrics);
  server.on_accept_error = [&log](const std::string& why) {
    log.Write(LogLevel::kError, "cannot accept a connection", {{"error", std::string_view(why)}});
  };
  boost::asio::signal_set ends(control, SIGTERM, SIGINT);
  ends.async_wait([&control](boost::system::error_code error, int) {
    if (!error) control.stop();
  });
  if (const absl::Status status = server.Listen(absl::GetFlag(FLAGS_metrics_listen), 0);
      !status.ok()) {
    return fail(status);
  }
  PodWatcher watcher(std::move(options), &table, &metrics, &log);
  if (const absl::Status status = watcher.Start(); !status.ok()) return fail(status);
  log.Write(LogLevel::kInfo, "listening", {{"metrics_port", server.port()}});
  control.run();
  log.Write(LogLevel::kInfo, "stopped");
  return 0;
}

}  // namespace
}  // namespace precedent::webhook

int main(int argc, char** argv) {
  absl::SetProgramUsageMessage(
      "precedent-webhook-pods: watches all pods and says, for Prometheus, how many of each "
      "priority class wait and run, and how long the oldest has been waiting.");
  const std::vector<char*> rest = absl::ParseCommandLine(argc, argv);
  if (rest.size() > 1) {
    std::cerr << "precedent-webhook-pods: unexpected argument `" << rest[1] << "`\n";
    return 2;
  }
  if (const std::string wrong = precedent::webhook::WrongFlag(); !wrong.empty()) {
    std::cerr << "precedent-webhook-pods: " << wrong << '\n';
    return 2;
  }
  signal(SIGPIPE, SIG_IGN);
  if (curl_global_init(CURL_GLOBAL_DEFAULT) != 0) {
    std::cerr << "precedent-webhook-pods: libcurl does not start\n";
    return 1;
  }
  const int code = precedent::webhook::Run();
  curl_global_cleanup();
  return code;
}
