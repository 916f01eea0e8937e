#include "src/policy/fill.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "google/protobuf/descriptor.h"
#include "google/protobuf/timestamp.pb.h"
#include "src/policy/hint.h"
#include "src/policy/issue_sink.h"
#include "src/policy/parse_number.h"
#include "src/policy/path.h"
#include "src/text/cursor.h"

namespace precedent::internal {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::EnumDescriptor;
using google::protobuf::EnumValueDescriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::OneofDescriptor;
using google::protobuf::Reflection;

// A scalar on its way from a node to a field. After a problem it holds zeros: a list
// keeps one element for each item, so that indexes in paths stay those of the source.
struct Scalar {
  std::int64_t integer = 0;  // numbers of enums too
  double number = 0;
  bool boolean = false;
  std::string text;
};

// Whether a key that is no field can stand in a path as if it were one.
bool IsName(std::string_view key) {
  return !key.empty() && key.size() <= 60 &&
         std::all_of(key.begin(), key.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '_' || c == '-';
         });
}

class Filler {
 public:
  Filler(Dialect dialect, std::vector<Issue>* issues) : dialect_(dialect), sink_(issues) {}

  void Fill(const Node& node, Message* message) {
    if (message->GetDescriptor() == google::protobuf::Timestamp::descriptor() &&
        dialect_ == Dialect::kJson) {
      FillTimestamp(node, static_cast<google::protobuf::Timestamp*>(message));
      return;
    }
    if (!node.is_object()) {
      FailKind(node, "an object");
      return;
    }
    // Which fields and oneofs have been met, by index in the descriptor.
    std::vector<bool> fields(static_cast<std::size_t>(message->GetDescriptor()->field_count()));
    std::vector<const FieldDescriptor*> oneofs(
        static_cast<std::size_t>(message->GetDescriptor()->real_oneof_decl_count()));
    MapKeys keys;
    for (const Node& member : node.children) {
      const FieldDescriptor* field = FindField(*message->GetDescriptor(), member.key);
      Path::Scope scope(&path_);
      if (field != nullptr) {
        path_.Field(field->name());
      } else if (IsName(member.key)) {
        path_.Field(member.key);
      } else {
        path_.Key(member.key);
      }
      if (field == nullptr) {
        FailUnknownField(member, *message->GetDescriptor());
        continue;
      }
      const bool spread = dialect_ == Dialect::kText && field->is_repeated();
      auto met = fields[static_cast<std::size_t>(field->index())];
      if (met && !spread) {
        FailKey(member, "given twice", dialect_ == Dialect::kJson
                                           ? "once by each of its two names" : "");
        continue;
      }
      met = true;
      if (member.kind == Node::Kind::kNull) {
        Warn(member, "null counts as not set", "leave it out, or give it a value");
        continue;
      }
      if (const OneofDescriptor* oneof = field->real_containing_oneof()) {
        const FieldDescriptor*& chosen = oneofs[static_cast<std::size_t>(oneof->index())];
        if (chosen != nullptr) {
          FailKey(member, "`" + field->name() + "` stands beside `" + chosen->name() + "`",
                  "only one of " + Names(*oneof) + " may be given");
          continue;
        }
        chosen = field;
      }
      FillField(member, field, message, &keys);
    }
  }

 private:
  // Keys met in maps of one message; protobuf text spreads a map over many members.
  using MapKeys = std::unordered_set<std::string>;

  const FieldDescriptor* FindField(const Descriptor& descriptor, std::string_view name) const {
    const FieldDescriptor* field = descriptor.FindFieldByName(std::string(name));
    if (field != nullptr || dialect_ == Dialect::kText) return field;
    for (int i = 0; i < descriptor.field_count(); ++i)
      if (descriptor.field(i)->json_name() == name) return descriptor.field(i);
    return nullptr;
  }

  void FillField(const Node& node, const FieldDescriptor* field, Message* message,
                 MapKeys* keys) {
    const Reflection* reflection = message->GetReflection();
    if (field->is_map() && dialect_ == Dialect::kJson) {
      FillMap(node, field, message);
    } else if (field->is_repeated()) {
      FillRepeated(node, field, message, keys);
    } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      Fill(node, reflection->MutableMessage(message, field));
    } else {
      Scalar scalar;
      if (ReadScalar(node, field, &scalar)) Set(scalar, field, message);
    }
  }

  void FillRepeated(const Node& node, const FieldDescriptor* field, Message* message,
                    MapKeys* keys) {
    if (!node.is_list()) {
      if (dialect_ == Dialect::kText) {
        FillItem(node, field, message, keys);
      } else {
        FailKind(node, "a list");
      }
      return;
    }
    for (const Node& item : node.children) FillItem(item, field, message, keys);
  }

  void FillItem(const Node& item, const FieldDescriptor* field, Message* message,
                MapKeys* keys) {
    const Reflection* reflection = message->GetReflection();
    Path::Scope scope(&path_);
    if (field->is_map()) {
      FillTextEntry(item, field, message, keys);
      return;
    }
    path_.Index(static_cast<std::size_t>(reflection->FieldSize(*message, field)));
    if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      Fill(item, reflection->AddMessage(message, field));
    } else {
      Scalar scalar;
      ReadScalar(item, field, &scalar);
      Add(scalar, field, message);
    }
  }

  // A JSON map: an object from key to value.
  void FillMap(const Node& node, const FieldDescriptor* field, Message* message) {
    if (!node.is_object()) {
      FailKind(node, "an object");
      return;
    }
    for (const Node& member : node.children) {
      Path::Scope scope(&path_);
      path_.Key(member.key);
      FillEntry(member.key, &member, field, message);
    }
  }

  // A map in protobuf text: an entry with `key` and `value`, of which each may be
  // left out and then is empty.
  void FillTextEntry(const Node& node, const FieldDescriptor* field, Message* message,
                     MapKeys* keys) {
    if (!node.is_object()) {
      FailKind(node, "`{ key: ... value: ... }`");
      return;
    }
    const Node* key = nullptr;
    const Node* value = nullptr;
    for (const Node& member : node.children) {
      const Node** part = member.key == "key" ? &key : member.key == "value" ? &value : nullptr;
      Path::Scope scope(&path_);
      if (part == nullptr || *part != nullptr) path_.Field(member.key);
      if (part == nullptr) {
        FailKey(member, "unknown field", "an entry of a map has `key` and `value`");
      } else if (*part != nullptr) {
        FailKey(member, "given twice");
      } else {
        *part = &member;
      }
    }
    Scalar name;
    if (key != nullptr && !ReadScalar(*key, field->message_type()->map_key(), &name)) return;
    path_.Key(name.text);
    if (!keys->insert(field->name() + '\n' + name.text).second) {
      FailKey(node, "this key of the map is given twice");
      return;
    }
    FillEntry(name.text, value, field, message);
  }

  void FillEntry(std::string_view key, const Node* value, const FieldDescriptor* field,
                 Message* message) {
    const FieldDescriptor* value_field = field->message_type()->map_value();
    if (value != nullptr && value->kind == Node::Kind::kNull) {
      Fail(*value, "null is not a value of a map", "leave the key out, or give it a value");
      return;
    }
    // Read first: an entry whose value is no good must not be there with a zero.
    Scalar scalar;
    const bool is_message = value_field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
    if (!is_message && value != nullptr && !ReadScalar(*value, value_field, &scalar)) return;
    Message* entry = message->GetReflection()->AddMessage(message, field);
    entry->GetReflection()->SetString(entry, field->message_type()->map_key(), std::string(key));
    if (!is_message) {
      Set(scalar, value_field, entry);
    } else {
      Message* filled = entry->GetReflection()->MutableMessage(entry, value_field);
      if (value != nullptr) Fill(*value, filled);
    }
  }

  void FillTimestamp(const Node& node, google::protobuf::Timestamp* timestamp) {
    if (!node.is_string()) {
      FailKind(node, "a time such as \"2026-03-01T12:00:00Z\"");
      return;
    }
    std::int64_t seconds = 0;
    std::int32_t nanos = 0;
    if (!ParseRfc3339(node.text, &seconds, &nanos)) {
      Fail(node, Quote(node.text) + " is not a time", "RFC 3339, such as `2026-03-01T12:00:00Z`");
      return;
    }
    timestamp->set_seconds(seconds);
    timestamp->set_nanos(nanos);
  }

  bool ReadScalar(const Node& node, const FieldDescriptor* field, Scalar* scalar) {
    constexpr auto kInt32 = std::numeric_limits<std::int32_t>{};
    constexpr auto kInt64 = std::numeric_limits<std::int64_t>{};
    switch (field->cpp_type()) {
      case FieldDescriptor::CPPTYPE_BOOL: return ReadBoolean(node, &scalar->boolean);
      case FieldDescriptor::CPPTYPE_STRING: return ReadString(node, &scalar->text);
      case FieldDescriptor::CPPTYPE_ENUM:
        return ReadEnum(node, *field->enum_type(), &scalar->integer);
      case FieldDescriptor::CPPTYPE_DOUBLE:
      case FieldDescriptor::CPPTYPE_FLOAT: return ReadNumber(node, &scalar->number);
      case FieldDescriptor::CPPTYPE_INT32:
        return ReadInteger(node, kInt32.min(), kInt32.max(), &scalar->integer);
      case FieldDescriptor::CPPTYPE_UINT32:
        return ReadInteger(node, 0, std::numeric_limits<std::uint32_t>::max(), &scalar->integer);
      case FieldDescriptor::CPPTYPE_INT64:
        return ReadInteger(node, kInt64.min(), kInt64.max(), &scalar->integer);
      case FieldDescriptor::CPPTYPE_UINT64:  // above 2^63 is refused: no message here has it
        return ReadInteger(node, 0, kInt64.max(), &scalar->integer);
      case FieldDescriptor::CPPTYPE_MESSAGE: break;
    }
    return FailKind(node, "a value");
  }

  bool ReadBoolean(const Node& node, bool* value) {
    std::string_view text = node.text;
    bool known = node.kind == Node::Kind::kBoolean;
    if (dialect_ == Dialect::kText) {
      known = (node.kind == Node::Kind::kWord &&
               (text == "true" || text == "True" || text == "t" || text == "false" ||
                text == "False" || text == "f")) ||
              (node.is_number() && (text == "0" || text == "1"));
    }
    if (!known) return FailKind(node, "true or false");
    *value = text[0] == 't' || text[0] == 'T' || text[0] == '1';
    return true;
  }

  bool ReadString(const Node& node, std::string* value) {
    if (!node.is_string()) {
      const bool scalar = !node.is_list() && !node.is_object();
      return FailKind(node, "a string", scalar ? "put it in quotes" : "");
    }
    *value = std::string(node.text);
    return true;
  }

  bool ReadEnum(const Node& node, const EnumDescriptor& type, std::int64_t* value) {
    if (node.is_number()) {
      if (!ReadInteger(node, std::numeric_limits<std::int32_t>::min(),
                       std::numeric_limits<std::int32_t>::max(), value))
        return false;
      if (type.FindValueByNumber(static_cast<int>(*value)) != nullptr) return true;
      *value = 0;
      return Fail(node, Quote(node.text) + " is not the number of a value of " + type.name(),
                  DidYouMean("", ValueNames(type)));
    }
    const bool text = dialect_ == Dialect::kText;
    if (node.kind != (text ? Node::Kind::kWord : Node::Kind::kString))
      return FailKind(node, "a value of " + type.name(),
                      text && node.is_string() ? "leave the quotes away" : "");
    const EnumValueDescriptor* found = type.FindValueByName(std::string(node.text));
    if (found == nullptr)
      return Fail(node, Quote(node.text) + " is not a value of " + type.name(),
                  DidYouMean(node.text, ValueNames(type)));
    *value = found->number();
    return true;
  }

  bool ReadInteger(const Node& node, std::int64_t min, std::int64_t max, std::int64_t* value) {
    if (!node.is_number() && (dialect_ == Dialect::kText || !node.is_string()))
      return FailKind(node, "a whole number");
    std::int64_t read = 0;
    switch (ParseInteger(node.text, dialect_ == Dialect::kText, &read)) {
      case NumberError::kNone:
        if (read >= min && read <= max) {
          *value = read;
          return true;
        }
        [[fallthrough]];
      case NumberError::kOutOfRange:
        return Fail(node, Quote(node.text) + " is out of range",
                    "from " + std::to_string(min) + " to " + std::to_string(max));
      case NumberError::kFraction: return Fail(node, Quote(node.text) + " is not a whole number");
      case NumberError::kNotANumber: break;
    }
    return FailKind(node, "a whole number");
  }

  bool ReadNumber(const Node& node, double* value) {
    if (IsNonFinite(node)) return Fail(node, Quote(node.text) + " is not a finite number");
    if (!node.is_number() && (dialect_ == Dialect::kText || !node.is_string()))
      return FailKind(node, "a number");
    switch (ParseDouble(node.text, value)) {
      case NumberError::kNone: return true;
      case NumberError::kOutOfRange:
        *value = 0;
        return Fail(node, Quote(node.text) + " is out of range");
      default: *value = 0; return FailKind(node, "a number");
    }
  }

  // As proto3 JSON (in quotes) and protobuf text (words of any case) spell them.
  bool IsNonFinite(const Node& node) const {
    if (node.kind != Node::Kind::kString && node.kind != Node::Kind::kWord) return false;
    std::string word(node.text.substr(!node.text.empty() && node.text[0] == '-' ? 1 : 0));
    for (char& c : word)
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c | 0x20);
    if (node.is_string()) return dialect_ == Dialect::kJson && (word == "nan" || word == "infinity");
    return word == "nan" || word == "inf" || word == "infinity";
  }

  static void Set(const Scalar& scalar, const FieldDescriptor* field, Message* message) {
    const Reflection* reflection = message->GetReflection();
    const std::int64_t integer = scalar.integer;
    switch (field->cpp_type()) {
      case FieldDescriptor::CPPTYPE_BOOL:
        return reflection->SetBool(message, field, scalar.boolean);
      case FieldDescriptor::CPPTYPE_STRING:
        return reflection->SetString(message, field, scalar.text);
      case FieldDescriptor::CPPTYPE_ENUM:
        return reflection->SetEnumValue(message, field, static_cast<int>(integer));
      case FieldDescriptor::CPPTYPE_DOUBLE:
        return reflection->SetDouble(message, field, scalar.number);
      case FieldDescriptor::CPPTYPE_FLOAT:
        return reflection->SetFloat(message, field, static_cast<float>(scalar.number));
      case FieldDescriptor::CPPTYPE_INT32:
        return reflection->SetInt32(message, field, static_cast<std::int32_t>(integer));
      case FieldDescriptor::CPPTYPE_UINT32:
        return reflection->SetUInt32(message, field, static_cast<std::uint32_t>(integer));
      case FieldDescriptor::CPPTYPE_INT64: return reflection->SetInt64(message, field, integer);
      case FieldDescriptor::CPPTYPE_UINT64:
        return reflection->SetUInt64(message, field, static_cast<std::uint64_t>(integer));
      case FieldDescriptor::CPPTYPE_MESSAGE: return;
    }
  }

  static void Add(const Scalar& scalar, const FieldDescriptor* field, Message* message) {
    const Reflection* reflection = message->GetReflection();
    const std::int64_t integer = scalar.integer;
    switch (field->cpp_type()) {
      case FieldDescriptor::CPPTYPE_BOOL:
        return reflection->AddBool(message, field, scalar.boolean);
      case FieldDescriptor::CPPTYPE_STRING:
        return reflection->AddString(message, field, scalar.text);
      case FieldDescriptor::CPPTYPE_ENUM:
        return reflection->AddEnumValue(message, field, static_cast<int>(integer));
      case FieldDescriptor::CPPTYPE_DOUBLE:
        return reflection->AddDouble(message, field, scalar.number);
      case FieldDescriptor::CPPTYPE_FLOAT:
        return reflection->AddFloat(message, field, static_cast<float>(scalar.number));
      case FieldDescriptor::CPPTYPE_INT32:
        return reflection->AddInt32(message, field, static_cast<std::int32_t>(integer));
      case FieldDescriptor::CPPTYPE_UINT32:
        return reflection->AddUInt32(message, field, static_cast<std::uint32_t>(integer));
      case FieldDescriptor::CPPTYPE_INT64: return reflection->AddInt64(message, field, integer);
      case FieldDescriptor::CPPTYPE_UINT64:
        return reflection->AddUInt64(message, field, static_cast<std::uint64_t>(integer));
      case FieldDescriptor::CPPTYPE_MESSAGE: return;
    }
  }

  static std::vector<std::string_view> ValueNames(const EnumDescriptor& type) {
    std::vector<std::string_view> names;
    // The first is `..._UNSPECIFIED`, which nobody means.
    for (int i = 1; i < type.value_count(); ++i) names.push_back(type.value(i)->name());
    return names;
  }

  static std::string Names(const OneofDescriptor& oneof) {
    std::string names;
    for (int i = 0; i < oneof.field_count(); ++i)
      names += (i == 0 ? "`" : ", `") + oneof.field(i)->name() + "`";
    return names;
  }

  void FailUnknownField(const Node& member, const Descriptor& descriptor) {
    std::vector<std::string_view> names;
    for (int i = 0; i < descriptor.field_count(); ++i) {
      names.push_back(descriptor.field(i)->name());
      if (dialect_ == Dialect::kJson && descriptor.field(i)->json_name() != names.back())
        names.push_back(descriptor.field(i)->json_name());
    }
    FailKey(member, "unknown field", DidYouMean(member.key, names));
  }

  bool FailKind(const Node& node, std::string_view expected, std::string hint = {}) {
    std::string found;
    if (node.is_list() || node.is_object() || node.kind == Node::Kind::kNull) {
      found = KindName(node.kind);
      if (node.is_object() && dialect_ == Dialect::kText) found = "a message";
    } else {
      found = node.kind == Node::Kind::kString ? "the string " : "";
      found += Quote(node.text);
    }
    std::string message = "expected ";
    message += dialect_ == Dialect::kText && expected == "an object" ? "a message" : expected;
    return Fail(node, message + ", found " + found, std::move(hint));
  }

  bool Fail(const Node& node, std::string message, std::string hint = {}) {
    Report(Severity::kError, node.line, node.column, std::move(message), std::move(hint));
    return false;
  }
  void FailKey(const Node& node, std::string message, std::string hint = {}) {
    Report(Severity::kError, node.key_line != 0 ? node.key_line : node.line,
           node.key_line != 0 ? node.key_column : node.column, std::move(message),
           std::move(hint));
  }
  void Warn(const Node& node, std::string message, std::string hint) {
    Report(Severity::kWarning, node.line, node.column, std::move(message), std::move(hint));
  }
  void Report(Severity severity, std::uint32_t line, std::uint32_t column, std::string message,
              std::string hint) {
    Issue issue = ProblemAt(line, column, std::move(message), std::move(hint));
    issue.severity = severity;
    issue.path = path_.text();
    sink_.Add(std::move(issue));
  }

  const Dialect dialect_;
  IssueSink sink_;
  Path path_;
};

}  // namespace

void FillMessage(const Node& node, Message* message, std::vector<Issue>* issues,
                 Dialect dialect) {
  Filler(dialect, issues).Fill(node, message);
}

}  // namespace precedent::internal
