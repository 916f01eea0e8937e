// Reads a policy file without trusting what lies at its path.
#ifndef PRECEDENT_SRC_POLICY_READ_FILE_H_
#define PRECEDENT_SRC_POLICY_READ_FILE_H_

#include <cstddef>
#include <string>

namespace precedent::internal {

// The bytes of the regular file at `path` into `*bytes`. Empty on success, else what is
// wrong, without the path. Waits for no writer of a FIFO, opens no device, and reads no
// more than `max_bytes` and one.
std::string ReadRegularFile(const std::string& path, std::size_t max_bytes, std::string* bytes);

}  // namespace precedent::internal

#endif  // PRECEDENT_SRC_POLICY_READ_FILE_H_
