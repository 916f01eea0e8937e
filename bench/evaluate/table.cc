#include "bench/evaluate/table.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>

namespace precedent::bench {
namespace {

constexpr std::size_t kColumns = 8;
using Row = std::array<std::string, kColumns>;

std::string Nanoseconds(const Results& results, const std::string& name) {
  const auto found = results.find(name);
  if (found == results.end()) return "";
  char text[32];
  std::snprintf(text, sizeof text, found->second < 100 ? "%.1f" : "%.0f", found->second);
  return text;
}

bool IsRival(const std::string& name) {
  for (const char* rival : {kEnums, kStrings, kViews, kNaive, kLinear, kLuaJit, kLua54})
    if (name == rival) return true;
  return false;
}

class Table {
 public:
  explicit Table(const AllResults& results) : results_(results), claims_(Claims()) {
    rows_.push_back({"", "bound", "texts", "against", "ns", "bound/it", "texts/it", "met"});
  }

  void Add(const Scenario& scenario) {
    const auto found = results_.find(scenario.name);
    if (found == results_.end()) return;
    const Results& results = found->second;
    Row row = {scenario.name, Nanoseconds(results, kBound), Nanoseconds(results, kTexts)};
    for (const std::string& name : scenario.measurements) {
      if (!IsRival(name) || results.count(name) == 0) continue;
      row[3] = name;
      row[4] = Nanoseconds(results, name);
      int missed = 0;
      int judged = 0;
      row[5] = Compare(scenario.name, kBound, name, judged, missed);
      row[6] = Compare(scenario.name, kTexts, name, judged, missed);
      row[7] = judged == 0 ? "" : missed == 0 ? "yes" : "NO";
      rows_.push_back(row);
      row = {};
    }
    if (!row[0].empty()) rows_.push_back(row);
    for (const char* extra : {kRecords, kBatch})
      if (results.count(extra) != 0)
        rows_.push_back({extra == kRecords ? "  records filled in" : "  the queue at once",
                         extra == kBatch ? Nanoseconds(results, extra) : "",
                         extra == kRecords ? Nanoseconds(results, extra) : ""});
  }

  void AddOthers() {
    for (const Claim& claim : claims_) {
      const std::optional<double> value = ValueOf(claim, results_);
      if (claim.text.empty() || !value) continue;
      const bool of_texts = claim.figure.measurement == kTexts;
      Row row = {claim.text};
      row[of_texts ? 6 : 5] = Show(claim, *value);
      if (IsDemanded(claim)) row[7] = Judge(claim, *value) ? "yes" : "NO";
      rows_.push_back(row);
    }
  }

  Verdict Print(std::ostream& out) const {
    std::array<std::size_t, kColumns> widths{};
    for (const Row& row : rows_)
      for (std::size_t i = 0; i < kColumns; ++i) widths[i] = std::max(widths[i], row[i].size());
    for (const Row& row : rows_) {
      std::string line;
      for (std::size_t i = 0; i < kColumns; ++i) {
        const std::string space(widths[i] - row[i].size(), ' ');
        const bool right = i == 1 || i == 2 || i == 4;
        line += (i == 0 ? "" : "  ") + (right ? space + row[i] : row[i] + space);
      }
      out << line.substr(0, line.find_last_not_of(' ') + 1) << '\n';
    }
    return verdict_;
  }

 private:
  bool Judge(const Claim& claim, double value) {
    ++verdict_.judged;
    const bool met = IsMet(claim, value);
    if (!met) ++verdict_.missed;
    return met;
  }

  // The ratio, with the claim about it if there is one.
  std::string Compare(const std::string& scenario, const char* figure, const std::string& rival,
                      int& judged, int& missed) {
    Claim claim{"", {scenario, figure}, {scenario, rival}, Claim::Form::kReported, 0, ""};
    bool demanded = false;
    for (const Claim& other : claims_)
      if (other.text.empty() && other.figure.scenario == scenario &&
          other.figure.measurement == figure && other.against.measurement == rival) {
        claim = other;
        demanded = true;
      }
    const std::optional<double> value = ValueOf(claim, results_);
    if (!value) return "";
    if (demanded) {
      ++judged;
      if (!Judge(claim, *value)) ++missed;
    }
    return Show(claim, *value);
  }

  const AllResults& results_;
  std::vector<Claim> claims_;
  std::vector<Row> rows_;
  Verdict verdict_;
};

}  // namespace

Verdict PrintTable(const std::vector<Scenario>& scenarios, const AllResults& results,
                   std::ostream& out) {
  Table table(results);
  for (const Scenario& scenario : scenarios) table.Add(scenario);
  table.AddOthers();
  return table.Print(out);
}

}  // namespace precedent::bench
