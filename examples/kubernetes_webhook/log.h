// Structured logs: one line of JSON per event.
#ifndef PRECEDENT_EXAMPLES_KUBERNETES_WEBHOOK_LOG_H_
#define PRECEDENT_EXAMPLES_KUBERNETES_WEBHOOK_LOG_H_

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <variant>

namespace precedent::webhook {

enum class LogLevel : std::uint8_t { kDebug, kInfo, kWarning, kError };

// One member of a line. Borrows for the call.
struct LogField {
  std::string_view name;  // of this program: not escaped
  std::variant<std::string_view, std::int64_t> value;
};

// `text` inside quotation marks of JSON, and safe on a terminal and in a log viewer:
// control characters (C0, DEL, C1), line separators and bidirectional controls are
// escaped, bytes that are no UTF-8 become U+FFFD, and a text over `max_bytes` ends in
// `...`. Linear.
void AppendEscaped(std::string_view text, std::size_t max_bytes, std::string* out);

// Lines go through a bounded queue to a thread that writes them, so that a full pipe
// never stops a review: what does not fit is dropped and counted.
//
// Thread-safety: any thread may call any function.
class Log {
 public:
  // Lines below `level` are not made. Writes to `file_descriptor`, which stays the
  // caller's. Where the system gives no thread, lines are written by their callers.
  Log(int file_descriptor, LogLevel level);
  // Writes what is queued.
  ~Log();
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  bool enabled(LogLevel level) const { return level >= level_; }
  void Write(LogLevel level, std::string_view message, std::initializer_list<LogField> fields = {});

  std::uint64_t dropped() const { return dropped_.load(std::memory_order_relaxed); }

 private:
  void Run();

  const int file_descriptor_;
  const LogLevel level_;
  std::atomic<std::uint64_t> dropped_{0};
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::string> queue_;
  std::size_t queued_bytes_ = 0;
  bool stop_ = false;
  std::thread writer_;
};

}  // namespace precedent::webhook

#endif  // PRECEDENT_EXAMPLES_KUBERNETES_WEBHOOK_LOG_H_
