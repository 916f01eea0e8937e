// Records in a stream, of which a reader can tell whether they are whole.
#ifndef PRECEDENT_SRC_LINEAGE_FRAME_H_
#define PRECEDENT_SRC_LINEAGE_FRAME_H_

#include <cstdint>
#include <istream>
#include <ostream>
#include <string>

#include "absl/status/status.h"
#include "google/protobuf/message_lite.h"

namespace precedent::lineage {

inline constexpr std::size_t kMaxRecord = std::size_t{64} << 20;

absl::Status WriteRecord(const google::protobuf::MessageLite& message, std::ostream& out);

class RecordReader {
 public:
  explicit RecordReader(std::istream& in) : in_(in) {}

  // False at the end, or where damage() says why.
  bool Next(google::protobuf::MessageLite& message);
  std::uint64_t records() const { return records_; }
  std::uint64_t bytes() const { return bytes_; }
  const std::string& damage() const { return damage_; }

 private:
  bool Damaged(const char* what);

  std::istream& in_;
  std::string payload_;
  std::uint64_t records_ = 0;
  std::uint64_t bytes_ = 0;
  std::string damage_;
};

}  // namespace precedent::lineage

#endif  // PRECEDENT_SRC_LINEAGE_FRAME_H_
