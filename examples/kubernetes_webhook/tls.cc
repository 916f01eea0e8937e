#include "tls.h"

#include <openssl/err.h>
#include <openssl/sha.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <cstdio>
#include <ctime>
#include <utility>

#include <boost/asio/buffer.hpp>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace precedent::webhook {
namespace {

namespace ssl = boost::asio::ssl;
using boost::system::error_code;

// A mounted secret is far smaller.
constexpr std::size_t kMaxBytes = 1 << 20;

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) return absl::NotFoundError(absl::StrCat(path, ": cannot be read"));
  std::string content(kMaxBytes + 1, '\0');
  content.resize(std::fread(content.data(), 1, content.size(), file));
  const bool failed = std::ferror(file) != 0;
  std::fclose(file);
  if (failed) return absl::NotFoundError(absl::StrCat(path, ": cannot be read"));
  if (content.size() > kMaxBytes) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": is larger than 1 MiB"));
  }
  return content;
}

std::string Digest(const std::string& content) {
  unsigned char digest[SHA256_DIGEST_LENGTH];
  SHA256(reinterpret_cast<const unsigned char*>(content.data()), content.size(), digest);
  return std::string(reinterpret_cast<const char*>(digest), sizeof digest);
}

// Go's clients offer h2 first; this server speaks HTTP/1.1.
int SelectHttp11(SSL*, const unsigned char** out, unsigned char* out_length,
                 const unsigned char* in, unsigned in_length, void*) {
  static constexpr unsigned char kHttp11[] = "\x08http/1.1";
  unsigned char* chosen = nullptr;
  if (SSL_select_next_proto(&chosen, out_length, kHttp11, sizeof kHttp11 - 1, in, in_length) !=
      OPENSSL_NPN_NEGOTIATED) {
    return SSL_TLSEXT_ERR_NOACK;
  }
  *out = chosen;
  return SSL_TLSEXT_ERR_OK;
}

// Seconds since 1970 at which the context's certificate expires.
std::int64_t Expiry(SSL_CTX* context) {
  std::tm parts = {};
  const X509* certificate = SSL_CTX_get0_certificate(context);
  if (certificate == nullptr || ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &parts) != 1) {
    return 0;
  }
  return timegm(&parts);
}

}  // namespace

absl::StatusOr<std::shared_ptr<TlsIdentity>> TlsSource::Read() {
  absl::StatusOr<std::string> certificate = ReadFile(files_.certificate);
  if (!certificate.ok()) return certificate.status();
  absl::StatusOr<std::string> key = ReadFile(files_.key);
  if (!key.ok()) return key.status();
  std::string client_ca;
  if (!files_.client_ca.empty()) {
    absl::StatusOr<std::string> read = ReadFile(files_.client_ca);
    if (!read.ok()) return read.status();
    client_ca = *std::move(read);
  }
  const std::string content = Digest(absl::StrCat(certificate->size(), " ", key->size(), " ",
                                                  *certificate, *key, client_ca));
  if (content == taken_) return std::shared_ptr<TlsIdentity>();

  auto identity = std::make_shared<TlsIdentity>();
  ssl::context& context = identity->context;
  SSL_CTX* const native = context.native_handle();
  SSL_CTX_set_min_proto_version(native, TLS1_2_VERSION);
  SSL_CTX_set_options(native, SSL_OP_NO_RENEGOTIATION | SSL_OP_CIPHER_SERVER_PREFERENCE);
  SSL_CTX_set_alpn_select_cb(native, SelectHttp11, nullptr);
  error_code error;
  const auto failed = [&error](const std::string& path, std::string_view what) {
    ERR_clear_error();
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": ", absl::string_view(what.data(), what.size()), ": ", error.message()));
  };
  context.use_certificate_chain(boost::asio::buffer(*certificate), error);
  if (error) return failed(files_.certificate, "is no certificate in PEM");
  // Refuses the key of another certificate.
  context.use_private_key(boost::asio::buffer(*key), ssl::context::pem, error);
  if (error) return failed(files_.key, "is no key in PEM for this certificate");
  if (!files_.client_ca.empty()) {
    context.add_certificate_authority(boost::asio::buffer(client_ca), error);
    if (error) return failed(files_.client_ca, "is no certificate in PEM");
    context.set_verify_mode(ssl::verify_peer | ssl::verify_fail_if_no_peer_cert, error);
    // Sessions resumed by another server's ticket would skip the check otherwise.
    static constexpr unsigned char kSession[] = "precedent";
    SSL_CTX_set_session_id_context(native, kSession, sizeof kSession - 1);
  }
  identity->expires = Expiry(native);
  if (identity->expires <= absl::ToUnixSeconds(absl::Now())) {
    return absl::InvalidArgumentError(absl::StrCat(files_.certificate, ": has expired"));
  }
  taken_ = content;
  return identity;
}

}  // namespace precedent::webhook
