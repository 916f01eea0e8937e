#include "src/policy/check_message.h"

#include <string>
#include <string_view>
#include <utility>

#include "google/protobuf/descriptor.h"
#include "google/protobuf/unknown_field_set.h"
#include "src/policy/issue_sink.h"
#include "src/policy/path.h"
#include "src/policy/well_formed.h"
#include "src/text/utf8.h"

namespace precedent::internal {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

class MessageChecker {
 public:
  explicit MessageChecker(std::vector<Issue>* issues) : sink_(issues) {}

  void Check(const Message& message) {
    if (message.GetDescriptor() == v1::Rule::descriptor() &&
        IsWellFormed(static_cast<const v1::Rule&>(message)))
      return;
    const Reflection* reflection = message.GetReflection();
    const auto& unknown = reflection->GetUnknownFields(message);
    for (int i = 0; i < unknown.field_count(); ++i) {
      Path::Scope scope(&path_);
      path_.Field(std::to_string(unknown.field(i).number()));
      Fail("unknown field");
    }
    std::vector<const FieldDescriptor*> fields;
    reflection->ListFields(message, &fields);
    for (const FieldDescriptor* field : fields) {
      Path::Scope scope(&path_);
      path_.Field(field->name());
      if (!field->is_repeated()) {
        CheckValue(message, field, -1);
        continue;
      }
      const int size = reflection->FieldSize(message, field);
      for (int i = 0; i < size; ++i) {
        Path::Scope element(&path_);
        if (field->is_map()) {
          CheckEntry(reflection->GetRepeatedMessage(message, field, i), *field);
        } else {
          path_.Index(static_cast<std::size_t>(i));
          CheckValue(message, field, i);
        }
      }
    }
  }

 private:
  void CheckEntry(const Message& entry, const FieldDescriptor& field) {
    std::string scratch;
    const std::string& key = entry.GetReflection()->GetStringReference(
        entry, field.message_type()->map_key(), &scratch);
    if (!CheckText(key)) return;
    path_.Key(key);
    CheckValue(entry, field.message_type()->map_value(), -1);
  }

  // `index` of an element, or -1.
  void CheckValue(const Message& message, const FieldDescriptor* field, int index) {
    const Reflection* reflection = message.GetReflection();
    const bool one = index < 0;
    switch (field->cpp_type()) {
      case FieldDescriptor::CPPTYPE_MESSAGE:
        return Check(one ? reflection->GetMessage(message, field)
                         : reflection->GetRepeatedMessage(message, field, index));
      case FieldDescriptor::CPPTYPE_ENUM: {
        const int number = one ? reflection->GetEnumValue(message, field)
                               : reflection->GetRepeatedEnumValue(message, field, index);
        if (field->enum_type()->FindValueByNumber(number) == nullptr)
          Fail("`" + std::to_string(number) + "` is not the number of a value of " +
               field->enum_type()->name());
        return;
      }
      case FieldDescriptor::CPPTYPE_STRING: {
        std::string scratch;
        CheckText(one ? reflection->GetStringReference(message, field, &scratch)
                      : reflection->GetRepeatedStringReference(message, field, index, &scratch));
        return;
      }
      default: return;
    }
  }

  bool CheckText(const std::string& text) {
    if (!IsUtf8(text)) return Fail("the text is not UTF-8");
    if (text.find('\0') != std::string::npos) return Fail("NUL in a text");
    return true;
  }

  bool Fail(std::string message) {
    Issue issue;
    issue.path = path_.text();
    issue.message = std::move(message);
    sink_.Add(std::move(issue));
    return false;
  }

  IssueSink sink_;
  Path path_;
};

}  // namespace

void CheckMessage(const Message& message, std::vector<Issue>* issues) {
  MessageChecker(issues).Check(message);
}

}  // namespace precedent::internal
