// precedent-slurm-refresh: gives pending jobs the priorities that the policy gives them
// now, because they have waited, were restarted, or the policy is another one.
//
//   precedent-slurm-refresh --policy=/etc/slurm/policy.txtpb           # says what it would do
//   precedent-slurm-refresh --policy=/etc/slurm/policy.txtpb --apply   # as root, from a timer
//
// Held jobs (priority 0) are never touched, and neither are jobs without our record in
// admin_comment unless told. Exit code: 0 done, 1 Slurm refused something, 2 wrong usage.
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "examples/slurm/accounting.h"
#include "examples/slurm/job.h"
#include "examples/slurm/queue.h"
#include "precedent/policy.h"
#include "src/json/document.h"

namespace precedent::slurm {
namespace {

constexpr char kUsage[] =
    "usage: precedent-slurm-refresh --policy=FILE [--apply] [--all] [--batch=N] [--most=N]\n"
    "                               [--since=DAYS] [--queue=FILE]\n\n"
    "  --apply      change priorities; otherwise only say which\n"
    "  --all        also jobs that job_submit.lua left no record in\n"
    "  --batch=N    jobs in one call of scontrol; 100\n"
    "  --most=N     priorities changed in one run, those furthest off; 1000\n"
    "  --since=N    days of accounting that count, where sacct has it; 7. 0: do not ask\n"
    "  --queue=F    what `squeue --json` printed, instead of asking it\n";

struct Options {
  std::string policy;
  std::string queue;
  bool apply = false;
  bool all = false;
  std::size_t batch = 100;
  std::size_t most = 1000;
  std::uint32_t since = 7;
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
    } else if (absl::ConsumePrefix(&arg, "--since=")) {
      if (!absl::SimpleAtoi(arg, &options->since)) return false;
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

struct Change {
  std::string address;
  double from;
  std::int32_t to;
};

struct Changes {
  std::vector<Change> now;
  std::size_t left = 0;
  TimePoint next = kForever;
};

Changes Find(const Options& options, const Evaluator& evaluator, TimePoint now,
             const Accounting& accounting, std::vector<WaitingJob> queue) {
  Changes changes;
  for (WaitingJob& waiting : queue) {
    SlurmJob& job = waiting.job;
    if (!options.all && job.text("admin_comment").find("precedent:") == std::string_view::npos) {
      continue;
    }
    accounting.Tell(waiting.id, &job);
    const Description description(std::move(job));
    const Decision decision = evaluator.Evaluate(description.descriptor(), now);
    if (decision.valid_until < changes.next) changes.next = decision.valid_until;
    // 0 would hold it; what a policy puts there is last in the queue instead.
    const std::int32_t wanted = decision.priority > 0 ? decision.priority : 1;
    if (wanted == waiting.priority) continue;
    changes.now.push_back({std::move(waiting.address), waiting.priority, wanted});
  }
  if (changes.now.size() > options.most) {
    // Those furthest off: in squeue's order the same ones would be late each time.
    std::stable_sort(changes.now.begin(), changes.now.end(), [](const Change& a, const Change& b) {
      return std::abs(a.to - a.from) > std::abs(b.to - b.from);
    });
    changes.left = changes.now.size() - options.most;
    changes.now.resize(options.most);
  }
  return changes;
}

// False, with the reason on standard error, where accounting is there and cannot be asked:
// without what it had said before, priorities would rise.
bool AskAccounting(const Options& options, Accounting* accounting) {
  if (options.since == 0) return true;
  std::string printed;
  if (Run(absl::StrCat("SLURM_TIME_FORMAT=%s sacct --allusers --allocations --duplicates --noheader"
                       " --parsable2 --delimiter=\"$(printf '\\037')\" --format=",
                       Accounting::kFormat, " --starttime=now-", options.since, "days 2>&1"),
          &printed)) {
    *accounting = Accounting(printed);
    return true;
  }
  if (printed.find("accounting storage is disabled") != printed.npos) return true;
  std::cerr << "sacct: " << printed.substr(0, printed.find('\n'))
            << "; nothing was changed. Without accounting, use --since=0\n";
  return false;
}

bool Apply(const Options& options, const std::vector<Change>& changes) {
  std::map<std::int32_t, std::vector<std::string>> by_priority;
  for (const Change& change : changes) by_priority[change.to].push_back(change.address);
  bool all = true;
  for (const auto& [priority, jobs] : by_priority) {
    for (std::size_t i = 0; i < jobs.size(); i += options.batch) {
      const auto end = jobs.begin() + std::min(jobs.size(), i + options.batch);
      std::string output;
      // scontrol goes on after a job that it refuses, and says why: it may have started.
      all &= Run(absl::StrCat("scontrol update 'jobid=", absl::StrJoin(jobs.begin() + i, end, ","),
                              "' priority=", priority),
                 &output);
    }
  }
  return all;
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
  // Whole lists of an array's tasks.
  if (options.queue.empty() ? !Run("SLURM_BITSTR_LEN=0 squeue --json", &queue)
                            : !ReadFile(options.queue, &queue)) {
    std::cerr << "squeue --json: failed; is slurmctld there, and SLURM_CONF right\n";
    return 1;
  }
  const auto document = json::Document::Parse(queue, "squeue");
  if (!document.ok()) {
    std::cerr << std::string(document.status().message()) << "\n";
    return 1;
  }
  std::vector<WaitingJob> jobs = ReadQueue((*document)->root());
  if (!(*document)->status().ok()) {
    std::cerr << std::string((*document)->status().message()) << "; nothing was changed\n";
    return 1;
  }
  Accounting accounting;
  if (!jobs.empty() && !AskAccounting(options, &accounting)) return 1;
  const TimePoint now =
      std::chrono::time_point_cast<std::chrono::microseconds>(std::chrono::system_clock::now());
  const Changes changes =
      Find(options, policy.policy->evaluator(), now, accounting, std::move(jobs));
  for (const Change& change : changes.now) {
    std::cout << "job " << change.address << ": " << absl::StrCat(change.from) << " to "
              << change.to << "\n";
  }
  const bool all = !options.apply || Apply(options, changes.now);
  std::cout << changes.now.size() << (options.apply ? " changed" : " to change, see --apply");
  if (!all) std::cout << " but for those that scontrol refused";
  if (changes.left > 0) std::cout << ", " << changes.left << " left for the next run";
  if (changes.next != kForever) {
    std::cout << ", next due in "
              << std::chrono::duration_cast<std::chrono::seconds>(changes.next - now).count()
              << " s";
  }
  std::cout << "\n";
  return all ? 0 : 1;
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
