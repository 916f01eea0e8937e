#include "src/cli/plan_table.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/time/time.h"
#include "src/cli/console.h"

namespace precedent::cli {
namespace {

constexpr std::size_t kNameWidth = 40;
constexpr std::size_t kNodes = 4;  // shown of one job
constexpr std::size_t kColumns = 5;

using Row = std::array<std::string, kColumns>;

std::string Nodes(const std::set<std::string>& nodes) {
  std::vector<std::string> shown;
  for (const std::string& node : nodes) {
    if (shown.size() < kNodes) shown.push_back(Printable(node));
  }
  const std::size_t more = nodes.size() - shown.size();
  return absl::StrCat(absl::StrJoin(shown, ", "), more > 0 ? absl::StrCat(", +", more) : "");
}

std::string Hours(double gpu_seconds) { return absl::StrFormat("%.1f", gpu_seconds / 3600); }

class Table {
 public:
  explicit Table(const v1::Cluster& cluster) {
    for (const v1::ClusterJob& job : cluster.jobs()) jobs_.emplace(job.id(), &job);
  }

  std::string Format(const v1::PreemptionPlan& plan) {
    std::string text;
    if (plan.placements_size() + plan.unplaced_size() == 0) text = "no job waits for GPUs\n";
    for (const v1::Placement& placement : plan.placements()) Add(placement);
    for (const v1::Unplaced& unplaced : plan.unplaced()) {
      const std::string reason = absl::StrReplaceAll(
          absl::AsciiStrToLower(v1::Unplaced::Reason_Name(unplaced.reason())), {{"_", " "}});
      AddRow({"waits", Name(unplaced.job()), Priority(unplaced.job()), "-",
              absl::StrCat(reason, ": ", Printable(unplaced.text()))});
    }
    absl::StrAppend(&text, Lines());
    if (plan.has_next_wake()) {
      const absl::Time at = absl::FromUnixSeconds(plan.next_wake().seconds()) +
                            absl::Nanoseconds(plan.next_wake().nanos());
      absl::StrAppend(&text, "next look at ",
                      absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", at, absl::UTCTimeZone()), "\n");
    }
    for (const std::string& remark : plan.remarks()) {
      absl::StrAppend(&text, "remark: ", Printable(remark), "\n");
    }
    return text;
  }

 private:
  void Add(const v1::Placement& placement) {
    std::set<std::string> nodes;
    for (const v1::PodPlacement& pod : placement.pods()) nodes.insert(pod.node());
    AddRow({placement.victims().empty() ? "fits" : "preempts", Name(placement.job()),
            Priority(placement.job()),
            placement.victims().empty() ? "-" : Hours(placement.cost_gpu_seconds()),
            Nodes(nodes)});
    for (const v1::Victim& victim : placement.victims()) {
      AddRow({"  evicts", Name(victim.job()), Priority(victim.job()),
              Hours(victim.cost_gpu_seconds()), Printable(victim.reason())});
    }
  }

  void AddRow(Row row) { rows_.push_back(std::move(row)); }

  std::string Lines() const {
    if (rows_.empty()) return "";
    std::vector<Row> all = {{"PLAN", "JOB", "PRIORITY", "GPU-HOURS", "WHERE OR WHY"}};
    all.insert(all.end(), rows_.begin(), rows_.end());
    std::array<std::size_t, kColumns> widths{};
    for (const Row& row : all) {
      for (std::size_t i = 0; i < kColumns; ++i) widths[i] = std::max(widths[i], Width(row[i]));
    }
    std::string text;
    for (const Row& row : all) {
      for (std::size_t i = 0; i + 1 < kColumns; ++i) {
        const std::string space(widths[i] - Width(row[i]), ' ');
        const bool right = i == 2 || i == 3;  // numbers
        absl::StrAppend(&text, right ? space : "", row[i], right ? "" : space, "  ");
      }
      absl::StrAppend(&text, row.back(), "\n");
    }
    return text;
  }

  std::string Name(const std::string& id) const {
    const auto found = jobs_.find(id);
    const bool named = found != jobs_.end() && !found->second->name().empty();
    return Truncate(Printable(named ? found->second->name() : id), kNameWidth);
  }

  // The right to evict counts here.
  std::string Priority(const std::string& id) const {
    const auto found = jobs_.find(id);
    return found == jobs_.end() ? "-" : absl::StrCat(found->second->preemption_priority());
  }

  std::map<std::string, const v1::ClusterJob*> jobs_;
  std::vector<Row> rows_;
};

}  // namespace

std::string FormatPlan(const v1::PreemptionPlan& plan, const v1::Cluster& cluster) {
  return Table(cluster).Format(plan);
}

}  // namespace precedent::cli
