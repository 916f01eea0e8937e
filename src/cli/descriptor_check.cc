#include "src/cli/descriptor_check.h"

#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/message.h"

namespace precedent::cli {
namespace {

using google::protobuf::FieldDescriptor;

void Add(std::string path, std::string message, std::vector<Issue>* issues) {
  Issue issue;
  issue.path = std::move(path);
  issue.message = std::move(message);
  issues->push_back(std::move(issue));
}

void CheckNumber(const std::string& path, double number, bool may_be_negative,
                 std::vector<Issue>* issues) {
  if (std::isnan(number))
    Add(path, "is NaN: leave a number out that is not known", issues);
  else if (std::isinf(number))
    Add(path, "is infinite: leave a number out that has no limit", issues);
  else if (number < 0 && !may_be_negative)
    Add(path, absl::StrCat("is negative: `", number, "`"), issues);
}

// All singular numbers of the message: those that are added later too.
void CheckNumbers(const google::protobuf::Message& message, const std::string& prefix,
                  std::vector<Issue>* issues) {
  const auto* reflection = message.GetReflection();
  std::vector<const FieldDescriptor*> fields;
  reflection->ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    if (field->is_repeated()) continue;
    const std::string path = prefix + field->name();
    if (field->cpp_type() == FieldDescriptor::CPPTYPE_DOUBLE)
      CheckNumber(path, reflection->GetDouble(message, field), field->name() == "reported_priority",
                  issues);
    else if (field->cpp_type() == FieldDescriptor::CPPTYPE_INT64 &&
             reflection->GetInt64(message, field) < 0)
      Add(path, absl::StrCat("is negative: `", reflection->GetInt64(message, field), "`"), issues);
  }
}

void CheckSubmitted(const google::protobuf::Timestamp& time, std::vector<Issue>* issues) {
  if (time.seconds() < -62'135'596'800 || time.seconds() > 253'402'300'799)
    Add("submitted", "is not between the years 1 and 9999", issues);
  else if (time.nanos() < 0 || time.nanos() > 999'999'999)
    Add("submitted", absl::StrCat("`", time.nanos(), "` is no count of nanoseconds in a second"),
        issues);
}

}  // namespace

void CheckDescriptor(const v1::JobDescriptor& job, std::vector<Issue>* issues) {
  CheckNumbers(job, "", issues);
  CheckNumbers(job.lineage(), "lineage.", issues);
  if (job.has_submitted()) CheckSubmitted(job.submitted(), issues);
  // Sorted: a protobuf map has no order of its own.
  for (const auto& [name, value] :
       std::map<std::string, double>(job.metrics().begin(), job.metrics().end()))
    CheckNumber(absl::StrCat("metrics[\"", name, "\"]"), value, true, issues);
  for (const auto& [name, count] :
       std::map<std::string, std::int64_t>(job.devices().begin(), job.devices().end()))
    if (count < 0)
      Add(absl::StrCat("devices[\"", name, "\"]"), absl::StrCat("is negative: `", count, "`"),
          issues);
  for (int i = 0; i < job.claimed_size(); ++i)
    if (job.claimed(i) == v1::ATTRIBUTE_UNSPECIFIED || !v1::Attribute_IsValid(job.claimed(i)))
      Add(absl::StrCat("claimed[", i, "]"),
          absl::StrCat("`", static_cast<int>(job.claimed(i)), "` is no attribute"), issues);
  for (int i = 0; i < job.parents_size(); ++i)
    if (!v1::Parent::Relation_IsValid(job.parents(i).relation()))
      Add(absl::StrCat("parents[", i, "].relation"),
          absl::StrCat("`", static_cast<int>(job.parents(i).relation()), "` is no relation"),
          issues);
}

}  // namespace precedent::cli
