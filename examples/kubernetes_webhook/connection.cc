#include "connection.h"

#include <optional>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/beast/core/bind_handler.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/write.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>

namespace precedent::webhook {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using beast::error_code;

// What is thrown away, at most, of a request that is refused before it was read: a
// client that gets a reset in the middle of sending never sees why.
constexpr std::size_t kMaxDiscarded = 64 << 20;
constexpr std::chrono::seconds kLinger{2};

template <typename Stream>
constexpr bool kIsTls = !std::is_same_v<Stream, beast::tcp_stream>;

template <typename Stream>
class HttpConnection : public Connection,
                       public std::enable_shared_from_this<HttpConnection<Stream>> {
 public:
  template <typename... Args>
  HttpConnection(std::shared_ptr<TlsIdentity> identity, Shared* shared, Connections* all,
                 asio::ip::tcp::socket socket, Args&... context)
      : identity_(std::move(identity)),
        shared_(shared),
        all_(all),
        overload_(shared->connections.fetch_add(1) >= shared->limits.connections),
        stream_(std::move(socket), context...),
        buffer_(shared->limits.header_bytes + (64 << 10)) {
    all_->insert(this);
  }

  ~HttpConnection() override {
    all_->erase(this);
    ReleaseBody();
    shared_->connections.fetch_sub(1);
  }

  void Start() override {
    error_code ignored;
    // Two packets an answer would cost 40 ms where the client delays its acknowledgement.
    tcp().socket().set_option(asio::ip::tcp::no_delay(true), ignored);
    if constexpr (kIsTls<Stream>) {
      tcp().expires_after(shared_->limits.handshake);
      stream_.async_handshake(asio::ssl::stream_base::server,
                              Bind(&HttpConnection::OnHandshake));
    } else {
      AwaitRequest();
    }
  }

  void CloseIfIdle() override {
    if (idle_ && answered_) tcp().cancel();
  }

 private:
  template <typename Member>
  auto Bind(Member member) {
    return beast::bind_front_handler(member, this->shared_from_this());
  }

  beast::tcp_stream& tcp() { return beast::get_lowest_layer(stream_); }

  void OnHandshake(error_code error) {
    if (error) return Drop(error == beast::error::timeout ? "timeout" : "handshake");
    AwaitRequest();
  }

  // The idle time ends with the first byte of a request.
  void AwaitRequest() {
    parser_.emplace();
    parser_->header_limit(static_cast<std::uint32_t>(shared_->limits.header_bytes));
    parser_->body_limit(shared_->limits.body_bytes);
    if (buffer_.size() > 0) return ReadHeader();
    idle_ = true;
    tcp().expires_after(shared_->limits.idle);
    stream_.async_read_some(buffer_.prepare(8 << 10), Bind(&HttpConnection::OnFirstBytes));
  }

  void OnFirstBytes(error_code error, std::size_t bytes) {
    idle_ = false;
    if (error) return Close();
    buffer_.commit(bytes);
    ReadHeader();
  }

  void ReadHeader() {
    tcp().expires_after(shared_->limits.header);
    http::async_read_header(stream_, buffer_, *parser_, Bind(&HttpConnection::OnHeader));
  }

  void OnHeader(error_code error, std::size_t) {
    if (error == http::error::body_limit) return Refuse(413, "the body is too large");
    if (error == http::error::header_limit) return Refuse(431, "the header is too large");
    if (error == beast::error::timeout) return Drop("timeout");
    if (error.category() == make_error_code(http::error::bad_target).category() &&
        error != http::error::end_of_stream && error != http::error::partial_message) {
      return Refuse(400, "the request is no HTTP/1.1");
    }
    if (error) return error == http::error::end_of_stream ? Close() : Drop("network");
    Reply refusal = shared_->handler->Screen(parser_->get().base());
    if (refusal.status != 0) {
      shared_->handler->OnError(refusal.status);
      // An unread body would be taken for the next request.
      return Write(std::move(refusal), parser_->is_done() && parser_->get().keep_alive());
    }
    tcp().expires_after(shared_->limits.body);
    if (parser_->get()[http::field::expect] == "100-continue" && !parser_->is_done()) {
      continue_.emplace(http::status::continue_, parser_->get().version());
      http::async_write(stream_, *continue_, Bind(&HttpConnection::OnContinue));
      return;
    }
    ReadBody();
  }

  void OnContinue(error_code error, std::size_t) {
    if (error) return Drop(error == beast::error::timeout ? "timeout" : "network");
    ReadBody();
  }

  void ReadBody() {
    if (parser_->is_done()) return Answer();
    http::async_read_some(stream_, buffer_, *parser_, Bind(&HttpConnection::OnBody));
  }

  void OnBody(error_code error, std::size_t) {
    if (error == http::error::body_limit) return Refuse(413, "the body is too large");
    if (error == beast::error::timeout) return Drop("timeout");
    if (error && error != http::error::need_buffer) {
      return error == http::error::partial_message ? Drop("network")
                                                   : Refuse(400, "the body is not as announced");
    }
    const std::size_t held = parser_->get().body().capacity();
    const std::size_t more = held > body_ ? held - body_ : 0;
    if (shared_->bodies.fetch_add(more) + more > shared_->limits.bodies_bytes) {
      shared_->bodies.fetch_sub(more);
      return Refuse(503, "too many bodies are being read");
    }
    body_ += more;
    ReadBody();
  }

  void Answer() {
    const bool keep_alive = parser_->get().keep_alive() && !overload_;
    Reply reply = shared_->handler->Handle(parser_->release(), overload_);
    ReleaseBody();
    Write(std::move(reply), keep_alive);
  }

  void Refuse(int status, std::string_view why) {
    shared_->handler->OnError(status);
    Reply reply;
    reply.status = status;
    reply.content_type = "text/plain";
    reply.body = std::string(why) + "\n";
    Write(std::move(reply), false);
  }

  void Write(Reply reply, bool keep_alive) {
    keep_alive_ = keep_alive && !shared_->draining.load(std::memory_order_relaxed);
    response_.emplace(static_cast<http::status>(reply.status), 11, std::move(reply.body));
    response_->set(http::field::content_type,
                   beast::string_view(reply.content_type.data(), reply.content_type.size()));
    if (!reply.allow.empty()) {
      response_->set(http::field::allow, beast::string_view(reply.allow.data(), reply.allow.size()));
    }
    response_->keep_alive(keep_alive_);
    response_->prepare_payload();
    tcp().expires_after(shared_->limits.write);
    // Header and body leave as one: the TLS stream joins small buffers, and without TLS
    // the kernel gathers them.
    http::async_write(stream_, *response_, Bind(&HttpConnection::OnWritten));
  }

  void OnWritten(error_code error, std::size_t) {
    response_.reset();
    if (error) return Drop(error == beast::error::timeout ? "timeout" : "network");
    answered_ = true;
    if (keep_alive_) return AwaitRequest();
    ReleaseBody();
    tcp().expires_after(kLinger);
    if (!parser_->is_done()) return Discard();
    Shutdown();
  }

  void Discard() {
    buffer_.clear();
    stream_.async_read_some(buffer_.prepare(64 << 10), Bind(&HttpConnection::OnDiscarded));
  }

  void OnDiscarded(error_code error, std::size_t bytes) {
    discarded_ += bytes;
    if (error || discarded_ > kMaxDiscarded) return Shutdown();
    Discard();
  }

  void Shutdown() {
    if constexpr (kIsTls<Stream>) {
      stream_.async_shutdown(Bind(&HttpConnection::OnShutdown));
    } else {
      Close();
    }
  }

  void OnShutdown(error_code) { Close(); }

  void Drop(std::string_view why) {
    shared_->handler->OnDropped(why);
    Close();
  }

  void Close() {
    error_code ignored;
    tcp().socket().shutdown(asio::ip::tcp::socket::shutdown_both, ignored);
    tcp().close();
  }

  void ReleaseBody() {
    shared_->bodies.fetch_sub(body_);
    body_ = 0;
  }

  const std::shared_ptr<TlsIdentity> identity_;
  Shared* const shared_;
  Connections* const all_;
  const bool overload_;
  bool idle_ = false;
  bool answered_ = false;  // one request at least
  bool keep_alive_ = false;
  std::size_t body_ = 0;  // bytes counted in shared_->bodies
  std::size_t discarded_ = 0;
  Stream stream_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  std::optional<http::response<http::empty_body>> continue_;
  std::optional<http::response<http::string_body>> response_;
};

}  // namespace

std::shared_ptr<Connection> MakeConnection(asio::ip::tcp::socket socket,
                                           std::shared_ptr<TlsIdentity> identity, Shared* shared,
                                           Connections* all) {
  if (identity == nullptr) {
    return std::make_shared<HttpConnection<beast::tcp_stream>>(nullptr, shared, all,
                                                               std::move(socket));
  }
  asio::ssl::context& context = identity->context;
  return std::make_shared<HttpConnection<beast::ssl_stream<beast::tcp_stream>>>(
      std::move(identity), shared, all, std::move(socket), context);
}

}  // namespace precedent::webhook
