#include "examples/slurm/queue.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"

namespace precedent::slurm {
namespace {

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
  for (const char* field :
       {"name", "account", "partition", "qos", "user_name", "comment", "admin_comment",
        "tres_per_job", "tres_per_node", "tres_per_socket", "tres_per_task"}) {
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

// Nothing else gets into a command.
bool IsTaskList(std::string_view tasks) {
  return !tasks.empty() && tasks.find_first_not_of("0123456789-,:") == tasks.npos;
}

std::optional<std::int64_t> IdOf(const json::Value& value) {
  const std::optional<double> number = NumberOf(value);
  if (!number.has_value() || !(*number > 0 && *number < 4294967296.0)) return std::nullopt;
  return static_cast<std::int64_t>(*number);
}

std::string AddressOf(std::int64_t id, const json::Value& value) {
  const std::optional<std::int64_t> array = IdOf(value.Get("array_job_id"));
  if (!array.has_value()) return absl::StrCat(id);
  const std::string number = absl::StrCat(*array);
  const std::optional<double> task = NumberOf(value.Get("array_task_id"));
  if (task.has_value() && *task >= 0 && *task < 4294967294.0) {
    return absl::StrCat(number, "_", static_cast<std::int64_t>(*task));
  }
  std::string tasks(value.Get("array_task_string").ScalarText().value_or(""));
  tasks = tasks.substr(0, tasks.find('%'));  // how many may run at once
  // Cut off by squeue: better all of the array than none.
  return IsTaskList(tasks) ? absl::StrCat(number, "_[", tasks, "]") : number;
}

}  // namespace

std::vector<WaitingJob> ReadQueue(const json::Value& root) {
  std::vector<WaitingJob> jobs;
  for (const json::Value value : root.Get("jobs").Items()) {
    if (!IsPending(value.Get("job_state"))) continue;
    const double priority = NumberOf(value.Get("priority")).value_or(0);
    const std::optional<std::int64_t> id = IdOf(value.Get("job_id"));
    if (priority == 0 || !id.has_value()) continue;  // held
    jobs.push_back({*id, AddressOf(*id, value), priority, ReadJob(value)});
  }
  return jobs;
}

}  // namespace precedent::slurm
