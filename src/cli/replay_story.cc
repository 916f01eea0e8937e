#include "src/cli/replay_story.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "src/cli/console.h"

namespace precedent::cli {
namespace {

constexpr std::size_t kNameWidth = 40;
constexpr std::size_t kGap = 2;

// Columns as wide as what stands in them; `right` ones hold numbers.
class Columns {
 public:
  explicit Columns(std::vector<std::pair<std::string, bool>> titles) {
    rows_.emplace_back();
    for (auto& [title, right] : titles) {
      rows_[0].push_back(std::move(title));
      right_.push_back(right);
    }
  }
  void Add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }

  std::string Text() const {
    std::vector<std::size_t> widths(right_.size());
    for (const auto& row : rows_)
      for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], Width(row[i]));
    std::string text;
    for (const auto& row : rows_) {
      std::string line;
      for (std::size_t i = 0; i < row.size(); ++i) {
        const std::string space(widths[i] - Width(row[i]), ' ');
        absl::StrAppend(&line, right_[i] ? space : "", row[i], right_[i] ? "" : space,
                        std::string(kGap, ' '));
      }
      line.erase(line.find_last_not_of(' ') + 1);
      absl::StrAppend(&text, line, "\n");
    }
    return text;
  }

 private:
  std::vector<std::vector<std::string>> rows_;
  std::vector<bool> right_;
};

std::string Or(std::string_view text, std::string_view otherwise) {
  return text.empty() ? std::string(otherwise) : Truncate(Printable(text), kNameWidth);
}

// How jobs are called.
class Names {
 public:
  explicit Names(const std::vector<v1::JobFacts>& facts) {
    for (const v1::JobFacts& f : facts) ++count_[f.name()];
    for (const v1::JobFacts& f : facts)
      names_[f.job()] = f.name().empty() || count_[f.name()] > 1 ? f.job() : f.name();
  }
  std::string Of(const std::string& job) const {
    const auto it = names_.find(job);
    return Or(it == names_.end() ? job : it->second, "-");
  }

 private:
  std::map<std::string, int> count_;
  std::map<std::string, std::string> names_;
};

std::string TimeText(const google::protobuf::Timestamp& time) {
  const absl::Time at =
      absl::FromUnixSeconds(time.seconds()) + absl::Nanoseconds(time.nanos());
  return absl::FormatTime("%Y-%m-%dT%H:%M:%E*SZ", at, absl::UTCTimeZone());
}

std::string Lower(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

}  // namespace

std::string FormatStory(const std::vector<v1::PriorityChange>& changes,
                        const std::vector<v1::JobFacts>& facts) {
  const Names names(facts);
  std::string text;
  if (!changes.empty()) {
    Columns table({{"TIME", false}, {"JOB", false}, {"FROM", true}, {"TO", true},
                   {"CLASS", false}, {"WHY", false}});
    for (const v1::PriorityChange& c : changes) {
      std::string klass = Or(c.new_class(), "-");
      if (c.has_old_class() && c.old_class() != c.new_class())
        klass = absl::StrCat(Or(c.old_class(), "-"), " -> ", klass);
      std::string why = Lower(v1::PriorityChange::Reason_Name(c.reason()));
      if (!c.cause().empty()) absl::StrAppend(&why, ": ", names.Of(c.cause()));
      table.Add({TimeText(c.time()), names.Of(c.job()),
                 c.has_old_priority() ? absl::StrCat(c.old_priority()) : "-",
                 absl::StrCat(c.new_priority()), klass, why});
    }
    absl::StrAppend(&text, table.Text(), "\n");
  }
  if (facts.empty()) return text;
  Columns table({{"JOB", false}, {"STATE", false}, {"PRIORITY", true}, {"CLASS", false},
                 {"FAILURES", true}, {"PREEMPTIONS", true}, {"HOSTS LOST", true},
                 {"ATTEMPT", true}, {"DEPTH", true}});
  for (const v1::JobFacts& f : facts) {
    const v1::Lineage& l = f.lineage();
    table.Add({names.Of(f.job()), Lower(v1::JobFacts::State_Name(f.state())),
               f.has_priority() ? absl::StrCat(f.priority()) : "-",
               f.has_priority() ? Or(f.priority_class(), "-") : "-",
               absl::StrCat(l.failure_count()), absl::StrCat(l.preemption_count()),
               absl::StrCat(l.infrastructure_failure_count()), absl::StrCat(l.attempt()),
               absl::StrCat(l.depth())});
  }
  absl::StrAppend(&text, table.Text());
  return text;
}

}  // namespace precedent::cli
