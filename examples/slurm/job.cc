#include "examples/slurm/job.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "examples/slurm/gpus.h"

namespace precedent::slurm {
namespace {

constexpr char kMark[] = "precedent:";
constexpr char kPrefix[] = "precedent.dev/";
constexpr std::size_t kRuleBytes = 160;

absl::string_view View(std::string_view text) { return {text.data(), text.size()}; }

std::optional<double> Number(const std::string& text) {
  double number = 0;
  if (!absl::SimpleAtod(text, &number) || !std::isfinite(number) || number < 0) {
    return std::nullopt;
  }
  return number;
}

}  // namespace

std::string_view SlurmJob::text(std::string_view name) const {
  const auto found = texts.find(name);
  return found == texts.end() ? std::string_view() : found->second;
}

std::optional<double> SlurmJob::number(std::string_view name) const {
  const auto found = numbers.find(name);
  if (found == numbers.end() || !std::isfinite(found->second) || found->second < 0) {
    return std::nullopt;
  }
  // NO_VAL8, NO_VAL16, NO_VAL and their infinities: fields of tasks have 16 bits.
  for (const double none : {65534.0, 65535.0, 4294967294.0, 4294967295.0}) {
    if (found->second == none) return std::nullopt;
  }
  return found->second;
}

std::int64_t SlurmJob::count(std::string_view name) const {
  return static_cast<std::int64_t>(std::min(number(name).value_or(0), 9007199254740992.0));
}

Record ParseRecord(std::string_view admin_comment) {
  Record record;
  const std::size_t mark = admin_comment.find(kMark);
  record.words = std::string(absl::StripAsciiWhitespace(View(admin_comment.substr(0, mark))));
  if (mark == admin_comment.npos) return record;
  for (absl::string_view token : absl::StrSplit(View(admin_comment.substr(mark)), ' ')) {
    double number = 0;
    std::int64_t failures = 0;
    if (absl::ConsumePrefix(&token, "gpus=")) {
      if (absl::SimpleAtod(token, &number) && number >= 0) record.gpus = number;
    } else if (absl::ConsumePrefix(&token, "nodes=")) {
      if (absl::SimpleAtod(token, &number) && number >= 1) record.nodes = number;
    } else if (absl::ConsumePrefix(&token, "accelerator=")) {
      record.accelerator = std::string(token);
    } else if (absl::ConsumePrefix(&token, "failures=")) {
      if (absl::SimpleAtoi(token, &failures) && failures > 0) record.failures = failures;
    }
  }
  return record;
}

void Description::CountGpus() {
  const SlurmJob& job = job_;
  const double nodes = job.number("min_nodes").value_or(1);
  const double tasks =
      job.number("num_tasks").value_or(nodes * job.number("ntasks_per_node").value_or(1));
  const struct {
    const char* field;
    double times;
  } fields[] = {{"tres_per_job", 1},
                {"tres_per_node", nodes},
                {"tres_per_socket", nodes * job.number("sockets_per_node").value_or(1)},
                {"tres_per_task", tasks}};
  double most = 0;
  for (const auto& [field, times] : fields) {
    const std::optional<Gpus> gpus = ParseGpus(job.text(field));
    if (!gpus.has_value()) {
      error_ = absl::StrCat(field, ": `", View(job.text(field)),
                            "` is no list of GPUs: write it as `gpu:2` or `gpu:a100:2`");
      continue;
    }
    if (record_.accelerator.empty()) record_.accelerator = gpus->type;
    most = std::max(most, gpus->count * times);
    if (times == 1 && most > 0 && field == fields[0].field) break;  // the whole job's
  }
  record_.gpus = most;
}

// Tokens `key=value` between blanks, commas and semicolons; the first of a key counts.
void Description::ReadMetadata(std::string_view text, bool verified) {
  for (absl::string_view token :
       absl::StrSplit(View(text), absl::ByAnyChar(" \t\n,;"), absl::SkipEmpty())) {
    const std::size_t equals = token.find('=');
    if (equals == token.npos || equals == 0) continue;
    absl::string_view key = token.substr(0, equals);
    absl::ConsumePrefix(&key, kPrefix);
    metadata_.try_emplace(std::string(key), std::string(token.substr(equals + 1)), verified);
  }
}

Description::Description(SlurmJob moved)
    : job_(std::move(moved)), record_(ParseRecord(job_.text("admin_comment"))) {
  const SlurmJob& job = job_;
  if (!record_.gpus.has_value()) {
    CountGpus();
    record_.nodes = job.number("min_nodes").value_or(1);
  }
  record_.failures = std::max(record_.failures, job.count("failures"));
  ReadMetadata(record_.words, true);
  ReadMetadata(job.text("comment"), false);
  ReadMetadata(job.text("name"), false);

  // Slurm puts a list of partitions in an order of its own.
  std::vector<absl::string_view> partitions = absl::StrSplit(View(job.text("partition")), ',');
  std::sort(partitions.begin(), partitions.end());
  partition_ = absl::StrJoin(partitions, ",");

  JobDescriptor& d = descriptor_;
  d.kind = "SlurmJob";
  d.team = job.text("account");
  d.user = job.text("user_name");
  d.queue = partition_;
  d.requested_class = job.text("qos");
  d.accelerator = record_.accelerator;
  d.gpu_count = *record_.gpus;
  d.pod_count = record_.nodes;
  if (const auto limit = job.number("time_limit")) d.max_runtime_seconds = *limit * 60;
  if (const auto submitted = job.number("submit_time"); submitted && *submitted < 1e11) {
    d.submitted = TimePoint(std::chrono::seconds(static_cast<std::int64_t>(*submitted)));
  }

  bool labels_verified = true;
  for (const auto& entry : metadata_) {
    const std::string& key = entry.first;
    const std::string& text = entry.second.first;
    const bool verified = entry.second.second;
    std::uint32_t claimed = 0;
    const auto number = [&](Attribute attribute, double* field) {
      claimed = Bit(attribute);
      const std::optional<double> parsed = Number(text);
      if (parsed.has_value()) {
        *field = *parsed;
      } else {
        error_ = absl::StrCat("`", key, "=", text, "`: is no number that is not negative");
      }
    };
    if (key == "workload-type") {
      d.workload_type = text;
      claimed = Bit(Attribute::kWorkloadType);
    } else if (key == "environment") {
      d.environment = text;
      claimed = Bit(Attribute::kEnvironment);
    } else if (key == "preemptible") {
      d.preemptible = text == "true" || text == "yes" || text == "1";
      claimed = Bit(Attribute::kPreemptible);
    } else if (key == "dataset-bytes") {
      number(Attribute::kDatasetBytes, &d.dataset_bytes);
    } else if (key == "checkpoint-interval-seconds") {
      number(Attribute::kCheckpointIntervalSeconds, &d.checkpoint_interval_seconds);
    } else {
      labels_.push_back({key, text});
      labels_verified = labels_verified && verified;
    }
    if (!verified) d.claimed |= claimed;
  }
  d.labels = labels_;
  if (!labels_verified) d.claimed |= Bit(Attribute::kLabels);
  // Who may not be started again has not agreed to be evicted.
  if (job.number("requeue").value_or(1) == 0) d.preemptible = false;

  d.lineage.failure_count = record_.failures;
  const auto restarts = job.count("restart_cnt");
  if (restarts > 0) {
    d.lineage.attempt = restarts + 1;
    (d.preemptible ? d.lineage.preemption_count : d.lineage.infrastructure_failure_count) =
        restarts;
    d.lineage.retry_of_preempted = d.preemptible;
  }
  // Accounting knows why.
  if (job.number("preempted").has_value()) {
    d.lineage.preemption_count = job.count("preempted");
    d.lineage.infrastructure_failure_count = job.count("lost");
    d.lineage.retry_of_preempted = job.count("last_run_preempted") != 0;
    d.lineage.predecessor_runtime_seconds = job.number("last_run_seconds").value_or(kAbsent);
  }
}

std::string Description::Note(const Evaluator* evaluator, const Decision& decision,
                              TimePoint now) const {
  std::string note = record_.words;
  absl::StrAppend(&note, note.empty() ? "" : " ", kMark, " ", decision.priority,
                  " gpus=", *record_.gpus);
  if (!record_.accelerator.empty()) {
    absl::StrAppend(&note, " accelerator=", absl::StrReplaceAll(record_.accelerator, {{" ", "_"}}));
  }
  if (record_.nodes != 1) absl::StrAppend(&note, " nodes=", record_.nodes);
  if (record_.failures > 0) absl::StrAppend(&note, " failures=", record_.failures);
  if (evaluator == nullptr || decision.reason != Reason::kDerived) {
    return absl::StrCat(note, " ", View(ReasonName(decision.reason)));
  }
  std::uint32_t rules[16];
  const std::size_t count = evaluator->AppliedRules(descriptor_, now, rules);
  std::string ids;
  for (std::size_t i = 0; i < std::min<std::size_t>(count, 16); ++i) {
    const std::string_view id = evaluator->rule(rules[i]).id;
    if (ids.size() + id.size() > kRuleBytes) break;
    absl::StrAppend(&ids, ids.empty() ? "" : ",", View(id));
  }
  return absl::StrCat(note, " rules=", ids);
}

}  // namespace precedent::slurm
