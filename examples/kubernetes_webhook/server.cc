#include "server.h"

#include <system_error>
#include <utility>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/post.hpp>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace precedent::webhook {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

absl::StatusOr<tcp::endpoint> ParseAddress(const std::string& address) {
  const std::size_t colon = address.rfind(':');
  int port = -1;
  if (colon == std::string::npos || !absl::SimpleAtoi(address.substr(colon + 1), &port) ||
      port < 0 || port > 65535) {
    return absl::InvalidArgumentError(
        absl::StrCat("`", address, "` is no address such as `0.0.0.0:8443` or `:8443`"));
  }
  std::string host = address.substr(0, colon);
  if (host.size() >= 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  }
  if (host.empty()) host = "::";
  error_code error;
  const asio::ip::address parsed = asio::ip::make_address(host, error);
  if (error) {
    return absl::InvalidArgumentError(absl::StrCat("`", host, "` is no IP address"));
  }
  return tcp::endpoint(parsed, static_cast<std::uint16_t>(port));
}

}  // namespace

struct Server::Worker {
  Connections connections;  // before io: the last ones end with it
  asio::io_context io{1};
  asio::executor_work_guard<asio::io_context::executor_type> work{io.get_executor()};
  std::thread thread;

  ~Worker() {
    io.stop();
    if (thread.joinable()) thread.join();
  }
};

Server::Server(asio::io_context& control, const Limits& limits, Handler* handler)
    : control_(control), acceptor_(control), retry_(control) {
  shared_.limits = limits;
  shared_.handler = handler;
}

Server::~Server() = default;

absl::Status Server::Listen(const std::string& address, int threads) {
  const absl::StatusOr<tcp::endpoint> endpoint = ParseAddress(address);
  if (!endpoint.ok()) return endpoint.status();
  error_code error;
  acceptor_.open(endpoint->protocol(), error);
  // A machine without IPv6.
  if (error && address.front() == ':') {
    return Listen(absl::StrCat("0.0.0.0", address), threads);
  }
  if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error && endpoint->address().is_v6()) {
    acceptor_.set_option(asio::ip::v6_only(false), error);
  }
  if (!error) acceptor_.bind(*endpoint, error);
  if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
  if (error) {
    return absl::UnavailableError(
        absl::StrCat("cannot listen at `", address, "`: ", error.message()));
  }
  port_ = acceptor_.local_endpoint(error).port();
  for (int i = 0; i < threads; ++i) {
    auto worker = std::make_unique<Worker>();
    try {
      worker->thread = std::thread([io = &worker->io] { io->run(); });
    } catch (const std::system_error&) {
      // The system gives no more threads: fewer serve as well.
      break;
    }
    workers_.push_back(std::move(worker));
  }
  Accept();
  return absl::OkStatus();
}

Server::Worker* Server::NextWorker() {
  return workers_.empty() ? nullptr : workers_[next_++ % workers_.size()].get();
}

void Server::Accept() {
  Worker* const worker = NextWorker();
  acceptor_.async_accept(worker == nullptr ? control_ : worker->io,
                         [this, worker](error_code error, tcp::socket socket) {
                           OnAccept(error, std::move(socket), worker);
                         });
}

void Server::OnAccept(error_code error, tcp::socket socket, Worker* worker) {
  if (!acceptor_.is_open()) return;
  if (error) {
    // Out of file descriptors or memory: the connection waits in the kernel.
    if (on_accept_error) on_accept_error(error.message());
    retry_.expires_after(std::chrono::milliseconds(50));
    retry_.async_wait([this](error_code cancelled) {
      if (!cancelled) Accept();
    });
    return;
  }
  Serve(std::move(socket), worker);
  Accept();
}

void Server::Serve(tcp::socket socket, Worker* worker) {
  if (shared_.connections.load() >= 2 * shared_.limits.connections) {
    shared_.handler->OnDropped("overload");
    error_code ignored;
    socket.close(ignored);
  } else if (worker == nullptr) {
    MakeConnection(std::move(socket), identity_, &shared_, &on_control_)->Start();
  } else {
    asio::post(worker->io, [this, worker, identity = identity_, socket = std::move(socket)]() mutable {
      MakeConnection(std::move(socket), std::move(identity), &shared_, &worker->connections)->Start();
    });
  }
}

void Server::Close() {
  error_code error;
  // Closing resets what waits in the kernel to be accepted: it is taken first.
  if (acceptor_.is_open()) acceptor_.non_blocking(true, error);
  while (acceptor_.is_open() && !error) {
    Worker* const worker = NextWorker();
    tcp::socket socket(worker == nullptr ? control_ : worker->io);
    acceptor_.accept(socket, error);
    if (!error) Serve(std::move(socket), worker);
  }
  acceptor_.close(error);
  retry_.cancel();
  const auto close_idle = [](const Connections& connections) {
    for (Connection* connection : connections) connection->CloseIfIdle();
  };
  close_idle(on_control_);
  for (const std::unique_ptr<Worker>& worker : workers_) {
    asio::post(worker->io, [worker = worker.get(), close_idle] { close_idle(worker->connections); });
  }
}

}  // namespace precedent::webhook
