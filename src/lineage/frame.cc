#include "src/lineage/frame.h"

#include <algorithm>
#include <array>

#include "absl/strings/str_cat.h"
#include "src/lineage/crc32c.h"

namespace precedent::lineage {
namespace {

constexpr std::size_t kHead = 8;

void PutNumber(std::uint32_t number, char* out) {
  for (int i = 0; i < 4; ++i) out[i] = static_cast<char>(number >> 8 * i);
}

std::uint32_t GetNumber(const char* in) {
  std::uint32_t number = 0;
  for (int i = 0; i < 4; ++i)
    number |= static_cast<std::uint32_t>(static_cast<unsigned char>(in[i])) << 8 * i;
  return number;
}

}  // namespace

absl::Status WriteRecord(const google::protobuf::MessageLite& message, std::ostream& out) {
  std::string record(kHead, '\0');
  if (message.ByteSizeLong() > kMaxRecord)
    return absl::InvalidArgumentError(absl::StrCat("a record of ", message.ByteSizeLong(),
                                                   " bytes is larger than ", kMaxRecord));
  if (!message.AppendToString(&record))
    return absl::InternalError("a record cannot be serialized");
  PutNumber(static_cast<std::uint32_t>(record.size() - kHead), record.data());
  const std::uint32_t crc =
      ExtendCrc32c(ExtendCrc32c(0, std::string_view(record).substr(0, 4)),
                   std::string_view(record).substr(kHead));
  PutNumber(crc, record.data() + 4);
  // In one piece: a crash leaves a part of one record at most.
  out.write(record.data(), static_cast<std::streamsize>(record.size()));
  if (!out) return absl::InternalError("the stream does not take a record");
  return absl::OkStatus();
}

bool RecordReader::Damaged(const char* what) {
  damage_ = absl::StrCat("record ", records_ + 1, " at byte ", bytes_, " ", what);
  return false;
}

bool RecordReader::Next(google::protobuf::MessageLite& message) {
  if (!damage_.empty()) return false;
  std::array<char, kHead> head;
  in_.read(head.data(), kHead);
  if (in_.gcount() == 0) return false;
  if (in_.gcount() < static_cast<std::streamsize>(kHead)) return Damaged("is cut in its head");
  const std::size_t length = GetNumber(head.data());
  if (length > kMaxRecord) return Damaged("says that it is longer than a record can be");
  // By and by: a damaged length costs no more memory than there are bytes.
  payload_.clear();
  while (payload_.size() < length) {
    const std::size_t before = payload_.size();
    payload_.resize(before + std::min<std::size_t>(length - before, 1 << 16));
    in_.read(payload_.data() + before, static_cast<std::streamsize>(payload_.size() - before));
    if (in_.gcount() < static_cast<std::streamsize>(payload_.size() - before))
      return Damaged("is cut");
  }
  const std::uint32_t crc = ExtendCrc32c(
      ExtendCrc32c(0, std::string_view(head.data(), 4)), std::string_view(payload_));
  if (crc != GetNumber(head.data() + 4)) return Damaged("does not have its checksum");
  if (!message.ParseFromString(payload_)) return Damaged("is no message of its kind");
  ++records_;
  bytes_ += kHead + length;
  return true;
}

}  // namespace precedent::lineage
