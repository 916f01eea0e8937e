#include "examples/slurm/accounting.h"

#include <algorithm>
#include <tuple>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace precedent::slurm {
namespace {

std::string ChainOf(absl::string_view user, absl::string_view account, absl::string_view name) {
  return absl::StrCat(user, "\x1F", account, "\x1F", name);
}

absl::string_view TextOf(const SlurmJob& job, std::string_view field) {
  const std::string_view text = job.text(field);
  return {text.data(), text.size()};
}

}  // namespace

// The first word: `CANCELLED by 1000`. Who was cancelled or sent back by hand is charged nothing.
Accounting::Ending Accounting::EndingOf(std::string_view state) {
  state = state.substr(0, state.find(' '));
  if (state == "COMPLETED") return Ending::kCompleted;
  if (state == "FAILED" || state == "TIMEOUT" || state == "OUT_OF_MEMORY") return Ending::kFailed;
  if (state == "PREEMPTED") return Ending::kPreempted;
  if (state == "NODE_FAIL" || state == "BOOT_FAIL") return Ending::kLost;
  return Ending::kNone;
}

Accounting::Accounting(std::string_view printed) {
  for (const absl::string_view line :
       absl::StrSplit(absl::string_view(printed.data(), printed.size()), '\n', absl::SkipEmpty())) {
    const std::vector<absl::string_view> fields = absl::StrSplit(line, kDelimiter);
    Run run{};
    if (fields.size() != 8 || !absl::SimpleAtoi(fields[0], &run.id) ||
        !absl::SimpleAtoi(fields[5], &run.submit)) {
      ++skipped_;
      continue;
    }
    // `Unknown`: it waits or runs.
    if (!absl::SimpleAtoi(fields[6], &run.end)) continue;
    if (!absl::SimpleAtod(fields[7], &run.seconds)) run.seconds = 0;
    run.ending = EndingOf({fields[4].data(), fields[4].size()});
    chains_[ChainOf(fields[1], fields[2], fields[3])].push_back(run);
  }
  for (auto& [chain, runs] : chains_) {
    std::sort(runs.begin(), runs.end(), [](const Run& a, const Run& b) {
      return std::tie(a.id, a.end) < std::tie(b.id, b.end);
    });
  }
}

void Accounting::Tell(std::int64_t id, SlurmJob* job) const {
  const auto found = chains_.find(
      ChainOf(TextOf(*job, "user_name"), TextOf(*job, "account"), TextOf(*job, "name")));
  if (found == chains_.end()) return;
  const std::vector<Run>& runs = found->second;
  const auto own =
      std::lower_bound(runs.begin(), runs.end(), id,
                       [](const Run& run, std::int64_t value) { return run.id < value; });
  const auto own_end = std::find_if(own, runs.end(), [&](const Run& run) { return run.id != id; });

  // A job that is sent back counts as submitted anew: its first run has the first time.
  const double submitted =
      own != own_end ? static_cast<double>(own->submit) : job->number("submit_time").value_or(0);
  double before = 0;
  for (auto run = runs.begin(); run != own; ++run) {
    if (static_cast<double>(run->end) > submitted) continue;
    if (run->ending == Ending::kCompleted) before = 0;
    if (run->ending == Ending::kFailed) ++before;
  }
  const auto count = [&](Ending ending) {
    return static_cast<double>(
        std::count_if(own, own_end, [&](const Run& run) { return run.ending == ending; }));
  };
  // At submission the chain's failures went into the record; what is read here may be more.
  before = std::max(before, static_cast<double>(ParseRecord(job->text("admin_comment")).failures));
  job->numbers["failures"] = before + count(Ending::kFailed);
  if (own == own_end) return;
  job->numbers["preempted"] = count(Ending::kPreempted);
  job->numbers["lost"] = count(Ending::kLost);
  const Run& last = *std::prev(own_end);
  job->numbers["last_run_seconds"] = last.seconds;
  job->numbers["last_run_preempted"] = last.ending == Ending::kPreempted;
}

}  // namespace precedent::slurm
