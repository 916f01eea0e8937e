#include "src/cli/table.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "src/cli/console.h"

namespace precedent::cli {
namespace {

constexpr std::size_t kMinWidth = 80;
constexpr std::size_t kJobWidth = 36;  // longer names are cut
constexpr std::size_t kClassWidth = 20;
constexpr std::size_t kMinWhyWidth = 20;
constexpr std::size_t kGap = 2;     // between columns
constexpr std::size_t kIndent = 4;  // of what stands below a row

struct Column {
  std::string_view title;
  bool right = false;  // numbers
  std::size_t width = 0;
};

struct Row {
  std::array<std::string, 6> cells;  // all columns but `why`
  std::vector<std::string> rules;
  std::vector<std::string> notes;  // lines below
};

std::string Name(std::string_view text, std::size_t width) {
  return text.empty() ? "-" : Truncate(Printable(text), width);
}

std::string VerdictName(v1::Verdict verdict) { return verdict == v1::DENY ? "DENY" : "allow"; }

// Why a decision that no rule made is as it is.
std::string ReasonText(v1::Reason reason) {
  return absl::StrReplaceAll(absl::AsciiStrToLower(v1::Reason_Name(reason)), {{"_", " "}});
}

Row MakeRow(const v1::Decision& decision) {
  Row row;
  row.cells = {Name(decision.job(), kJobWidth),
               Name(decision.kind(), kClassWidth),
               absl::StrCat(decision.priority()),
               absl::StrCat(decision.preemption_priority()),
               Name(decision.priority_class(), kClassWidth),
               VerdictName(decision.verdict())};
  if (decision.reason() != v1::DERIVED) row.rules.push_back(ReasonText(decision.reason()));
  for (const std::string& rule : decision.rules()) row.rules.push_back(Printable(rule));
  if (!decision.denial().empty())
    row.notes.push_back(absl::StrCat("denied: ", Printable(decision.denial())));
  for (const std::string& text : decision.warnings())
    row.notes.push_back(absl::StrCat("warning: ", Printable(text)));
  for (const std::string& text : decision.remarks())
    row.notes.push_back(absl::StrCat("remark: ", Printable(text)));
  return row;
}

// As many of the rules as fit, and how many more there are. The last ones are left
// out: the first tell what kind of job it is.
std::string Why(const std::vector<std::string>& rules, std::size_t width) {
  if (rules.empty()) return "-";
  std::string text;
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const std::string next = absl::StrCat(text, i == 0 ? "" : ", ", rules[i]);
    const std::size_t left = rules.size() - i - 1;
    const std::string rest = left == 0 ? "" : absl::StrCat(", +", left, " more");
    if (i > 0 && Width(next) + Width(rest) > width) {
      return absl::StrCat(text, ", +", rules.size() - i, " more");
    }
    text = next;
  }
  return Truncate(text, width);
}

// Breaks a text at spaces into lines of at most `width`, but where a word is longer.
std::vector<std::string> Wrap(std::string_view text, std::size_t width) {
  std::vector<std::string> lines(1);
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    std::string& line = lines.back();
    if (!line.empty() && Width(line) + 1 + Width(word) > width)
      lines.emplace_back(word);
    else
      line += (line.empty() ? "" : " ") + std::string(word);
  }
  return lines;
}

void AppendCell(const Column& column, std::string_view text, std::string& line) {
  const std::string padding(column.width - std::min(column.width, Width(text)), ' ');
  if (column.right) line += padding;
  line += text;
  if (!column.right) line += padding;
  line.append(kGap, ' ');
}

}  // namespace

std::string FormatTable(const std::vector<v1::Decision>& decisions, std::size_t width) {
  if (decisions.empty()) return "";
  width = std::max(width, kMinWidth);
  std::vector<Row> rows;
  // Right to evict: a column of its own only where order_only rules make a difference.
  bool evict = false;
  for (const v1::Decision& decision : decisions) {
    rows.push_back(MakeRow(decision));
    evict = evict || decision.priority() != decision.preemption_priority();
  }
  std::array<Column, 6> columns = {
      {{"JOB"}, {"KIND"}, {"PRIORITY", true}, {"EVICT", true}, {"CLASS"}, {"VERDICT"}}};
  const auto shown = [&](std::size_t i) { return i != 3 || evict; };
  std::size_t used = 0;
  std::string header;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    columns[i].width = columns[i].title.size();
    for (const Row& row : rows) columns[i].width = std::max(columns[i].width, Width(row.cells[i]));
    if (!shown(i)) continue;
    used += columns[i].width + kGap;
    AppendCell(columns[i], columns[i].title, header);
  }
  const std::size_t why_width = std::max(kMinWhyWidth, width - std::min(width, used));
  std::string table = header + "WHY\n";
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < columns.size(); ++i)
      if (shown(i)) AppendCell(columns[i], row.cells[i], line);
    absl::StrAppend(&table, line, Why(row.rules, why_width), "\n");
    for (const std::string& note : row.notes) {
      std::size_t indent = kIndent;
      for (const std::string& part : Wrap(note, width - kIndent - 2)) {
        absl::StrAppend(&table, std::string(indent, ' '), part, "\n");
        indent = kIndent + 2;
      }
    }
  }
  return table;
}

std::size_t TerminalWidth() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 120;
  return std::clamp<std::size_t>(size.ws_col, kMinWidth, 200);
}

}  // namespace precedent::cli
