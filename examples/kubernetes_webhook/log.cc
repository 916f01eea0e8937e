#include "log.h"

#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace precedent::webhook {
namespace {

constexpr std::size_t kMaxQueuedBytes = 4 << 20;
constexpr std::size_t kMaxValueBytes = 2048;

// Reads one code point at `at`; its length, or 0 where the bytes are no UTF-8.
std::size_t Decode(std::string_view text, std::size_t at, std::uint32_t* point) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  const std::uint32_t first = byte(at);
  if (first < 0x80) return *point = first, 1;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4) return 0;
  std::uint32_t value = first & (0x7fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xc0u) != 0x80) return 0;
    value = value << 6 | (byte(at + i) & 0x3fu);
  }
  constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  if (value < kLeast[length] || value > 0x10ffff || (value >= 0xd800 && value < 0xe000)) return 0;
  *point = value;
  return length;
}

bool IsUnsafe(std::uint32_t point) {
  return point < 0x20 || (point >= 0x7f && point < 0xa0) ||  // C0, DEL, C1
         point == 0x061c || point == 0x200e || point == 0x200f ||  // marks of direction
         (point >= 0x2028 && point <= 0x202e) ||  // separators, embeddings, overrides
         (point >= 0x2066 && point <= 0x2069) || point == 0xfeff;
}

std::string_view LevelName(LogLevel level) {
  constexpr std::string_view kNames[] = {"debug", "info", "warning", "error"};
  return kNames[static_cast<std::size_t>(level)];
}

void WriteAll(int file_descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(file_descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;  // nowhere left to say so
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace

void AppendEscaped(std::string_view text, std::size_t max_bytes, std::string* out) {
  const bool cut = text.size() > max_bytes;
  for (std::size_t at = 0; at < text.size() && at < max_bytes;) {
    std::uint32_t point = 0;
    const std::size_t length = Decode(text, at, &point);
    if (length == 0) {
      out->append("\xef\xbf\xbd");
      ++at;
      continue;
    }
    if (cut && at + length > max_bytes) break;
    if (point == '"' || point == '\\') {
      out->push_back('\\');
      out->push_back(static_cast<char>(point));
    } else if (IsUnsafe(point)) {
      absl::StrAppendFormat(out, "\\u%04x", point);
    } else {
      out->append(text.substr(at, length));
    }
    at += length;
  }
  if (cut) out->append("...");
}

Log::Log(int file_descriptor, LogLevel level) : file_descriptor_(file_descriptor), level_(level) {
  // Signals are for the thread that waits for them.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    writer_ = std::thread([this] { Run(); });
  } catch (const std::system_error&) {
    // Then Write writes.
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Log::~Log() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stop_ = true;
  }
  wake_.notify_one();
  if (writer_.joinable()) writer_.join();
}

void Log::Write(LogLevel level, std::string_view message,
                std::initializer_list<LogField> fields) {
  if (!enabled(level)) return;
  std::string line =
      absl::StrCat(R"({"time":")", absl::FormatTime(absl::RFC3339_full, absl::Now(), absl::UTCTimeZone()),
                   R"(","level":")", absl::string_view(LevelName(level).data(), LevelName(level).size()),
                   R"(","message":")");
  AppendEscaped(message, kMaxValueBytes, &line);
  line.push_back('"');
  for (const LogField& field : fields) {
    line.append(",\"").append(field.name).append("\":");
    if (const auto* number = std::get_if<std::int64_t>(&field.value)) {
      absl::StrAppend(&line, *number);
    } else {
      line.push_back('"');
      AppendEscaped(std::get<std::string_view>(field.value), kMaxValueBytes, &line);
      line.push_back('"');
    }
  }
  line.append("}\n");
  if (!writer_.joinable()) return WriteAll(file_descriptor_, line);
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (queued_bytes_ + line.size() > kMaxQueuedBytes) {
      dropped_.fetch_add(1, std::memory_order_relaxed);
      return;
    }
    queued_bytes_ += line.size();
    queue_.push_back(std::move(line));
  }
  wake_.notify_one();
}

void Log::Run() {
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    wake_.wait(lock, [this] { return stop_ || !queue_.empty(); });
    if (queue_.empty()) return;
    std::string batch;
    while (!queue_.empty()) {
      batch.append(queue_.front());
      queue_.pop_front();
    }
    lock.unlock();
    WriteAll(file_descriptor_, batch);
    lock.lock();
    queued_bytes_ = 0;
    for (const std::string& line : queue_) queued_bytes_ += line.size();
  }
}

}  // namespace precedent::webhook
