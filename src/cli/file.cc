#include "src/cli/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"

namespace precedent::cli {
namespace {

absl::Status SystemError(std::string_view what, int error) {
  if (error == EISDIR)
    return absl::InvalidArgumentError("is a directory: name the files in it, such as `dir/*.yaml`");
  std::string why = std::generic_category().message(error);
  if (!why.empty() && why[0] >= 'A' && why[0] <= 'Z') why[0] = static_cast<char>(why[0] + 32);
  return absl::UnavailableError(absl::StrCat(std::string(what), ": ", why));
}

// Owns a descriptor; 0 is not closed, it is the caller's.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ > 0) close(fd_);
  }
  int get() const { return fd_; }
  // Closes; the value of close(2).
  int Close() { return close(std::exchange(fd_, -1)); }

 private:
  int fd_;
};

absl::Status WriteAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return SystemError("cannot be written", errno);
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return absl::OkStatus();
}

}  // namespace

class LineReader::Impl {
 public:
  explicit Impl(int fd) : fd_(fd) {}

  std::string_view unread() const { return std::string_view(buffer_).substr(begin_); }
  void Consume(std::size_t n) { begin_ += n; }

  // Reads more; false at the end of the file.
  absl::StatusOr<bool> Fill() {
    constexpr std::size_t kPiece = 256 << 10;
    buffer_.erase(0, std::exchange(begin_, 0));
    const std::size_t old = buffer_.size();
    buffer_.resize(old + kPiece);
    ssize_t n;
    do n = read(fd_.get(), &buffer_[old], kPiece);
    while (n < 0 && errno == EINTR);
    buffer_.resize(old + static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
    if (n < 0) return SystemError("cannot be read", errno);
    return n > 0;
  }

 private:
  Descriptor fd_;
  std::string buffer_;
  std::size_t begin_ = 0;
};

LineReader::LineReader(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
LineReader::LineReader(LineReader&&) noexcept = default;
LineReader& LineReader::operator=(LineReader&&) noexcept = default;
LineReader::~LineReader() = default;

absl::StatusOr<LineReader> LineReader::Open(const std::string& file) {
  int fd = 0;
  if (file != "-") {
    do fd = open(file.c_str(), O_RDONLY | O_CLOEXEC);
    while (fd < 0 && errno == EINTR);
    if (fd < 0) return SystemError("cannot be opened", errno);
  }
  auto impl = std::make_unique<Impl>(fd);
  struct stat status;
  if (fstat(fd, &status) == 0 && S_ISDIR(status.st_mode)) return SystemError("", EISDIR);
  return LineReader(std::move(impl));
}

absl::StatusOr<std::string_view> LineReader::Peek(std::size_t size) {
  while (impl_->unread().size() < size) {
    const absl::StatusOr<bool> more = impl_->Fill();
    if (!more.ok()) return more.status();
    if (!*more) break;
  }
  return impl_->unread();
}

absl::StatusOr<std::string_view> LineReader::ReadBlock() {
  const absl::StatusOr<std::string_view> bytes = Peek(1);
  if (bytes.ok()) impl_->Consume(bytes->size());
  return bytes;
}

absl::StatusOr<bool> LineReader::ReadLine(std::string* line, std::size_t max, bool* cut) {
  *cut = false;
  bool any = false;
  std::size_t room = max;
  for (;;) {
    const std::string_view unread = impl_->unread();
    const std::size_t newline = unread.find('\n');
    const std::size_t n = newline == std::string_view::npos ? unread.size() : newline + 1;
    const std::size_t kept = std::min(n, room);
    line->append(unread.substr(0, kept));
    room -= kept;
    *cut = *cut || kept < n;
    any = any || n > 0;
    impl_->Consume(n);
    if (newline != std::string_view::npos) return true;
    const absl::StatusOr<bool> more = impl_->Fill();
    if (!more.ok()) return more.status();
    if (!*more) return any;
  }
}

absl::StatusOr<std::string> ReadFile(const std::string& file, std::size_t max) {
  absl::StatusOr<LineReader> reader = LineReader::Open(file);
  if (!reader.ok()) return reader.status();
  std::string bytes;
  for (;;) {
    bool cut = false;
    const absl::StatusOr<bool> more = reader->ReadLine(&bytes, max - bytes.size(), &cut);
    if (!more.ok()) return more.status();
    if (cut)
      return absl::ResourceExhaustedError(
          absl::StrCat("is larger than the limit of ", max >> 20, " MiB"));
    if (!*more) return bytes;
  }
}

absl::Status WriteFileAtomically(const std::string& file, std::string_view bytes) {
  // In the same folder: rename(2) does not cross file systems.
  std::string temporary = absl::StrCat(file, ".XXXXXX");
  const int made = mkostemp(temporary.data(), O_CLOEXEC);
  if (made < 0) return SystemError("cannot be created", errno);
  Descriptor fd(made);
  // mkostemp makes files that only their owner can read.
  const mode_t mask = umask(0);
  umask(mask);
  absl::Status status = WriteAll(fd.get(), bytes);
  if (status.ok() && (fchmod(fd.get(), 0666 & ~mask) != 0 || fsync(fd.get()) != 0))
    status = SystemError("cannot be written", errno);
  if (fd.Close() != 0 && status.ok()) status = SystemError("cannot be written", errno);
  if (status.ok() && std::rename(temporary.c_str(), file.c_str()) != 0)
    status = SystemError("cannot be replaced", errno);
  if (!status.ok()) unlink(temporary.c_str());
  return status;
}

}  // namespace precedent::cli
