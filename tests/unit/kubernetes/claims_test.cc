// Devices by claim: counted where the claim or its template is at hand.
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/kubernetes/kubernetes_test_support.h"

namespace precedent::kubernetes {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string Template(const std::string& requests, const std::string& name = "t",
                     const std::string& namespace_name = "") {
  return R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaimTemplate","metadata":{"name":")" +
         name + "\"" + (namespace_name.empty() ? "" : R"(,"namespace":")" + namespace_name + "\"") +
         R"(},"spec":{"spec":{"devices":{"requests":[)" + requests + "]}}}}";
}

DescribedJob With(std::initializer_list<std::string> claims, const std::string& object,
                  const v1::AdapterOptions& options = {}) {
  DeviceClaims known;
  for (const std::string& claim : claims) {
    const absl::Status status = known.Add(claim);
    EXPECT_TRUE(status.ok()) << status << claim;
  }
  const auto job = Adapter::Create(options)->Describe(object, known);
  EXPECT_TRUE(job.ok()) << job.status();
  return *job;
}

const char* const kRequest = R"({"name":"g","exactly":{"deviceClassName":"gpu.example.com"}})";
const char* const kNames = R"("resourceClaims":[{"name":"c","resourceClaimTemplateName":"t"}])";

TEST(Claims, CountedOncePerClaimHoweverManyContainersUseIt) {
  const std::string pod = Pod(
      "",
      std::string(kNames) +
          R"(,"containers":[{"resources":{"claims":[{"name":"c"}]}},{"resources":{"claims":[{"name":"c"}]}}])");
  const DescribedJob job = With({Template(kRequest)}, pod);
  EXPECT_EQ(job.job.gpu_count(), 1);
  EXPECT_EQ(job.job.devices_size(), 0);
  EXPECT_THAT(job.remarks, ElementsAre());
  EXPECT_EQ(With({Template(std::string(kRequest) + "," +
                           R"({"name":"h","exactly":{"deviceClassName":"x","count":3}})")},
                 pod)
                .job.gpu_count(),
            4);
  // As it was before resource.k8s.io/v1beta2.
  EXPECT_EQ(
      With({Template(R"({"name":"g","deviceClassName":"x","count":2})")}, pod).job.gpu_count(), 2);
}

TEST(Claims, AbsentAndNotZeroWithoutTheClaim) {
  const DescribedJob job =
      With({Template(kRequest, "other"), Template(kRequest, "t", "elsewhere")}, Pod("", kNames));
  EXPECT_FALSE(job.job.has_gpu_count());
  EXPECT_THAT(job.remarks, ElementsAre(HasSubstr("spec.resourceClaims[0]: the claim's object is "
                                                 "not at hand; gpu_count is absent")));
}

TEST(Claims, OfATemplateForEachPodOfAClaimForAll) {
  const auto job = [](const std::string& names) {
    return R"({"apiVersion":"batch/v1","kind":"Job","spec":{"parallelism":4,"template":{"spec":{)" +
           names + "}}}}";
  };
  EXPECT_EQ(With({Template(kRequest)}, job(kNames)).job.gpu_count(), 4);
  std::string claim =
      R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{"name":"s"},)"
      R"("spec":{"devices":{"requests":[)" +
      std::string(kRequest) + "]}}}";
  EXPECT_EQ(With({claim}, job(R"("resourceClaims":[{"name":"c","resourceClaimName":"s"}])"))
                .job.gpu_count(),
            1);
}

TEST(Claims, WhatHasNoNumber) {
  const std::pair<const char*, const char*> rows[] = {
      {R"({"exactly":{"deviceClassName":"x","allocationMode":"All"}})", "asks for all devices"},
      {R"({"exactly":{"deviceClassName":"x","adminAccess":true}})", "admin access"},
      {R"({"firstAvailable":[{"deviceClassName":"x","count":1},{"deviceClassName":"x","count":2}]})",
       "one of several things"},
      {R"({"exactly":{"deviceClassName":"mig.nvidia.com"}})", "device_weights"},
  };
  for (const auto& [request, words] : rows) {
    const DescribedJob job = With({Template(request)}, Pod("", kNames));
    EXPECT_FALSE(job.job.has_gpu_count()) << request;
    EXPECT_THAT(job.remarks, ElementsAre(HasSubstr(words)));
  }
}

TEST(Claims, WeighedByDeviceClass) {
  v1::AdapterOptions options;
  (*options.mutable_device_weights())["mig.nvidia.com"] = 0.5;
  (*options.mutable_device_weights())["nic.example.com"] = 0;
  EXPECT_EQ(With({Template(R"({"exactly":{"deviceClassName":"mig.nvidia.com","count":3}},)"
                           R"({"exactly":{"deviceClassName":"nic.example.com"}})")},
                 Pod("", kNames), options)
                .job.gpu_count(),
            1.5);
}

TEST(Claims, OnlyClaims) {
  DeviceClaims claims;
  EXPECT_EQ(claims.Add(Pod("")).code(), absl::StatusCode::kUnimplemented);
  EXPECT_EQ(claims.Add("{").code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(claims.Add(Template(R"({"exactly":{"count":-1}})")).code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(claims.Add(Template(kRequest, "")).message(), "metadata.name: is missing");
}

}  // namespace
}  // namespace precedent::kubernetes
