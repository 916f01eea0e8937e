// What the tests of the Kubernetes adapter share.
#ifndef PRECEDENT_TESTS_UNIT_KUBERNETES_KUBERNETES_TEST_SUPPORT_H_
#define PRECEDENT_TESTS_UNIT_KUBERNETES_KUBERNETES_TEST_SUPPORT_H_

#include <string>

#include "gtest/gtest.h"
#include "precedent/kubernetes.h"

namespace precedent::kubernetes {

// The description of `json` under default options, or of what `options` says; a
// failed test where it is invalid.
inline DescribedJob MustDescribe(const std::string& json, const v1::AdapterOptions& options = {}) {
  const auto adapter = Adapter::Create(options);
  EXPECT_TRUE(adapter.ok()) << adapter.status();
  if (!adapter.ok()) return {};
  const auto job = adapter->Describe(json);
  EXPECT_TRUE(job.ok()) << job.status() << "\n" << json;
  return job.ok() ? *job : DescribedJob();
}

// The error message of `json`; "OK" where it is valid.
inline std::string ErrorOf(const std::string& json, const v1::AdapterOptions& options = {}) {
  const auto job = Adapter::Create(options)->Describe(json);
  if (job.ok()) return "OK";
  EXPECT_EQ(job.status().code(), absl::StatusCode::kInvalidArgument) << job.status();
  return std::string(job.status().message());
}

// A pod whose metadata and spec hold `metadata` and `spec`, each a list of members.
inline std::string Pod(const std::string& metadata, const std::string& spec = "") {
  return R"({"apiVersion":"v1","kind":"Pod","metadata":{)" + metadata + R"(},"spec":{)" + spec +
         "}}";
}

inline bool Claims(const DescribedJob& job, v1::Attribute attribute) {
  for (int claimed : job.job.claimed()) {
    if (claimed == attribute) return true;
  }
  return false;
}

}  // namespace precedent::kubernetes

#endif  // PRECEDENT_TESTS_UNIT_KUBERNETES_KUBERNETES_TEST_SUPPORT_H_
