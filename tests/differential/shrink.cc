#include "tests/differential/shrink.h"

#include <vector>

#include "google/protobuf/message.h"
#include "google/protobuf/text_format.h"

namespace precedent::differential {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

class Shrinker {
 public:
  Shrinker(Failure* failure, const StillFails& still_fails)
      : failure_(*failure), still_fails_(still_fails) {}

  // True if anything could go.
  bool Round() {
    bool smaller = ShrinkMessage(&failure_.policy);
    smaller |= ShrinkMessage(&failure_.job.job.facts);
    smaller |= ShrinkVector(&failure_.job.job.labels);
    smaller |= ShrinkVector(&failure_.job.job.metrics);
    if (failure_.job.job.submitted_us) {
      const auto submitted = failure_.job.job.submitted_us;
      failure_.job.job.submitted_us.reset();
      if (Fails()) {
        smaller = true;
      } else {
        failure_.job.job.submitted_us = submitted;
      }
    }
    return smaller;
  }

 private:
  bool Fails() { return tries_-- > 0 && still_fails_(failure_); }

  template <typename T>
  bool ShrinkVector(std::vector<T>* list) {
    bool smaller = false;
    for (std::size_t i = list->size(); i-- > 0;) {
      std::vector<T> before = *list;
      list->erase(list->begin() + static_cast<std::ptrdiff_t>(i));
      if (Fails()) {
        smaller = true;
      } else {
        *list = std::move(before);
      }
    }
    return smaller;
  }

  // Removes entries [begin, begin + count) of a repeated field.
  static void Remove(Message* message, const FieldDescriptor* field, int begin, int count) {
    const Reflection* reflection = message->GetReflection();
    const int size = reflection->FieldSize(*message, field);
    for (int i = begin; i + count < size; ++i)
      reflection->SwapElements(message, field, i, i + count);
    for (int i = 0; i < count; ++i) reflection->RemoveLast(message, field);
  }

  bool ShrinkMessage(Message* message) {
    bool smaller = false;
    std::vector<const FieldDescriptor*> fields;
    message->GetReflection()->ListFields(*message, &fields);
    for (const FieldDescriptor* field : fields) smaller |= ShrinkField(message, field);
    return smaller;
  }

  bool ShrinkField(Message* message, const FieldDescriptor* field) {
    const Reflection* reflection = message->GetReflection();
    bool smaller = false;
    if (field->is_repeated()) {
      for (int chunk = reflection->FieldSize(*message, field); chunk > 0; chunk /= 2) {
        for (int i = reflection->FieldSize(*message, field) - chunk; i >= 0; i -= chunk) {
          const std::unique_ptr<Message> before(message->New());
          before->CopyFrom(*message);
          Remove(message, field, i, chunk);
          if (Fails()) {
            smaller = true;
          } else {
            reflection->Swap(message, before.get());
          }
        }
      }
      if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE && !field->is_map())
        for (int i = 0; i < reflection->FieldSize(*message, field); ++i)
          smaller |= ShrinkMessage(reflection->MutableRepeatedMessage(message, field, i));
      return smaller;
    }
    const std::unique_ptr<Message> before(message->New());
    before->CopyFrom(*message);
    reflection->ClearField(message, field);
    if (Fails()) return true;
    reflection->Swap(message, before.get());
    if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE)
      smaller |= ShrinkMessage(reflection->MutableMessage(message, field));
    return smaller;
  }

  Failure& failure_;
  const StillFails& still_fails_;
  int tries_ = 5'000;
};

}  // namespace

Failure Shrink(Failure failure, const StillFails& still_fails) {
  Shrinker shrinker(&failure, still_fails);
  while (shrinker.Round()) {
  }
  return failure;
}

std::string ToText(const Failure& failure) {
  std::string policy;
  google::protobuf::TextFormat::PrintToString(failure.policy, &policy);
  return "policy:\n" + policy + "job:\n" + reference::ToText(failure.job.job) +
         "now_us: " + std::to_string(failure.job.now) + "\n";
}

}  // namespace precedent::differential
