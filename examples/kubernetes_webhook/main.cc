// precedent-webhook: a mutating admission webhook that derives priorities.
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <iostream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/flags/usage.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "log.h"
#include "metrics.h"
#include "reloader.h"
#include "reviewer.h"
#include "server.h"

ABSL_FLAG(std::string, policy, "/etc/precedent/policy.txtpb", "policy file");
ABSL_FLAG(std::string, options, "", "AdapterOptions file; empty: the defaults");
ABSL_FLAG(std::string, on_no_policy, "fallback",
          "while no policy is live: `fallback` answers with the options' fallback, `fail` does not "
          "start, and is not ready");
ABSL_FLAG(bool, allow_older_generation, false, "take a policy of a lower generation: a rollback");
ABSL_FLAG(std::string, tls_certificate, "/etc/precedent/tls/tls.crt", "PEM, with its chain");
ABSL_FLAG(std::string, tls_key, "/etc/precedent/tls/tls.key", "PEM");
ABSL_FLAG(std::string, client_ca, "", "PEM; clients must show a certificate of this CA");
ABSL_FLAG(std::string, listen, ":8443", "address for HTTPS: /mutate, /healthz, /readyz");
ABSL_FLAG(std::string, metrics_listen, ":9443", "address for plain HTTP: /metrics, /healthz, /readyz");
ABSL_FLAG(int, threads, 0, "threads that answer; 0: one per core");
ABSL_FLAG(std::string, log_level, "info", "debug (every decision), info, warning or error");
ABSL_FLAG(absl::Duration, reload_interval, absl::Seconds(1), "between two looks at the files");
ABSL_FLAG(int, max_connections, 1024,
          "beyond, one review is answered with the fallback and the connection closed; beyond twice "
          "as many it is closed at once");
ABSL_FLAG(int64_t, max_body_bytes, 7 << 20, "of one request");
ABSL_FLAG(int64_t, max_bodies_bytes, 256 << 20, "of all requests that are read at the same time");
ABSL_FLAG(absl::Duration, header_timeout, absl::Seconds(5), "for TLS, and for a header");
ABSL_FLAG(absl::Duration, body_timeout, absl::Seconds(10), "for a body, and for an answer");
ABSL_FLAG(absl::Duration, idle_timeout, absl::Seconds(90), "between two requests");
ABSL_FLAG(absl::Duration, drain_delay, absl::Seconds(5),
          "from SIGTERM, when /readyz fails, to the closing of the port");
ABSL_FLAG(absl::Duration, drain_timeout, absl::Seconds(10), "for what is being answered then");

namespace precedent::webhook {
namespace {

namespace asio = boost::asio;

std::chrono::milliseconds Milliseconds(absl::Duration duration) {
  return std::chrono::milliseconds(absl::ToInt64Milliseconds(duration));
}

Limits LimitsFromFlags() {
  Limits limits;
  limits.connections = static_cast<std::size_t>(absl::GetFlag(FLAGS_max_connections));
  limits.body_bytes = static_cast<std::size_t>(absl::GetFlag(FLAGS_max_body_bytes));
  limits.bodies_bytes = static_cast<std::size_t>(absl::GetFlag(FLAGS_max_bodies_bytes));
  limits.handshake = limits.header = Milliseconds(absl::GetFlag(FLAGS_header_timeout));
  limits.body = limits.write = Milliseconds(absl::GetFlag(FLAGS_body_timeout));
  limits.idle = Milliseconds(absl::GetFlag(FLAGS_idle_timeout));
  return limits;
}

// What is wrong with the flags; empty: nothing.
std::string WrongFlag() {
  const std::string on_no_policy = absl::GetFlag(FLAGS_on_no_policy);
  if (on_no_policy != "fallback" && on_no_policy != "fail") {
    return absl::StrCat("--on_no_policy: `", on_no_policy, "` is neither fallback nor fail");
  }
  const std::string level = absl::GetFlag(FLAGS_log_level);
  if (level != "debug" && level != "info" && level != "warning" && level != "error") {
    return absl::StrCat("--log_level: `", level, "` is none of debug, info, warning, error");
  }
  if (absl::GetFlag(FLAGS_threads) < 0 || absl::GetFlag(FLAGS_threads) > 256) {
    return "--threads: must be 0 to 256";
  }
  if (absl::GetFlag(FLAGS_max_connections) < 1) return "--max_connections: must be positive";
  if (absl::GetFlag(FLAGS_max_body_bytes) < 1) return "--max_body_bytes: must be positive";
  if (absl::GetFlag(FLAGS_max_bodies_bytes) < absl::GetFlag(FLAGS_max_body_bytes)) {
    return "--max_bodies_bytes: must not be less than --max_body_bytes";
  }
  for (const absl::Duration duration :
       {absl::GetFlag(FLAGS_reload_interval), absl::GetFlag(FLAGS_header_timeout),
        absl::GetFlag(FLAGS_body_timeout), absl::GetFlag(FLAGS_idle_timeout)}) {
    if (duration < absl::Milliseconds(1) || duration > absl::Hours(24)) {
      return "intervals and time-outs must be from 1ms to 24h";
    }
  }
  if (absl::GetFlag(FLAGS_drain_delay) < absl::ZeroDuration() ||
      absl::GetFlag(FLAGS_drain_timeout) < absl::ZeroDuration()) {
    return "--drain_delay and --drain_timeout: must not be negative";
  }
  return "";
}

LogLevel LevelFromFlag() {
  const std::string level = absl::GetFlag(FLAGS_log_level);
  return level == "debug"     ? LogLevel::kDebug
         : level == "info"    ? LogLevel::kInfo
         : level == "warning" ? LogLevel::kWarning
                              : LogLevel::kError;
}

int ThreadsFromFlag() {
  const int threads = absl::GetFlag(FLAGS_threads);
  return threads > 0 ? threads : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

// SIGTERM: not ready, then no new connections, then the end of those that are left.
class Drainer {
 public:
  Drainer(asio::io_context& control, std::atomic<bool>* draining, Server* server, Log* log)
      : control_(control), timer_(control), draining_(draining), server_(server), log_(log) {}

  void Begin() {
    if (draining_->exchange(true)) return control_.stop();  // a second signal: at once
    log_->Write(LogLevel::kInfo, "draining");
    server_->Drain();
    timer_.expires_after(Milliseconds(absl::GetFlag(FLAGS_drain_delay)));
    timer_.async_wait([this](boost::system::error_code) {
      deadline_ = std::chrono::steady_clock::now() + Milliseconds(absl::GetFlag(FLAGS_drain_timeout));
      Wait();
    });
  }

 private:
  void Wait() {
    server_->Close();
    if (server_->connections() == 0 || std::chrono::steady_clock::now() >= deadline_) {
      return control_.stop();
    }
    timer_.expires_after(std::chrono::milliseconds(20));
    timer_.async_wait([this](boost::system::error_code) { Wait(); });
  }

  asio::io_context& control_;
  asio::steady_timer timer_;
  std::atomic<bool>* const draining_;
  Server* const server_;
  Log* const log_;
  std::chrono::steady_clock::time_point deadline_;
};

int Run() {
  Log log(STDERR_FILENO, LevelFromFlag());
  const auto fail = [&log](const absl::Status& status) {
    log.Write(LogLevel::kError, std::string(status.message()));
    return 1;
  };
  Metrics metrics;
  LiveEvaluator live;
  std::atomic<bool> draining{false};
  const bool fallback = absl::GetFlag(FLAGS_on_no_policy) == "fallback";
  const Server* serving = nullptr;
  Reviewer reviewer({false, fallback, nullptr}, &live, &metrics, &log, &draining);
  Reviewer observer({true, fallback,
                     [&] {
                       metrics.connections.Set(static_cast<double>(serving->connections()));
                       metrics.log_lines_dropped.Set(static_cast<double>(log.dropped()));
                     }},
                    &live, &metrics, &log, &draining);

  asio::io_context control{1};
  const Limits limits = LimitsFromFlags();
  Limits few = limits;
  few.connections = 32;
  Server server(control, limits, &reviewer);
  Server metrics_server(control, few, &observer);
  serving = &server;
  const auto on_accept_error = [&log](const std::string& why) {
    log.Write(LogLevel::kError, "cannot accept a connection", {{"error", std::string_view(why)}});
  };
  server.on_accept_error = on_accept_error;
  metrics_server.on_accept_error = on_accept_error;

  ReloaderOptions files;
  files.policy = absl::GetFlag(FLAGS_policy);
  files.options = absl::GetFlag(FLAGS_options);
  files.tls = {absl::GetFlag(FLAGS_tls_certificate), absl::GetFlag(FLAGS_tls_key),
               absl::GetFlag(FLAGS_client_ca)};
  files.policy_required = !fallback;
  files.allow_older_generation = absl::GetFlag(FLAGS_allow_older_generation);
  files.interval = Milliseconds(absl::GetFlag(FLAGS_reload_interval));
  Reloader::Sinks sinks;
  sinks.adapter = [&](kubernetes::Adapter adapter) { reviewer.SetAdapter(std::move(adapter)); };
  sinks.identity = [&](std::shared_ptr<TlsIdentity> identity) {
    asio::post(control, [&server, identity = std::move(identity)]() mutable {
      server.SetIdentity(std::move(identity));
    });
  };
  Reloader reloader(std::move(files), std::move(sinks), &live, &metrics, &log);

  asio::signal_set ends(control, SIGTERM, SIGINT);
  asio::signal_set reloads(control, SIGHUP);
  if (const absl::Status status = reloader.Start(); !status.ok()) return fail(status);
  control.poll();  // the first identity, before the first connection
  control.restart();
  if (const absl::Status status = server.Listen(absl::GetFlag(FLAGS_listen), ThreadsFromFlag());
      !status.ok()) {
    return fail(status);
  }
  if (const absl::Status status = metrics_server.Listen(absl::GetFlag(FLAGS_metrics_listen), 0);
      !status.ok()) {
    return fail(status);
  }
  Drainer drainer(control, &draining, &server, &log);
  std::function<void()> await_end = [&] {
    ends.async_wait([&](boost::system::error_code error, int) {
      if (error) return;
      drainer.Begin();
      await_end();
    });
  };
  std::function<void()> await_reload = [&] {
    reloads.async_wait([&](boost::system::error_code error, int) {
      if (error) return;
      reloader.Wake();
      await_reload();
    });
  };
  await_end();
  await_reload();
  log.Write(LogLevel::kInfo, "listening",
            {{"port", server.port()}, {"metrics_port", metrics_server.port()}});
  control.run();
  log.Write(LogLevel::kInfo, "stopped",
            {{"connections", static_cast<std::int64_t>(server.connections())}});
  return 0;
}

}  // namespace
}  // namespace precedent::webhook

int main(int argc, char** argv) {
  absl::SetProgramUsageMessage(
      "precedent-webhook: a mutating admission webhook for Kubernetes that derives the priority "
      "class of every GPU workload from a policy.");
  const std::vector<char*> rest = absl::ParseCommandLine(argc, argv);
  if (rest.size() > 1) {
    std::cerr << "precedent-webhook: unexpected argument `" << rest[1] << "`\n";
    return 2;
  }
  if (const std::string wrong = precedent::webhook::WrongFlag(); !wrong.empty()) {
    std::cerr << "precedent-webhook: " << wrong << '\n';
    return 2;
  }
  signal(SIGPIPE, SIG_IGN);
  return precedent::webhook::Run();
}
