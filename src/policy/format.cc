// FormatPolicy: canonical protobuf text.
//
// Fields in the order of their numbers, maps in the order of their keys, numbers in
// the shortest form that reads back the same. A message stands on one line where it
// fits, else each of its fields begins a line. Not protobuf's printer: that knows
// either one line for everything or one for each field, and prints to standard error
// about texts that are not UTF-8.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "google/protobuf/descriptor.h"
#include "google/protobuf/message.h"
#include "precedent/policy.h"
#include "src/text/utf8.h"

namespace precedent {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

constexpr std::size_t kColumns = 100;
constexpr std::size_t kIndent = 2;

std::string QuotedText(std::string_view text) {
  // Invalid bytes as escapes: such a policy does not load, but nothing is lost.
  const bool utf8 = internal::IsUtf8(text);
  std::string quoted = "\"";
  for (char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (c == '\n') {
      quoted += "\\n";
    } else if (c == '\t') {
      quoted += "\\t";
    } else if (byte < 0x20 || byte == 0x7f || (byte >= 0x80 && !utf8)) {
      quoted += '\\';
      for (int shift : {6, 3, 0}) quoted += static_cast<char>('0' + (byte >> shift & 7));
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

std::string NumberText(double number) {
  if (std::isnan(number)) return "nan";
  if (std::isinf(number)) return number < 0 ? "-inf" : "inf";
  char buffer[32];
  const auto result = std::to_chars(buffer, buffer + sizeof buffer, number);
  return {buffer, result.ptr};
}

// A field and its value as they will be printed. A tree of them, so that each text
// is made once and its length is known before it is laid out.
struct Item {
  std::string name;   // `name: ` or `name `; empty for an element of a list
  std::string value;  // of a scalar
  char open = '\0';   // `{` or `[` of a message or a list
  std::vector<Item> items;
  std::size_t width = 0;  // on one line
};

void FinishWidth(Item* item) {
  item->width = item->name.size() + item->value.size();
  if (item->open == '\0') return;
  const std::size_t separator = item->open == '{' ? 1 : 2;
  for (const Item& inner : item->items) item->width += inner.width + separator;
  item->width += item->open == '{' ? 3 : 2;
}

std::vector<Item> Fields(const Message& message);

Item ScalarItem(std::string name, std::string value) {
  Item item;
  item.name = std::move(name);
  item.value = std::move(value);
  FinishWidth(&item);
  return item;
}

Item MessageItem(const std::string& name, const Message& message) {
  Item item;
  item.name = name + " ";
  item.open = '{';
  item.items = Fields(message);
  FinishWidth(&item);
  return item;
}

// `index` of an element, or -1.
std::string ScalarText(const Message& message, const FieldDescriptor* field, int index) {
  const Reflection* reflection = message.GetReflection();
  const bool one = index < 0;
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_BOOL:
      return (one ? reflection->GetBool(message, field)
                  : reflection->GetRepeatedBool(message, field, index))
                 ? "true"
                 : "false";
    case FieldDescriptor::CPPTYPE_STRING: {
      std::string scratch;
      return QuotedText(
          one ? reflection->GetStringReference(message, field, &scratch)
              : reflection->GetRepeatedStringReference(message, field, index, &scratch));
    }
    case FieldDescriptor::CPPTYPE_ENUM: {
      const int number = one ? reflection->GetEnumValue(message, field)
                             : reflection->GetRepeatedEnumValue(message, field, index);
      const auto* value = field->enum_type()->FindValueByNumber(number);
      return value != nullptr ? value->name() : std::to_string(number);
    }
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return NumberText(one ? reflection->GetDouble(message, field)
                            : reflection->GetRepeatedDouble(message, field, index));
    case FieldDescriptor::CPPTYPE_INT32:
      return std::to_string(one ? reflection->GetInt32(message, field)
                                : reflection->GetRepeatedInt32(message, field, index));
    case FieldDescriptor::CPPTYPE_INT64:
      return std::to_string(one ? reflection->GetInt64(message, field)
                                : reflection->GetRepeatedInt64(message, field, index));
    default: return {};  // a policy has no other types
  }
}

void AddRepeated(const Message& message, const FieldDescriptor* field, std::vector<Item>* items) {
  const Reflection* reflection = message.GetReflection();
  const int size = reflection->FieldSize(message, field);
  if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
    const std::size_t first = items->size();
    for (int i = 0; i < size; ++i) {
      const Message& element = reflection->GetRepeatedMessage(message, field, i);
      items->push_back(MessageItem(field->name(), element));
      if (!field->is_map()) continue;
      // Sorted by key; the key is shown even where it is empty.
      std::string scratch;
      items->back().value = element.GetReflection()->GetStringReference(
          element, field->message_type()->map_key(), &scratch);
    }
    if (!field->is_map()) return;
    std::sort(items->begin() + static_cast<std::ptrdiff_t>(first), items->end(),
              [](const Item& a, const Item& b) { return a.value < b.value; });
    for (std::size_t i = first; i < items->size(); ++i) (*items)[i].value.clear();
    return;
  }
  if (size == 1) {
    items->push_back(ScalarItem(field->name() + ": ", ScalarText(message, field, 0)));
    return;
  }
  Item list;
  list.name = field->name() + ": ";
  list.open = '[';
  for (int i = 0; i < size; ++i) list.items.push_back(ScalarItem("", ScalarText(message, field, i)));
  FinishWidth(&list);
  items->push_back(std::move(list));
}

std::vector<Item> Fields(const Message& message) {
  const Reflection* reflection = message.GetReflection();
  std::vector<const FieldDescriptor*> fields;
  reflection->ListFields(message, &fields);
  std::vector<Item> items;
  for (const FieldDescriptor* field : fields) {
    if (field->is_repeated()) {
      AddRepeated(message, field, &items);
    } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      items.push_back(MessageItem(field->name(), reflection->GetMessage(message, field)));
    } else {
      items.push_back(ScalarItem(field->name() + ": ", ScalarText(message, field, -1)));
    }
  }
  return items;
}

void PrintOnOneLine(const Item& item, std::string* text) {
  *text += item.name + item.value;
  if (item.open == '\0') return;
  *text += item.open;
  const bool message = item.open == '{';
  bool first = true;
  for (const Item& inner : item.items) {
    *text += message ? " " : first ? "" : ", ";
    PrintOnOneLine(inner, text);
    first = false;
  }
  *text += message ? (item.items.empty() ? "}" : " }") : "]";
}

void Print(const Item& item, std::size_t indent, std::string* text) {
  text->append(indent, ' ');
  if (item.open == '\0' || item.items.empty() || indent + item.width <= kColumns) {
    PrintOnOneLine(item, text);
    return;
  }
  *text += item.name + item.open + "\n";
  for (std::size_t i = 0; i < item.items.size(); ++i) {
    Print(item.items[i], indent + kIndent, text);
    if (item.open == '[' && i + 1 < item.items.size()) *text += ',';
    *text += '\n';
  }
  text->append(indent, ' ');
  *text += item.open == '{' ? '}' : ']';
}

}  // namespace

std::string FormatPolicy(const v1::Policy& policy) {
  std::string text;
  for (const Item& item : Fields(policy)) {
    Print(item, 0, &text);
    text += '\n';
  }
  // An empty text would not load: it is more likely a lost policy than an empty one.
  return text.empty() ? "# no stages\n" : text;
}

}  // namespace precedent
