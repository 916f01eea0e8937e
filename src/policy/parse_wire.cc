#include "src/policy/parse_wire.h"

#include <cstdint>
#include <limits>
#include <string>
#include <unordered_map>
#include <utility>

#include "google/protobuf/descriptor.h"
#include "google/protobuf/wire_format.h"
#include "google/protobuf/wire_format_lite.h"
#include "src/policy/issue_sink.h"
#include "src/policy/path.h"
#include "src/text/utf8.h"

namespace precedent::internal {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::internal::WireFormat;
using google::protobuf::internal::WireFormatLite;

constexpr int kDeepest = 100;

class WireWalker {
 public:
  WireWalker(std::string_view bytes, std::vector<Issue>* issues)
      : bytes_(bytes), sink_(issues) {}

  // False if the bytes are damaged, after which there is no going on.
  bool Message(const Descriptor& type, std::size_t end, int depth) {
    if (depth > kDeepest)
      return Damage("nested deeper than " + std::to_string(kDeepest) + " levels");
    // Elements met of each repeated field, for indexes.
    std::unordered_map<int, std::size_t> counts;
    while (at_ < end) {
      std::uint64_t tag = 0;
      if (!Varint(end, &tag)) return false;
      if (tag > std::numeric_limits<std::uint32_t>::max() || tag >> 3 == 0)
        return Damage("a field with the impossible tag " + std::to_string(tag));
      const int number = static_cast<int>(tag >> 3);
      const auto wire_type = static_cast<unsigned>(tag & 7);
      const FieldDescriptor* field = type.FindFieldByNumber(number);
      Path::Scope scope(&path_);
      if (field == nullptr) {
        path_.Field(std::to_string(number));
        Fail("unknown field", "made by a newer release, or not a policy");
        if (!Skip(wire_type, end)) return false;
        continue;
      }
      path_.Field(field->name());
      if (!Field(*field, wire_type, end, &counts[number], depth)) return false;
    }
    return true;
  }

 private:
  bool Field(const FieldDescriptor& field, unsigned wire_type, std::size_t end,
             std::size_t* count, int depth) {
    const bool packed =
        field.is_packable() && wire_type == WireFormatLite::WIRETYPE_LENGTH_DELIMITED;
    if (!packed && wire_type != WireFormat::WireTypeForFieldType(field.type())) {
      Fail("has the wire type " + std::to_string(wire_type) + ", which is not that of " +
           std::string(field.type_name()));
      return Skip(wire_type, end);
    }
    if (packed || wire_type != WireFormatLite::WIRETYPE_LENGTH_DELIMITED)
      return Skip(wire_type, end);  // numbers: the checks look at their values
    std::size_t length = 0;
    if (!Length(end, &length)) return false;
    if (field.is_repeated() && !field.is_map()) path_.Index((*count)++);
    if (field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE)
      return Message(*field.message_type(), at_ + length, depth + 1);
    const std::string_view text = bytes_.substr(at_, length);
    if (field.type() == FieldDescriptor::TYPE_STRING) {
      if (!IsUtf8(text)) Fail("the text is not UTF-8");
      else if (text.find('\0') != std::string_view::npos) Fail("NUL in a text");
    }
    at_ += length;
    return true;
  }

  bool Varint(std::size_t end, std::uint64_t* value) {
    *value = 0;
    for (int shift = 0; shift < 70; shift += 7) {
      if (at_ >= end) return Damage("the bytes end in the middle of a field");
      const auto byte = static_cast<unsigned char>(bytes_[at_++]);
      *value |= static_cast<std::uint64_t>(byte & 0x7fu) << (shift < 64 ? shift : 0);
      if (byte < 0x80) return true;
    }
    return Damage("a number of more than ten bytes");
  }

  bool Length(std::size_t end, std::size_t* length) {
    std::uint64_t value = 0;
    if (!Varint(end, &value)) return false;
    if (value > end - at_) return Damage("the bytes end in the middle of a field");
    *length = static_cast<std::size_t>(value);
    return true;
  }

  bool Skip(unsigned wire_type, std::size_t end) {
    std::size_t length = 0;
    std::uint64_t unused = 0;
    switch (wire_type) {
      case WireFormatLite::WIRETYPE_VARINT: return Varint(end, &unused);
      case WireFormatLite::WIRETYPE_FIXED64: length = 8; break;
      case WireFormatLite::WIRETYPE_FIXED32: length = 4; break;
      case WireFormatLite::WIRETYPE_LENGTH_DELIMITED:
        if (!Length(end, &length)) return false;
        break;
      default: return Damage("groups are not read");
    }
    if (length > end - at_) return Damage("the bytes end in the middle of a field");
    at_ += length;
    return true;
  }

  bool Damage(const std::string& what) {
    Fail("not a policy in wire format: " + what + " (at byte " + std::to_string(at_) + ")");
    return false;
  }
  void Fail(std::string message, std::string hint = {}) {
    Issue issue;
    issue.path = path_.text();
    issue.message = std::move(message);
    issue.hint = std::move(hint);
    sink_.Add(std::move(issue));
  }

  const std::string_view bytes_;
  std::size_t at_ = 0;
  IssueSink sink_;
  Path path_;
};

}  // namespace

void ParseWire(std::string_view bytes, google::protobuf::Message* message,
               std::vector<Issue>* issues) {
  if (bytes.size() > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
    Issue issue;
    issue.message = "longer than 2 GiB";
    issues->push_back(std::move(issue));
    return;
  }
  const std::size_t before = issues->size();
  WireWalker(bytes, issues).Message(*message->GetDescriptor(), bytes.size(), 0);
  // Invalid UTF-8 would make protobuf print; nobody may use the message anyway.
  if (issues->size() != before) return;
  if (!message->ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    Issue issue;
    issue.message = "not a policy in wire format";
    issues->push_back(std::move(issue));
  }
}

}  // namespace precedent::internal
