// What the tests of the AWS adapter share.
#ifndef PRECEDENT_TESTS_UNIT_AWS_AWS_TEST_SUPPORT_H_
#define PRECEDENT_TESTS_UNIT_AWS_AWS_TEST_SUPPORT_H_

#include <string>

#include "gtest/gtest.h"
#include "precedent/aws_batch.h"

namespace precedent::aws {

inline DescribedJob MustDescribe(const std::string& request, const std::string& definition = "",
                                 const v1::AdapterOptions& options = {}) {
  const auto adapter = Adapter::Create(options);
  EXPECT_TRUE(adapter.ok()) << adapter.status();
  if (!adapter.ok()) return {};
  const auto job = adapter->Describe(request, definition);
  EXPECT_TRUE(job.ok()) << job.status() << "\n" << request << definition;
  return job.ok() ? *job : DescribedJob();
}

inline std::string ErrorOf(const std::string& request, const std::string& definition = "") {
  const auto job = Adapter::Create()->Describe(request, definition);
  if (job.ok()) return "OK";
  EXPECT_EQ(job.status().code(), absl::StatusCode::kInvalidArgument) << job.status();
  return std::string(job.status().message());
}

// A request with the required members and `more`.
inline std::string Request(const std::string& more = "") {
  return R"({"jobName":"j","jobQueue":"q","jobDefinition":"d:1")" +
         (more.empty() ? "" : "," + more) + "}";
}

inline std::string Gpu(const std::string& count) {
  return R"("resourceRequirements":[{"type":"VCPU","value":"4"},{"type":"GPU","value":")" + count +
         "\"}]";
}

inline std::string Container(const std::string& members) {
  return R"({"jobDefinitionName":"d","type":"container","containerProperties":{)" + members + "}}";
}

inline bool Claims(const DescribedJob& job, v1::Attribute attribute) {
  for (int claimed : job.job.claimed()) {
    if (claimed == attribute) return true;
  }
  return false;
}

}  // namespace precedent::aws

#endif  // PRECEDENT_TESTS_UNIT_AWS_AWS_TEST_SUPPORT_H_
