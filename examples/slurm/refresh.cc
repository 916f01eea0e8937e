// precedent-slurm-refresh: gives pending jobs the priorities that the policy gives them
// now, because they have waited, were restarted, or the policy is another one.
//
//   precedent-slurm-refresh --policy=/etc/slurm/policy.txtpb           # says what it would do
//   precedent-slurm-refresh --policy=/etc/slurm/policy.txtpb --apply   # as root, from a timer
//
// Held jobs (priority 0) are never touched, and neither are jobs without our record in
// admin_comment unless told. Exit code: 0 done, 1 Slurm refused something, 2 wrong usage.
#include <sys/wait.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <limits>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "examples/slurm/job.h"
#include "precedent/policy.h"
#include "src/json/document.h"

namespace precedent::slurm {
namespace {

constexpr char kUsage[] =
    "usage: precedent-slurm-refresh --policy=FILE [--apply] [--all] [--batch=N] [--most=N]\n"
    "                               [--queue=FILE]\n\n"
    "  --apply      change priorities; otherwise only say which\n"
    "  --all        also jobs that job_submit.lua left no record in\n"
    "  --batch=N    jobs in one call of scontrol; 100\n"
    "  --most=N     priorities changed in one run; 1000\n"
    "  --queue=F    what `squeue --json` printed, instead of asking it\n";

struct Options {
  std::string policy;
  std::string queue;
  bool apply = false;
  bool all = false;
  std::size_t batch = 100;
  std::size_t most = 1000;
};

bool ParseOptions(int argc, char** argv, Options* options) {
  for (int i = 1; i < argc; ++i) {
    absl::string_view arg = argv[i];
    if (arg == "--apply") {
      options->apply = true;
    } else if (arg == "--all") {
      options->all = true;
    } else if (absl::ConsumePrefix(&arg, "--policy=")) {
      options->policy = std::string(arg);
    } else if (absl::ConsumePrefix(&arg, "--queue=")) {
      options->queue = std::string(arg);
    } else if (absl::ConsumePrefix(&arg, "--batch=")) {
      if (!absl::SimpleAtoi(arg, &options->batch) || options->batch == 0) return false;
    } else if (absl::ConsumePrefix(&arg, "--most=")) {
      if (!absl::SimpleAtoi(arg, &options->most)) return false;
    } else {
      return false;
    }
  }
  return !options->policy.empty();
}

bool ReadFile(const std::string& path, std::string* text) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream all;
  all << file.rdbuf();
  *text = all.str();
  return static_cast<bool>(file);
}

// Only fixed words and numbers get into `command`. False unless it exits with 0.
bool Run(const std::string& command, std::string* output) {
  std::FILE* const pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return false;
  char buffer[65536];
  for (std::size_t n; (n = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) {
    output->append(buffer, n);
  }
  const int status = ::pclose(pipe);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// Newer versions of Slurm wrap a number as {set, infinite, number}.
std::optional<double> NumberOf(const json::Value& value) {
  if (!value.is_object()) return value.ScalarText() ? value.Number() : std::nullopt;
  if (!value.Get("set").Bool().value_or(false)) return std::nullopt;
  return value.Get("number").Number();
}

bool IsPending(const json::Value& state) {
  if (!state.is_array()) return state.ScalarText().value_or("") == "PENDING";
  for (const json::Value item : state.Items()) {
    if (item.ScalarText().value_or("") == "PENDING") return true;
  }
  return false;
}

SlurmJob ReadJob(const json::Value& value) {
  SlurmJob job;
  for (const char* field : {"name", "account", "partition", "qos", "user_name", "comment",
                            "admin_comment", "tres_per_job", "tres_per_node",
                            "tres_per_socket", "tres_per_task"}) {
    if (const auto text = value.Get(field).ScalarText()) job.texts[field] = *text;
  }
  for (const char* field : {"submit_time", "restart_cnt", "time_limit"}) {
    if (const auto number = NumberOf(value.Get(field))) job.numbers[field] = *number;
  }
  if (const auto nodes = NumberOf(value.Get("node_count"))) job.numbers["min_nodes"] = *nodes;
  if (const auto tasks = NumberOf(value.Get("tasks"))) job.numbers["num_tasks"] = *tasks;
  if (value.Get("requeue").ScalarText().value_or("true") == "false") job.numbers["requeue"] = 0;
  return job;
}

struct Changes {
  std::map<std::int32_t, std::vector<std::int64_t>> by_priority;
  std::size_t count = 0;
  std::size_t left = 0;
  TimePoint next = kForever;
};

Changes Find(const Options& options, const Evaluator& evaluator, TimePoint now,
             const json::Value& root) {
  Changes changes;
  for (const json::Value value : root.Get("jobs").Items()) {
    if (!IsPending(value.Get("job_state"))) continue;
    const double priority = NumberOf(value.Get("priority")).value_or(0);
    const std::optional<double> id = NumberOf(value.Get("job_id"));
    if (priority == 0 || !id.has_value()) continue;  // held
    const SlurmJob job = ReadJob(value);
    if (!options.all && job.text("admin_comment").find("precedent:") == std::string_view::npos) {
      continue;
    }
    const Description description(job);
    const Decision decision = evaluator.Evaluate(description.descriptor(), now);
    if (decision.valid_until < changes.next) changes.next = decision.valid_until;
    // 0 would hold it; what a policy puts there is last in the queue instead.
    const std::int32_t wanted = decision.priority > 0 ? decision.priority : 1;
    if (wanted == priority) continue;
    if (changes.count == options.most) {
      ++changes.left;
      continue;
    }
    std::cout << "job " << static_cast<std::int64_t>(*id) << ": " << absl::StrCat(priority)
              << " to " << wanted << "\n";
    changes.by_priority[wanted].push_back(static_cast<std::int64_t>(*id));
    ++changes.count;
  }
  return changes;
}

int Main(const Options& options) {
  std::string text;
  if (!ReadFile(options.policy, &text)) {
    std::cerr << options.policy << ": cannot be read\n";
    return 2;
  }
  const CompileResult policy = LoadPolicy(text);
  if (!policy.ok()) {
    for (const Issue& issue : policy.issues) {
      std::cerr << FormatIssue(issue, options.policy) << "\n";
    }
    return 2;
  }
  std::string queue;
  if (options.queue.empty() ? !Run("squeue --json", &queue) : !ReadFile(options.queue, &queue)) {
    std::cerr << "squeue --json: failed; is slurmctld there, and SLURM_CONF right\n";
    return 1;
  }
  const auto document = json::Document::Parse(queue, "squeue");
  if (!document.ok()) {
    std::cerr << std::string(document.status().message()) << "\n";
    return 1;
  }
  const TimePoint now = std::chrono::time_point_cast<std::chrono::microseconds>(
      std::chrono::system_clock::now());
  const Changes changes = Find(options, policy.policy->evaluator(), now, (*document)->root());
  if (!(*document)->status().ok()) {
    std::cerr << std::string((*document)->status().message()) << "; nothing was changed\n";
    return 1;
  }
  int code = 0;
  for (const auto& [priority, ids] : changes.by_priority) {
    for (std::size_t i = 0; options.apply && i < ids.size(); i += options.batch) {
      const auto end = ids.begin() + std::min(ids.size(), i + options.batch);
      std::string output;
      if (!Run(absl::StrCat("scontrol update jobid=", absl::StrJoin(ids.begin() + i, end, ","),
                            " priority=", priority),
               &output)) {
        code = 1;  // scontrol has said why: a job may have started meanwhile
      }
    }
  }
  std::cout << changes.count << (options.apply ? " changed" : " to change, see --apply");
  if (changes.left > 0) std::cout << ", " << changes.left << " left for the next run";
  if (changes.next != kForever) {
    std::cout << ", next due in "
              << std::chrono::duration_cast<std::chrono::seconds>(changes.next - now).count()
              << " s";
  }
  std::cout << "\n";
  return code;
}

}  // namespace
}  // namespace precedent::slurm

int main(int argc, char** argv) {
  precedent::slurm::Options options;
  if (!precedent::slurm::ParseOptions(argc, argv, &options)) {
    std::cerr << precedent::slurm::kUsage;
    return 2;
  }
  return precedent::slurm::Main(options);
}
