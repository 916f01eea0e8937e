// Listens, hands connections to threads, and ends them gently.
#ifndef PRECEDENT_EXAMPLES_KUBERNETES_WEBHOOK_SERVER_H_
#define PRECEDENT_EXAMPLES_KUBERNETES_WEBHOOK_SERVER_H_

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include "absl/status/status.h"
#include "connection.h"
#include "http.h"
#include "tls.h"

namespace precedent::webhook {

// One port. Everything runs on `control`'s thread, but connections of the TLS port on
// worker threads with an io_context each: a connection never changes its thread, and
// threads share nothing but counters.
class Server {
 public:
  // `control` is run by the caller and outlives the server. Throws nothing.
  // threads = 0: connections run on `control`, too.
  Server(boost::asio::io_context& control, const Limits& limits, Handler* handler);
  // Stops at once.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // `address` is host:port, [::]:port, or :port for all addresses. Begins to accept.
  absl::Status Listen(const std::string& address, int threads);
  // What is listened at; for port 0.
  std::uint16_t port() const { return port_; }

  // For connections from now on; null: plain HTTP. On control's thread.
  void SetIdentity(std::shared_ptr<TlsIdentity> identity) { identity_ = std::move(identity); }

  // Answers end their connection from now on; the port stays open, since others learn
  // only with delay that this one is going.
  void Drain() { shared_.draining.store(true); }
  // Closes the port, once what waits there is accepted, and idle connections. On control's
  // thread.
  void Close();
  std::size_t connections() const { return shared_.connections.load(); }

  // Accepting failed, such as for want of file descriptors; it is tried again.
  std::function<void(const std::string& why)> on_accept_error;

 private:
  struct Worker;
  Worker* NextWorker();  // null: control's thread
  void Accept();
  void OnAccept(boost::system::error_code error, boost::asio::ip::tcp::socket socket,
                Worker* worker);
  void Serve(boost::asio::ip::tcp::socket socket, Worker* worker);

  boost::asio::io_context& control_;
  Shared shared_;
  std::shared_ptr<TlsIdentity> identity_;
  boost::asio::ip::tcp::acceptor acceptor_;
  boost::asio::steady_timer retry_;
  Connections on_control_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::size_t next_ = 0;
  std::uint16_t port_ = 0;
};

}  // namespace precedent::webhook

#endif  // PRECEDENT_EXAMPLES_KUBERNETES_WEBHOOK_SERVER_H_
