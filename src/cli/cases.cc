#include "src/cli/cases.h"

#include <algorithm>
#include <chrono>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "src/cli/console.h"
#include "src/cli/documents.h"
#include "src/cli/place.h"
#include "src/policy/fill.h"

namespace precedent::cli {
namespace {

using internal::Node;

// The cases of a document, whether they are a list or, in text format, a repeated
// field.
std::vector<const Node*> CaseNodes(const Node& root) {
  std::vector<const Node*> nodes;
  for (const Node& member : root.children) {
    if (member.key != "cases") continue;
    if (!member.is_list()) nodes.push_back(&member);
    for (const Node& item : member.children)
      if (member.is_list()) nodes.push_back(&item);
  }
  return nodes;
}

// The document without the jobs: these are not of the schema, but read as any job is.
Node WithoutJobs(const Node& root) {
  Node copy = root;
  const auto strip = [](Node& object) {
    if (!object.is_object()) return;
    auto& members = object.children;
    members.erase(std::remove_if(members.begin(), members.end(),
                                 [](const Node& member) { return member.key == "job"; }),
                  members.end());
  };
  for (Node& member : copy.children) {
    if (member.key != "cases") continue;
    if (!member.is_list()) strip(member);
    for (Node& item : member.children)
      if (member.is_list()) strip(item);
  }
  return copy;
}

bool Gives(const Node& object, std::string_view path) {
  return &FindPlace(object, path) != &object;
}

std::string Sibling(const std::string& file, const std::string& name) {
  const std::size_t slash = file.rfind('/');
  if (name.empty() || name[0] == '/' || slash == std::string::npos) return name;
  return file.substr(0, slash + 1) + name;
}

// Reads the job of a case from where it says.
void ReadJob(const Node& node, Format format, const std::string& file, const Case& message,
             const JobInput& input, TestCase& test) {
  int jobs = 0;
  const JobInput::Sink sink{[&](InputJob&& job) {
                              if (++jobs == 1) test.job = std::move(job);
                            },
                            [&](const Issue& issue) { test.job_issues.push_back(issue); }};
  const Node* job = node.Find("job");
  if (job != nullptr)
    input.ReadNode(*job, format, sink);
  else
    input.ReadFile(Sibling(file, message.file()), sink);
  test.has_job = jobs == 1 && !HasErrors(test.job_issues);
  if (jobs > 1)
    test.job_issues.push_back(Error(absl::StrCat("expected one job, found ", jobs), test.line));
}

TestCase ReadCase(const Node& node, Format format, const std::string& file, const Case& message,
                  const JobInput& input, std::vector<Issue>* issues) {
  TestCase test;
  test.name = message.name();
  test.line = static_cast<int>(node.line);
  test.expect = message.expect();
  if (const Node* expect = node.Find("expect"); expect != nullptr) {
    test.expects_rules = Gives(*expect, "rules");
    test.expects_warnings = Gives(*expect, "warnings");
  }
  if (message.has_now())
    test.now = TimePoint(std::chrono::microseconds(message.now().seconds() * 1'000'000 +
                                                   message.now().nanos() / 1000));
  const auto wrong = [&](std::string text) {
    Issue issue = Error(std::move(text));
    SetPlace(issue, node);
    issues->push_back(std::move(issue));
  };
  if ((node.Find("job") != nullptr) == !message.file().empty())
    wrong("a case has either `job` or `file`");
  else
    ReadJob(node, format, file, message, input, test);
  if (message.expect().ByteSizeLong() == 0 && !test.expects_rules && !test.expects_warnings)
    wrong("a case without `expect` can never fail");
  return test;
}

std::string Text(std::int32_t value) { return absl::StrCat(value); }
std::string Text(bool value) { return value ? "true" : "false"; }
std::string Text(const std::string& value) { return absl::StrCat("`", Printable(value), "`"); }
std::string Text(v1::Verdict value) { return v1::Verdict_Name(value); }
std::string Text(v1::Reason value) { return v1::Reason_Name(value); }

template <typename T>
void Compare(std::string_view what, bool given, const T& expected, const T& derived,
             std::vector<std::string>& lines) {
  if (given && expected != derived)
    lines.push_back(absl::StrCat(std::string(what), ": expected ", Text(expected), ", derived ",
                                 Text(derived)));
}

// Both lists as one: what is in both, `-` what was expected, `+` what was derived.
template <typename List>
void CompareLists(std::string_view what, bool given, const List& expected, const List& derived,
                  std::vector<std::string>& lines) {
  const std::size_t n = static_cast<std::size_t>(expected.size());
  const std::size_t m = static_cast<std::size_t>(derived.size());
  const auto e = [&](std::size_t i) -> const std::string& { return expected[static_cast<int>(i)]; };
  const auto d = [&](std::size_t i) -> const std::string& { return derived[static_cast<int>(i)]; };
  if (!given || std::equal(expected.begin(), expected.end(), derived.begin(), derived.end()))
    return;
  lines.push_back(absl::StrCat(std::string(what), ":  (- expected, + derived)"));
  constexpr std::size_t kMaxTable = 1 << 22;
  if (n * m > kMaxTable) {
    lines.push_back(absl::StrCat("  - ", n, " entries"));
    lines.push_back(absl::StrCat("  + ", m, " entries"));
    return;
  }
  // common[i][j]: the most entries that the ends from i and from j have in common.
  std::vector<std::vector<std::uint32_t>> common(n + 1, std::vector<std::uint32_t>(m + 1));
  for (std::size_t i = n; i-- > 0;)
    for (std::size_t j = m; j-- > 0;)
      common[i][j] =
          e(i) == d(j) ? common[i + 1][j + 1] + 1 : std::max(common[i + 1][j], common[i][j + 1]);
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < n || j < m) {
    if (i < n && j < m && e(i) == d(j)) {
      lines.push_back("    " + Printable(e(i++)));
      ++j;
    } else if (j == m || (i < n && common[i + 1][j] >= common[i][j + 1])) {
      lines.push_back("  - " + Printable(e(i++)));
    } else {
      lines.push_back("  + " + Printable(d(j++)));
    }
  }
}

}  // namespace

std::vector<TestCase> ReadCases(const std::string& file, const JobInput& input,
                                std::vector<Issue>* issues) {
  std::vector<TestCase> cases;
  const auto read = [&](const Node& root, Format format) {
    std::vector<Issue> found;
    CaseFile message;
    internal::FillMessage(
        WithoutJobs(root), &message, &found,
        format == Format::kText ? internal::Dialect::kText : internal::Dialect::kJson);
    const bool good = !HasErrors(found);
    issues->insert(issues->end(), found.begin(), found.end());
    const std::vector<const Node*> nodes = CaseNodes(root);
    if (!good || nodes.size() != static_cast<std::size_t>(message.cases_size())) return;
    for (int i = 0; i < message.cases_size(); ++i) {
      Case& one = *message.mutable_cases(i);
      if (!one.has_now() && message.has_now()) *one.mutable_now() = message.now();
      cases.push_back(
          ReadCase(*nodes[static_cast<std::size_t>(i)], format, file, one, input, issues));
    }
  };
  ReadDocuments(file, {read, [&](const Issue& issue) { issues->push_back(issue); }});
  if (cases.empty() && !HasErrors(*issues)) issues->push_back(Error("holds no cases"));
  return cases;
}

std::vector<std::string> Differences(const TestCase& test, const v1::Decision& decision) {
  const Expectation& expect = test.expect;
  std::vector<std::string> lines;
  Compare("priority", expect.has_priority(), expect.priority(), decision.priority(), lines);
  Compare("preemption_priority", expect.has_preemption_priority(), expect.preemption_priority(),
          decision.preemption_priority(), lines);
  Compare("class", expect.has_class_(), expect.class_(), decision.priority_class(), lines);
  CompareLists("rules", test.expects_rules, expect.rules(), decision.rules(), lines);
  Compare("verdict", expect.has_verdict(), expect.verdict(), decision.verdict(), lines);
  Compare("reason", expect.has_reason(), expect.reason(), decision.reason(), lines);
  CompareLists("warnings", test.expects_warnings, expect.warnings(), decision.warnings(), lines);
  Compare("denial", expect.has_denial(), expect.denial(), decision.denial(), lines);
  Compare("limit_runtime_seconds", expect.has_limit_runtime_seconds(),
          expect.limit_runtime_seconds(), decision.limit_runtime_seconds(), lines);
  Compare("share_identifier", expect.has_share_identifier(), expect.share_identifier(),
          decision.share_identifier(), lines);
  Compare("never_preempt_others", expect.has_never_preempt_others(), expect.never_preempt_others(),
          decision.never_preempt_others(), lines);
  Compare("preemptible", expect.has_preemptible(), expect.preemptible(), decision.preemptible(),
          lines);
  return lines;
}

}  // namespace precedent::cli
