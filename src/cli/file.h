// Files as the program reads and writes them.
#ifndef PRECEDENT_SRC_CLI_FILE_H_
#define PRECEDENT_SRC_CLI_FILE_H_

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace precedent::cli {

// No document, policy or options file may be larger than this many bytes.
inline constexpr std::size_t kMaxDocumentBytes = std::size_t{64} << 20;

// Reads a file, or standard input for `-`, line by line in bounded memory, so that
// a pipe without end can be read as it comes.
class LineReader {
 public:
  // The status says why not, for people: a directory, no such file, ...
  static absl::StatusOr<LineReader> Open(const std::string& file);

  LineReader(LineReader&&) noexcept;
  LineReader& operator=(LineReader&&) noexcept;
  ~LineReader();

  // The first bytes that are still unread, at least `size` of them if the file has
  // as many. Valid until the next call.
  absl::StatusOr<std::string_view> Peek(std::size_t size);

  // Appends the next line with its `\n` to `*line`, but not more than `max` bytes of
  // it: the rest is read over and `*cut` set. False at the end of the file.
  absl::StatusOr<bool> ReadLine(std::string* line, std::size_t max, bool* cut);

  // The next bytes, however many there are at once; empty at the end of the file. Valid
  // until the next call.
  absl::StatusOr<std::string_view> ReadBlock();

 private:
  class Impl;
  explicit LineReader(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// The whole of a file or of standard input. RESOURCE_EXHAUSTED beyond `max` bytes.
absl::StatusOr<std::string> ReadFile(const std::string& file, std::size_t max = kMaxDocumentBytes);

// Replaces `file` by `bytes` so that a reader sees the old content or the new one
// and nothing between, and a failure leaves the old one.
absl::Status WriteFileAtomically(const std::string& file, std::string_view bytes);

}  // namespace precedent::cli

#endif  // PRECEDENT_SRC_CLI_FILE_H_
