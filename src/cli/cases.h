// The cases of `precedent test`: a job and what the policy should decide about it.
#ifndef PRECEDENT_SRC_CLI_CASES_H_
#define PRECEDENT_SRC_CLI_CASES_H_

#include <optional>
#include <string>
#include <vector>

#include "precedent/issue.h"
#include "precedent/time.h"
#include "precedent/v1/decision.pb.h"
#include "src/cli/cases.pb.h"
#include "src/cli/input.h"

namespace precedent::cli {

struct TestCase {
  std::string name;
  int line = 0;
  std::optional<TimePoint> now;
  InputJob job;
  std::vector<Issue> job_issues;  // why there is no job, or what to know about it
  bool has_job = false;
  Expectation expect;
  // The list was given, if only as an empty one: then nothing may be in it.
  bool expects_rules = false;
  bool expects_warnings = false;
};

// All cases of a file. Appends what is wrong with the file; a job that cannot be read
// is an issue of its case.
std::vector<TestCase> ReadCases(const std::string& file, const JobInput& input,
                                std::vector<Issue>* issues);

// How the decision differs from what is expected, in lines for people; empty if it
// does not.
std::vector<std::string> Differences(const TestCase& test, const v1::Decision& decision);

}  // namespace precedent::cli

#endif  // PRECEDENT_SRC_CLI_CASES_H_
