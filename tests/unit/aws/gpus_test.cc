// GPUs and nodes: definition and override, all three kinds of containers, ranges.
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/aws/aws_test_support.h"

namespace precedent::aws {
namespace {

using ::testing::HasSubstr;

double Gpus(const std::string& request, const std::string& definition) {
  const DescribedJob job = MustDescribe(request, definition);
  EXPECT_TRUE(job.job.has_gpu_count());
  return job.job.gpu_count();
}

TEST(Container, OverrideReplacesTheSameType) {
  EXPECT_EQ(Gpus(Request(), Container(Gpu("2"))), 2);
  EXPECT_EQ(Gpus(Request(R"("containerOverrides":{)" + Gpu("4") + "}"), Container(Gpu("2"))), 4);
  EXPECT_EQ(Gpus(Request(R"("containerOverrides":{)" + Gpu("4") + "}"), Container("")), 4);
  EXPECT_EQ(
      Gpus(Request(
               R"("containerOverrides":{"resourceRequirements":[{"type":"MEMORY","value":"1"}]})"),
           Container(Gpu("2"))),
      2);
  EXPECT_EQ(Gpus(Request(), Container("\"image\":\"gpu\"")), 0);
  const DescribedJob job = MustDescribe(Request(), Container(Gpu("2")));
  EXPECT_EQ(job.job.devices().at("nvidia.com/gpu"), 2);
  EXPECT_EQ(job.job.pod_count(), 1);
  EXPECT_TRUE(job.remarks.empty());
}

TEST(Container, BadCountsNameTheirPlace) {
  for (const char* bad : {"-1", "1.0", "0.5", "1e30", "", "x", "9223372036854775808"}) {
    EXPECT_THAT(ErrorOf(Request(), Container(Gpu(bad))),
                HasSubstr("definition: containerProperties.resourceRequirements[1].value: `"))
        << bad;
  }
  EXPECT_THAT(ErrorOf(Request(
                  R"("containerOverrides":{"resourceRequirements":[{"type":"GPU","value":1}]})")),
              HasSubstr("containerOverrides.resourceRequirements[0].value: must be a string"));
  EXPECT_THAT(ErrorOf(Request(), Container(R"("resourceRequirements":[{"type":"GPU"}])")),
              HasSubstr("value: is missing"));
  EXPECT_THAT(ErrorOf(Request(), Container(R"("resourceRequirements":[{"type":"GPU","value":"1"},)"
                                           R"({"type":"GPU","value":"1"}])")),
              HasSubstr("twice"));
}

TEST(NoDefinition, TellsWhatTheRequestTells) {
  DescribedJob job = MustDescribe(Request());
  EXPECT_FALSE(job.job.has_gpu_count());
  EXPECT_FALSE(job.job.has_pod_count());
  EXPECT_EQ(job.job.devices().size(), 0u);
  ASSERT_EQ(job.remarks.size(), 1u);
  EXPECT_THAT(job.remarks[0], HasSubstr("gpu_count is absent"));
  job = MustDescribe(Request(R"("containerOverrides":{)" + Gpu("4") + "}"));
  EXPECT_EQ(job.job.gpu_count(), 4);
  EXPECT_EQ(job.job.pod_count(), 1);
  job = MustDescribe(Request(R"("containerOverrides":{"environment":[]})"));
  EXPECT_FALSE(job.job.has_gpu_count());
  EXPECT_EQ(job.job.pod_count(), 1);
  job = MustDescribe(Request(R"("nodeOverrides":{"numNodes":6,"nodePropertyOverrides":[]})"));
  EXPECT_FALSE(job.job.has_gpu_count());
  EXPECT_EQ(job.job.pod_count(), 6);
}

std::string Nodes(const std::string& ranges, int nodes = 10) {
  return R"({"type":"multinode","nodeProperties":{"mainNode":0,"numNodes":)" +
         std::to_string(nodes) + R"(,"nodeRangeProperties":[)" + ranges + "]}}";
}
std::string Range(const std::string& target, const std::string& gpus) {
  return R"({"targetNodes":")" + target + R"(","container":{)" + Gpu(gpus) + "}}";
}

TEST(MultiNode, Ranges) {
  EXPECT_EQ(Gpus(Request(), Nodes(Range("0:", "8"))), 80);
  EXPECT_EQ(Gpus(Request(), Nodes(Range(":9", "8"))), 80);
  EXPECT_EQ(Gpus(Request(), Nodes(Range("0:9", "8"))), 80);
  EXPECT_EQ(Gpus(Request(), Nodes(Range("0", "0") + "," + Range("1:9", "8"))), 72);
  // The inner range wins, whichever comes first.
  EXPECT_EQ(Gpus(Request(), Nodes(Range("0:10", "1") + "," + Range("4:5", "8"))), 8 + 16);
  EXPECT_EQ(Gpus(Request(), Nodes(Range("4:5", "8") + "," + Range("0:", "1"))), 8 + 16);
  EXPECT_EQ(
      Gpus(Request(), Nodes(Range("0:", "1") + "," + Range("2:8", "2") + "," + Range("5", "0"))),
      3 + 12);
  // Ranges reach beyond the nodes.
  EXPECT_EQ(Gpus(Request(), Nodes(Range("0:99", "1") + "," + Range("50", "9"))), 10);
  EXPECT_EQ(MustDescribe(Request(), Nodes(Range("0:", "8"))).job.pod_count(), 10);
}

TEST(MultiNode, Overrides) {
  const auto overrides = [](const std::string& members) {
    return Request(R"("nodeOverrides":{)" + members + "}");
  };
  const std::string open = Nodes(Range("0", "0") + "," + Range("1:", "8"));
  EXPECT_EQ(Gpus(overrides(R"("numNodes":3)"), open), 16);
  EXPECT_EQ(Gpus(overrides(R"("numNodes":1)"), open), 0);
  EXPECT_EQ(MustDescribe(overrides(R"("numNodes":3)"), open).job.pod_count(), 3);
  EXPECT_THAT(ErrorOf(overrides(R"("numNodes":3)"), Nodes(Range("0:9", "8"))),
              HasSubstr("nodeOverrides.numNodes: "));
  EXPECT_EQ(
      Gpus(overrides(R"("nodePropertyOverrides":[{"targetNodes":"2:3","containerOverrides":{)" +
                     Gpu("1") + "}}]"),
           open),
      7 * 8 + 2);
  EXPECT_EQ(Gpus(overrides(R"("numNodes":2147483647)"), Nodes(Range("0:", "1"))), 2147483647);
  EXPECT_THAT(ErrorOf(overrides(""), Container(Gpu("1"))), HasSubstr("nodeOverrides: "));
}

TEST(MultiNode, Mistakes) {
  for (const char* bad : {"", ":", "a", "-1", "1:0", "0:1:2", " 0", "0-3", "99999999999", "1.5"}) {
    EXPECT_THAT(ErrorOf(Request(), Nodes(Range(bad, "1"))),
                HasSubstr("definition: nodeProperties.nodeRangeProperties[0].targetNodes: `"))
        << bad;
  }
  EXPECT_THAT(ErrorOf(Request(), Nodes(Range("0:4", "1") + "," + Range("6:", "1"))),
              HasSubstr("no range describes node 5"));
  EXPECT_THAT(ErrorOf(Request(), Nodes("")), HasSubstr("no range describes node 0"));
  EXPECT_THAT(ErrorOf(Request(), Nodes(R"({"container":{}})")),
              HasSubstr("targetNodes: is missing"));
  EXPECT_THAT(ErrorOf(Request(), R"({"nodeProperties":{"nodeRangeProperties":[]}})"),
              HasSubstr("nodeProperties.numNodes: is missing"));
  EXPECT_NE(ErrorOf(Request(), Nodes(Range("0:", "1"), 0)), "OK");
  EXPECT_THAT(ErrorOf(Request(), Nodes(Range("0:", "9223372036854775807"))),
              HasSubstr("more than can be counted"));
  std::string many;
  for (int i = 0; i < 101; ++i) many += (i == 0 ? "" : ",") + Range("0:", "1");
  EXPECT_THAT(ErrorOf(Request(), Nodes(many)), HasSubstr("at most 100"));
}

TEST(Eks, PodsByTheRuleOfKubernetes) {
  const std::string definition =
      R"({"eksProperties":{"podProperties":{"initContainers":[{"name":"i","resources":{"limits":)"
      R"({"nvidia.com/gpu":"3"}}}],"containers":[{"name":"a","image":"r/a","resources":{"limits":)"
      R"({"cpu":"1","nvidia.com/gpu":"1"}}},{"name":"b","resources":{"requests":{"nvidia.com/gpu":"1"}}}]}}})";
  EXPECT_EQ(Gpus(Request(), definition), 3);
  const auto pod = [](const std::string& containers) {
    return Request(R"("eksPropertiesOverride":{"podProperties":{"containers":[)" + containers +
                   "]}}");
  };
  EXPECT_EQ(Gpus(pod(R"({"name":"b","resources":{"limits":{"nvidia.com/gpu":"4"}}})"), definition),
            5);
  EXPECT_EQ(Gpus(pod(R"({"name":"b","resources":{"limits":{"cpu":"4"}}})"), definition), 3);
  EXPECT_EQ(MustDescribe(pod(R"({"name":"a","image":"r/other"})"), definition).job.image(),
            "r/other");
  EXPECT_EQ(MustDescribe(pod(R"({"name":"b","image":"r/other"})"), definition).job.image(), "r/a");
  EXPECT_THAT(
      ErrorOf(pod(R"({"name":"b","resources":{"limits":{"nvidia.com/gpu":"0.5"}}})"), definition),
      HasSubstr("eksPropertiesOverride.podProperties.containers[0].resources.limits"));
}

TEST(Ecs, ContainersOfTheTask) {
  const std::string definition =
      R"({"ecsProperties":{"taskProperties":[{"containers":[{"name":"a",)" + Gpu("1") +
      R"(,"image":"r/a"},{"name":"b",)" + Gpu("2") + "}]}]}}";
  EXPECT_EQ(Gpus(Request(), definition), 3);
  EXPECT_EQ(
      Gpus(Request(R"("ecsPropertiesOverride":{"taskProperties":[{"containers":[{"name":"b",)" +
                   Gpu("8") + "}]}]}"),
           definition),
      9);
  EXPECT_EQ(MustDescribe(Request(), definition).job.image(), "r/a");
}

TEST(Definition, MustBeOne) {
  EXPECT_THAT(ErrorOf(Request(), "{}"), HasSubstr("definition: gives none of containerProperties"));
  for (const char* text : {"null", "[]", "1", "{", " "})
    EXPECT_NE(ErrorOf(Request(), text), "OK") << text;
}

}  // namespace
}  // namespace precedent::aws
