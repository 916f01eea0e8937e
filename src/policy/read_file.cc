#include "src/policy/read_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "absl/strings/str_cat.h"

namespace precedent::internal {
namespace {

std::string SystemError(int error) {
  std::string why = std::generic_category().message(error);
  if (!why.empty() && why[0] >= 'A' && why[0] <= 'Z') why[0] = static_cast<char>(why[0] + 32);
  return absl::StrCat("cannot be read: ", why);
}

std::string CheckKind(const struct stat& info, std::size_t max_bytes) {
  if (S_ISDIR(info.st_mode)) return "is a directory: name the file in it";
  if (!S_ISREG(info.st_mode)) return "is not a regular file";
  if (info.st_size > 0 && static_cast<std::size_t>(info.st_size) > max_bytes)
    return absl::StrCat("has ", info.st_size, " bytes, more than the limit of ", max_bytes);
  return "";
}

std::string ReadAll(int fd, std::size_t max_bytes, std::string* bytes) {
  struct stat info;
  if (fstat(fd, &info) != 0) return SystemError(errno);
  // Again: another file may have taken the path since.
  if (std::string wrong = CheckKind(info, max_bytes); !wrong.empty()) return wrong;
  std::size_t size = 0;
  bytes->resize(static_cast<std::size_t>(info.st_size) + 1);  // one more finds the end
  while (true) {
    const ssize_t n = read(fd, &(*bytes)[size], bytes->size() - size);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return SystemError(errno);
    if (n == 0) break;
    size += static_cast<std::size_t>(n);
    if (size > max_bytes) return absl::StrCat("has more than the limit of ", max_bytes, " bytes");
    if (size == bytes->size()) bytes->resize(std::min(2 * size, max_bytes + 1));
  }
  bytes->resize(size);
  return "";
}

}  // namespace

std::string ReadRegularFile(const std::string& path, std::size_t max_bytes, std::string* bytes) {
  // Looks before it opens: opening alone can have effects on a device.
  struct stat info;
  if (stat(path.c_str(), &info) != 0) return SystemError(errno);
  if (std::string wrong = CheckKind(info, max_bytes); !wrong.empty()) return wrong;
  int fd;
  do fd = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  while (fd < 0 && errno == EINTR);
  if (fd < 0) return SystemError(errno);
  std::string wrong = ReadAll(fd, max_bytes, bytes);
  close(fd);
  return wrong;
}

}  // namespace precedent::internal
