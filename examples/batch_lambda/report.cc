#include "examples/batch_lambda/report.h"

#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "examples/batch_lambda/dead_letter.h"
#include "examples/batch_lambda/lineage_tags.h"
#include "examples/batch_lambda/service_priority.h"
#include "src/json/document.h"
#include "src/json/object_editor.h"

namespace precedent::batch_lambda {
namespace {

using json::ObjectEditor;
using json::Value;

constexpr int kTries = 8;
constexpr std::int64_t kMax = std::int64_t{1} << 53;

struct Report {
  std::string job_name;
  std::int64_t time = 0;  // milliseconds since 1970
  // As the tags have them; empty: not said.
  std::string step;
  std::string progress;
  std::string priority;
};

absl::StatusOr<Report> ReadReport(std::string_view event, absl::Time now) {
  const auto document = json::Document::Parse(event);
  if (!document.ok()) return document.status();
  const Value detail = (*document)->root().Get("detail");
  Report report;
  report.job_name = std::string(detail.Get("jobName").String().value_or(std::string_view()));
  report.time = detail.Get("time").Integer(0, kMax).value_or(-1);
  if (const Value step = detail.Get("step"); step.present()) {
    report.step =
        absl::StrCat(step.Integer(0, std::numeric_limits<std::int64_t>::max()).value_or(0));
  }
  const std::pair<const char*, std::string*> numbers[] = {{"progress", &report.progress},
                                                          {"reportedPriority", &report.priority}};
  for (const auto& [name, text] : numbers) {
    const Value number = detail.Get(name);
    if (!number.present()) continue;
    const double value = number.Number().value_or(0);
    if (name == std::string_view("progress") && !(value >= 0 && value <= 1)) {
      return absl::InvalidArgumentError("detail.progress: is not from 0 to 1");
    }
    *text = absl::StrCat(value);
  }
  if (!(*document)->status().ok()) return (*document)->status();
  if (report.job_name.empty()) return absl::InvalidArgumentError("detail.jobName: is absent");
  if (report.time < 0) {
    return absl::InvalidArgumentError("detail.time: is absent (milliseconds since 1970)");
  }
  // One from the future would keep all later ones out.
  if (report.time > absl::ToUnixMillis(now + absl::Minutes(10))) {
    return absl::InvalidArgumentError("detail.time: is more than 10 minutes from now");
  }
  return report;
}

absl::Status Keep(Work& work, const Report& report) {
  const std::string key = absl::StrCat("submission/", report.job_name);
  for (int i = 0; i < kTries; ++i) {
    const absl::StatusOr<std::optional<Item>> found = work.table.Get(key);
    if (!found.ok()) return found.status();
    if (!found->has_value()) {
      work.Count("ForeignEvents");
      return absl::OkStatus();
    }
    Item item = **found;
    const std::int64_t before = item.Number("reportTime");
    if (before > report.time) return absl::OkStatus();
    if (before < report.time) {
      Write write{key,
                  "SET reportTime = :time, reportStep = :step, reportProgress = :progress, "
                  "reportPriority = :priority",
                  before > 0 ? "reportTime = :old" : "attribute_not_exists(reportTime)",
                  {{"time", report.time},
                   {"step", report.step},
                   {"progress", report.progress},
                   {"priority", report.priority}}};
      if (before > 0) write.values.insert_or_assign("old", Attribute(before));
      const absl::StatusOr<bool> written = work.table.Put(write);
      if (!written.ok()) return written.status();
      if (!*written) continue;  // another report came in between
      work.Count("Reports");
      item.Set("reportTime", report.time);
      item.Set("reportStep", report.step);
      item.Set("reportProgress", report.progress);
      item.Set("reportPriority", report.priority);
    }
    // Also where it was kept before: who kept it may have died right after.
    const std::string job_id = item.Text("jobId");
    if (item.Text("jobKind") != "service" || job_id.empty()) return absl::OkStatus();
    return RefreshPriority(work, job_id, report.job_name, item);
  }
  return absl::UnavailableError("others keep reporting on this job");
}

}  // namespace

Verdict HandleReport(Work& work, std::string_view event, std::string_view message_id) {
  const absl::StatusOr<Report> report = ReadReport(event, work.now);
  absl::Status status =
      report.ok() ? Keep(work, *report)
                  : SendDeadLetter(work, event, message_id, std::string(report.status().message()));
  if (status.ok()) return Verdict::kDone;
  work.Log(absl::StrCat("report again later: ", status.message()));
  work.Count("Retries");
  return Verdict::kRetry;
}

std::string WithReport(std::string description, const Item& submission) {
  if (submission.Number("reportTime") == 0) return description;
  ObjectEditor editor(description);
  const std::string old(editor.Find("tags").value_or("{}"));
  ObjectEditor tags(old);
  const std::pair<const char*, std::string> said[] = {
      {kStepTag, submission.Text("reportStep")},
      {kProgressTag, submission.Text("reportProgress")},
      {kReportedPriorityTag, submission.Text("reportPriority")}};
  for (const auto& [key, text] : said) {
    if (!text.empty()) tags.Set(key, json::Quote(text));
  }
  editor.Set("tags", tags.Text());
  return editor.Text();
}

}  // namespace precedent::batch_lambda
