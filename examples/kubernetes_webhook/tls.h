// The server's certificate, key and, where clients must show one, their CA.
#ifndef PRECEDENT_EXAMPLES_KUBERNETES_WEBHOOK_TLS_H_
#define PRECEDENT_EXAMPLES_KUBERNETES_WEBHOOK_TLS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include <boost/asio/ssl/context.hpp>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace precedent::webhook {

struct TlsFiles {
  std::string certificate;  // PEM: the server's, then its chain
  std::string key;          // PEM, not encrypted
  std::string client_ca;    // PEM; empty: clients need no certificate
};

// One checked pair. Immutable; a connection keeps its own for as long as it lives.
struct TlsIdentity {
  TlsIdentity() : context(boost::asio::ssl::context::tls_server) {}
  boost::asio::ssl::context context;
  std::int64_t expires = 0;  // seconds since 1970
};

// Reads the files again whenever asked, and takes what fits together: a certificate
// with another key (half of a swap) or one that has expired is refused and the old
// pair stays.
//
// Thread-safety: one thread.
class TlsSource {
 public:
  explicit TlsSource(TlsFiles files) : files_(std::move(files)) {}

  // A new identity where the files' content has changed since the last one taken; null
  // where it has not. An error names the file and what is wrong with it.
  absl::StatusOr<std::shared_ptr<TlsIdentity>> Read();

 private:
  const TlsFiles files_;
  std::string taken_;  // digest of the content
};

}  // namespace precedent::webhook

#endif  // PRECEDENT_EXAMPLES_KUBERNETES_WEBHOOK_TLS_H_
