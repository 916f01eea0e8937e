// A fault in every field that a policy can have: none is passed over.
#include <gtest/gtest.h>

#include <string>

#include "google/protobuf/descriptor.h"
#include "google/protobuf/descriptor.pb.h"
#include "google/protobuf/unknown_field_set.h"
#include "tests/unit/policy_load/report.h"

namespace precedent {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

class Faults {
 public:
  // Puts them into `at`, which is part of the policy, one at a time.
  void Visit(Message* at, const std::string& path) {
    const Reflection& reflection = *at->GetReflection();
    reflection.MutableUnknownFields(at)->AddVarint(1000, 1);
    Expect("1000: unknown field", path);
    reflection.MutableUnknownFields(at)->Clear();
    for (int i = 0; i < at->GetDescriptor()->field_count(); ++i)
      VisitField(at, at->GetDescriptor()->field(i), path);
  }

  v1::Policy& policy() { return policy_; }
  int count() const { return count_; }

 private:
  void VisitField(Message* at, const FieldDescriptor* field, const std::string& path) {
    const Reflection& reflection = *at->GetReflection();
    const std::string inner = path + "." + field->name();
    if (field->is_map()) {
      map_of_ = at;
      map_ = field;
      Message* entry = reflection.AddMessage(at, field);
      VisitField(entry, field->message_type()->map_key(), inner);
      VisitField(entry, field->message_type()->map_value(), inner);
      map_of_ = nullptr;
    } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      Visit(field->is_repeated() ? reflection.AddMessage(at, field)
                                 : reflection.MutableMessage(at, field),
            inner);
    } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
      for (const auto& [text, message] :
           {std::pair<std::string, const char*>{"a\xff", "the text is not UTF-8"},
            {std::string("a\0b", 3), "NUL in a text"}}) {
        if (field->is_repeated()) {
          reflection.AddString(at, field, text);
        } else {
          reflection.SetString(at, field, text);
        }
        Expect(message, inner);
        reflection.ClearField(at, field);
      }
    } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_ENUM) {
      if (field->is_repeated()) {
        reflection.AddEnumValue(at, field, 99);
      } else {
        reflection.SetEnumValue(at, field, 99);
      }
      Expect("`99` is not the number", inner);
    }
    if (!at->GetDescriptor()->options().map_entry()) reflection.ClearField(at, field);
  }

  void Expect(const std::string& message, const std::string& where) {
    ++count_;
    // The map is told that its entry has changed.
    if (map_of_ != nullptr) map_of_->GetReflection()->MutableRepeatedMessage(map_of_, map_, 0);
    EXPECT_NE(Report(CompilePolicy(policy_).issues).find(message), std::string::npos)
        << where << ": " << message;
  }

  v1::Policy policy_;
  Message* map_of_ = nullptr;  // what has the map that is being visited
  const FieldDescriptor* map_ = nullptr;
  int count_ = 0;
};

TEST(WellFormed, NoFaultOfAMessageIsPassedOver) {
  Faults faults;
  faults.Visit(&faults.policy(), "policy");
  EXPECT_GT(faults.count(), 200);
}

}  // namespace
}  // namespace precedent
