#include "src/cli/table.h"

#include <sstream>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "src/cli/console.h"

namespace precedent::cli {
namespace {

v1::Decision MakeDecision(const std::string& job, int priority) {
  v1::Decision decision;
  decision.set_job(job);
  decision.set_kind("Pod");
  decision.set_priority(priority);
  decision.set_preemption_priority(priority);
  decision.set_priority_class("c");
  decision.set_reason(v1::DERIVED);
  decision.set_verdict(v1::ALLOW);
  return decision;
}

TEST(FormatTable, Empty) { EXPECT_EQ(FormatTable({}, 80), ""); }

TEST(FormatTable, AlignsNamesLeftAndNumbersRight) {
  v1::Decision first = MakeDecision("short", 5);
  first.add_rules("one");
  first.add_rules("two");
  const v1::Decision second = MakeDecision("grüße/a-longer-name", 12345);
  EXPECT_EQ(FormatTable({first, second}, 80),
            "JOB                  KIND  PRIORITY  CLASS  VERDICT  WHY\n"
            "short                Pod          5  c      allow    one, two\n"
            "grüße/a-longer-name  Pod      12345  c      allow    -\n");
}

TEST(FormatTable, ShowsTheRightToEvictWhereItDiffers) {
  v1::Decision decision = MakeDecision("j", 5);
  decision.set_preemption_priority(3);
  EXPECT_EQ(FormatTable({decision}, 80),
            "JOB  KIND  PRIORITY  EVICT  CLASS  VERDICT  WHY\n"
            "j    Pod          5      3  c      allow    -\n");
}

TEST(FormatTable, LeavesOutRulesThatDoNotFit) {
  v1::Decision decision = MakeDecision("j", 5);
  for (int i = 0; i < 30; ++i) decision.add_rules("rule-" + std::to_string(i));
  const std::string table = FormatTable({decision}, 80);
  EXPECT_NE(table.find("rule-0, rule-1, rule-2, rule-3, +26 more\n"), std::string::npos) << table;
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(Width(line), 80u) << line;
  // One that is too long by itself is cut.
  v1::Decision other = MakeDecision("j", 5);
  other.add_rules(std::string(200, 'r'));
  std::istringstream more(FormatTable({other}, 80));
  for (std::string line; std::getline(more, line);) EXPECT_LE(Width(line), 80u) << line;
}

TEST(FormatTable, CutsLongNames) {
  const std::string table = FormatTable({MakeDecision(std::string(300, 'n'), 5)}, 80);
  EXPECT_NE(table.find("nnn...  Pod"), std::string::npos) << table;
  EXPECT_LT(table.size(), 250u);
}

TEST(FormatTable, PutsWhatAPersonShouldReadBelow) {
  v1::Decision decision = MakeDecision("j", 5);
  decision.set_verdict(v1::DENY);
  decision.set_denial("not so");
  std::string text = "a warning";
  for (int i = 0; i < 20; ++i) text += " with words";
  decision.add_warnings(text);
  decision.add_remarks("seen\nthis");
  const std::string table = FormatTable({decision}, 80);
  EXPECT_NE(table.find("DENY"), std::string::npos);
  EXPECT_NE(table.find("\n    denied: not so\n    warning: a warning with words"),
            std::string::npos)
      << table;
  EXPECT_NE(table.find("\n      with "), std::string::npos) << table;  // goes on, indented
  EXPECT_NE(table.find("\n    remark: seen\\x0athis\n"), std::string::npos) << table;
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(Width(line), 80u) << line;
}

TEST(FormatTable, SaysWhyNoRuleDecided) {
  v1::Decision decision = MakeDecision("j", 500);
  decision.set_reason(v1::FALLBACK_INVALID_INPUT);
  EXPECT_NE(FormatTable({decision}, 80).find("  fallback invalid input\n"), std::string::npos);
}

}  // namespace
}  // namespace precedent::cli
