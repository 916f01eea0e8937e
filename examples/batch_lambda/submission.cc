#include "examples/batch_lambda/submission.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "src/json/document.h"
#include "src/json/object_editor.h"
#include "src/json/path.h"
#include "src/json/writer.h"

namespace precedent::batch_lambda {
namespace {

using json::ObjectEditor;
using json::Value;

constexpr std::size_t kMaxName = 128;
constexpr std::size_t kDigits = 32;
// An item of the table has at most 400 KB, and Batch takes far less.
constexpr std::size_t kMaxRequest = 256 << 10;
constexpr std::size_t kMaxId = 512;

// Members of SubmitJob and SubmitServiceJob. Any other whose value is no object or list is
// metadata; those that are, are left for Batch to judge, which may know more members.
constexpr std::string_view kMembers[] = {"jobName",
                                         "jobQueue",
                                         "jobDefinition",
                                         "shareIdentifier",
                                         "propagateTags",
                                         "schedulingPriorityOverride",
                                         "clientToken",
                                         "schedulingPriority",
                                         "serviceRequestPayload",
                                         "serviceJobType",
                                         "quotaShareName",
                                         "arrayProperties",
                                         "consumableResourcePropertiesOverride",
                                         "containerOverrides",
                                         "dependsOn",
                                         "ecsPropertiesOverride",
                                         "eksPropertiesOverride",
                                         "nodeOverrides",
                                         "parameters",
                                         "retryStrategy",
                                         "tags",
                                         "timeout",
                                         "timeoutConfig",
                                         "preemptionConfiguration"};

absl::string_view View(std::string_view text) { return {text.data(), text.size()}; }

std::string Text(Value value) { return std::string(value.String().value_or(std::string_view())); }

absl::Status Invalid(const std::string& message) { return absl::InvalidArgumentError(message); }

// Further members become tags, unless there is such a tag.
void TurnIntoTags(Value request, ObjectEditor& editor) {
  const Value own = request.Get("tags");
  ObjectEditor tags(own.present() ? *editor.Find("tags") : "{}");
  for (const auto& member : request.Members()) {
    if (member.value.is_object() || member.value.is_array()) continue;
    if (std::find(std::begin(kMembers), std::end(kMembers), member.key) != std::end(kMembers))
      continue;
    const std::string key = absl::StrReplaceAll(View(member.key), {{"_", "-"}});
    const auto text = member.value.ScalarText();
    if (!text.has_value()) continue;
    editor.Remove(member.key);
    if (!tags.Find(key).has_value()) tags.Set(key, json::Quote(*text));
  }
  if (tags.changed()) editor.Set("tags", tags.Text());
}

// The request in Batch's own form.
absl::Status ReadRequest(Value request, std::string_view text, std::string_view default_queue,
                         Submission& out) {
  out.service =
      request.Get("serviceJobType").present() || request.Get("serviceRequestPayload").present();
  const std::string name = Text(request.Get("jobName"));
  out.job_queue = Text(request.Get("jobQueue"));
  out.job_definition = Text(request.Get("jobDefinition"));
  if (name.empty()) return Invalid("jobName: is missing");
  if (!out.service && out.job_definition.empty()) return Invalid("jobDefinition: is missing");
  if (request.HasKey("tags") && !request.Get("tags").is_object()) {
    return Invalid("tags: must be an object");
  }
  ObjectEditor editor(text);
  if (out.job_queue.empty()) {
    if (default_queue.empty()) return Invalid("jobQueue: is missing, and there is no default");
    out.job_queue = std::string(default_queue);
    editor.Set("jobQueue", json::Quote(out.job_queue));
  }
  TurnIntoTags(request, editor);
  out.job_name = JobName(name, out.id);
  out.request = editor.Text();
  if (out.request.size() > kMaxRequest) {
    return Invalid(absl::StrCat("the request has ", out.request.size(), " bytes; at most ",
                                kMaxRequest, " are taken"));
  }
  return absl::OkStatus();
}

}  // namespace

std::string Digest(std::string_view text) {
  __extension__ using Wide = unsigned __int128;
  constexpr Wide kPrime = (Wide{1} << 88) + 0x13b;
  Wide hash = (Wide{0x6c62272e07bb0142} << 64) + 0x62b821756295c58d;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * kPrime;
  return absl::StrCat(absl::Hex(static_cast<std::uint64_t>(hash >> 64), absl::kZeroPad16),
                      absl::Hex(static_cast<std::uint64_t>(hash), absl::kZeroPad16));
}

std::string JobName(std::string_view wanted, std::string_view submission_id) {
  std::string name(wanted.substr(0, kMaxName - kDigits - 1));
  for (char& c : name) {
    if (!absl::ascii_isalnum(static_cast<unsigned char>(c)) && c != '-' && c != '_') c = '_';
  }
  if (name.empty() || !absl::ascii_isalnum(static_cast<unsigned char>(name[0]))) {
    name.insert(0, "j");
    name.resize(std::min(name.size(), kMaxName - kDigits - 1));
  }
  return absl::StrCat(name, "-", Digest(submission_id));
}

absl::StatusOr<Submission> ReadSubmission(std::string_view body, std::string_view message_id,
                                          std::string_view default_queue) {
  const auto document = json::Document::Parse(body);
  if (!document.ok()) return document.status();
  const Value root = (*document)->root();
  if (!root.is_object()) return Invalid("must be a JSON object");
  Submission out;
  out.id = std::string(message_id);
  Value request = root;
  std::string text(body);
  if (root.Get("request").is_object()) {
    request = root.Get("request");
    constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
    const std::string id = Text(root.Get("submissionId"));
    if (!id.empty()) out.id = id;
    out.chain = Text(root.Get("chain"));
    out.attempt = root.Get("attempt").Integer(1, 1'000'000).value_or(1);
    out.not_before = root.Get("notBefore").Integer(0, kMax).value_or(0);
    text = std::string(*ObjectEditor(body).Find("request"));
  }
  if (out.id.empty()) return Invalid("submissionId: is missing, and the message has no id");
  if (out.id.size() > kMaxId) {
    return Invalid(absl::StrCat("submissionId: has more than ", kMaxId, " bytes"));
  }
  if (out.chain.empty()) out.chain = out.id;
  absl::Status status = ReadRequest(request, text, default_queue, out);
  // What was met while reading says more than what is missing then.
  if (!(*document)->status().ok()) return (*document)->status();
  if (!status.ok()) return status;
  return out;
}

std::string Envelope(std::string_view chain, std::int64_t attempt, std::int64_t not_before,
                     std::string_view request) {
  std::string text = "{";
  json::AppendMember("submissionId", absl::StrCat(View(chain), "/", attempt), &text);
  json::AppendMember("chain", chain, &text);
  absl::StrAppend(&text, ",\"attempt\":", attempt, ",\"notBefore\":", not_before,
                  ",\"request\":", View(request), "}");
  return text;
}

}  // namespace precedent::batch_lambda
