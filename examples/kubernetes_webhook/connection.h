// One connection, with or without TLS, on the thread of its io_context.
#ifndef PRECEDENT_EXAMPLES_KUBERNETES_WEBHOOK_CONNECTION_H_
#define PRECEDENT_EXAMPLES_KUBERNETES_WEBHOOK_CONNECTION_H_

#include <memory>
#include <unordered_set>

#include <boost/asio/ip/tcp.hpp>

#include "http.h"
#include "tls.h"

namespace precedent::webhook {

class Connection {
 public:
  virtual ~Connection() = default;
  virtual void Start() = 0;
  // Closes it if it waits for a further request. What is being read or answered goes on,
  // and who has just come may still ask.
  virtual void CloseIfIdle() = 0;
};

// The connections of one thread.
using Connections = std::unordered_set<Connection*>;

// A connection that counts itself in `shared` and enters `all` for as long as it lives.
// Without `identity` it speaks plain HTTP. Both outlive it; `socket` belongs to the
// thread that calls.
std::shared_ptr<Connection> MakeConnection(boost::asio::ip::tcp::socket socket,
                                           std::shared_ptr<TlsIdentity> identity, Shared* shared,
                                           Connections* all);

}  // namespace precedent::webhook

#endif  // PRECEDENT_EXAMPLES_KUBERNETES_WEBHOOK_CONNECTION_H_
