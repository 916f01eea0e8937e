#include "bench/policy/input.h"

#include <string_view>
#include <utility>

#include "absl/flags/commandlineflag.h"
#include "absl/flags/flag.h"
#include "absl/flags/reflection.h"
#include "absl/strings/str_cat.h"
#include "src/cli/flags.h"

namespace precedent::bench {
namespace {

std::nullopt_t Wrong(cli::Console& console, const std::string& what) {
  console.err << "policy_bench: " << cli::Printable(what) << " (see `policy_bench --help`)\n";
  return std::nullopt;
}

bool IsFlag(std::string_view name) {
  for (const std::string_view known : {"policy", "jobs", "now", "options", "definition"})
    if (name == known) return true;
  return false;
}

}  // namespace

std::optional<Arguments> ReadArguments(const std::vector<std::string>& words,
                                       cli::Console& console) {
  Arguments arguments;
  for (const std::string& word : words) {
    if (word == "--help" || word == "-h") {
      arguments.help = true;
      return arguments;
    }
    if (word.size() < 2 || word[0] != '-') {
      arguments.job_files.push_back(word);
      continue;
    }
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals).substr(word[1] == '-' ? 2 : 1);
    if (!IsFlag(name)) return Wrong(console, absl::StrCat("unknown flag `", word, "`"));
    if (equals == std::string::npos || equals + 1 == word.size())
      return Wrong(console, absl::StrCat("flag `", word, "` needs a value: `--", name, "=...`"));
    const std::string value = word.substr(equals + 1);
    std::string why;
    if (name == "jobs")
      arguments.job_files.push_back(value);
    else if (!absl::FindCommandLineFlag(name)->ParseFrom(value, &why))
      return Wrong(console, absl::StrCat("flag `", word, "`: ", why));
  }
  if (absl::GetFlag(FLAGS_policy).empty()) return Wrong(console, "missing --policy");
  if (arguments.job_files.empty()) return Wrong(console, "missing --jobs");
  return arguments;
}

void JobList::Add(cli::InputJob&& job) {
  jobs_.push_back(std::move(job));
  views_.emplace_back(jobs_.back().job);
}

std::vector<JobDescriptor> JobList::Descriptors() const {
  std::vector<JobDescriptor> descriptors;
  for (const JobView& view : views_) descriptors.push_back(view.descriptor());
  return descriptors;
}

}  // namespace precedent::bench
