// Each known fault in counting the GPUs of a pod, as a property of all small pods of
// its kind and not of one: how many a pod holds is found here by playing its start.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/kubernetes/kubernetes_test_support.h"

namespace precedent::kubernetes {
namespace {

using ::testing::HasSubstr;

struct Container {
  int gpus;
  bool sidecar = false;  // of an init container: runs on beside all that come after it
};

struct SmallPod {
  std::vector<Container> init;
  std::vector<Container> main;
};

// What is held at once, at the moment when it is most.
int Played(const SmallPod& pod) {
  int running = 0;
  int most = 0;
  for (const Container& container : pod.init) {
    most = std::max(most, running + container.gpus);
    if (container.sidecar) running += container.gpus;
  }
  for (const Container& container : pod.main) running += container.gpus;
  return std::max(most, running);
}

std::string ContainersOf(const std::vector<Container>& containers) {
  std::string json = "[";
  for (const Container& container : containers) {
    if (json.size() > 1) json += ',';
    json += R"({"resources":{"limits":{"nvidia.com/gpu":")" + std::to_string(container.gpus) +
            R"("}})" + (container.sidecar ? R"(,"restartPolicy":"Always"})" : "}");
  }
  return json + "]";
}

double Counted(const SmallPod& pod) {
  const DescribedJob job = MustDescribe(Pod("", R"("initContainers":)" + ContainersOf(pod.init) +
                                                    R"(,"containers":)" + ContainersOf(pod.main)));
  EXPECT_TRUE(job.job.has_gpu_count());
  return job.job.gpu_count();
}

// Every list of up to `size` containers with 0 to 2 GPUs each; of sidecars too where
// `sidecars` says so.
std::vector<std::vector<Container>> Lists(int size, bool ordinary, bool sidecars) {
  std::vector<std::vector<Container>> all = {{}};
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].size() == static_cast<std::size_t>(size)) continue;
    for (const bool sidecar : {false, true}) {
      if (sidecar ? !sidecars : !ordinary) continue;
      for (int gpus = 0; gpus <= 2; ++gpus) {
        std::vector<Container> longer = all[i];
        longer.push_back({gpus, sidecar});
        all.push_back(longer);
      }
    }
  }
  return all;
}

void ExpectCountedAsPlayed(const std::vector<std::vector<Container>>& inits) {
  for (const std::vector<Container>& init : inits) {
    for (const std::vector<Container>& main : Lists(2, true, false)) {
      const SmallPod pod{init, main};
      ASSERT_EQ(Counted(pod), Played(pod)) << ContainersOf(init) << ContainersOf(main);
    }
  }
}

TEST(GpuCounting, Case34InitContainersCountWhereTheyAreLarger) {
  ExpectCountedAsPlayed(Lists(3, true, false));
}

TEST(GpuCounting, Case35SidecarsRunBesideTheContainers) {
  ExpectCountedAsPlayed(Lists(3, false, true));
}

TEST(GpuCounting, Case37SidecarsRunBesideTheInitContainersAfterThem) {
  ExpectCountedAsPlayed(Lists(3, true, true));
}

// Of two containers, each with a request, a limit, both or neither: the limit stands
// for a request that is missing, and the containers add up.
TEST(GpuCounting, Case38ALimitStandsForAMissingRequest) {
  const auto resources = [](int requests, int limits) {
    const auto map = [](int gpus) {
      return gpus < 0 ? std::string("{}") : "{\"nvidia.com/gpu\":" + std::to_string(gpus) + "}";
    };
    return R"({"resources":{"requests":)" + map(requests) + R"(,"limits":)" + map(limits) + "}}";
  };
  for (int first = -1; first <= 2; ++first) {
    for (int limit = -1; limit <= 2; ++limit) {
      for (int other = -1; other <= 2; ++other) {
        const std::string pod = Pod("", R"("containers":[)" + resources(first, limit) + "," +
                                            resources(-1, other) + "]");
        if (first >= 0 && limit >= 0 && first != limit) {
          EXPECT_THAT(ErrorOf(pod), HasSubstr("differs from the request")) << pod;
          continue;
        }
        const int expected = std::max({first, limit, 0}) + std::max(other, 0);
        EXPECT_EQ(MustDescribe(pod).job.gpu_count(), expected) << pod;
      }
    }
  }
}

TEST(GpuCounting, Case40ZeroIsNoDeviceHoweverItIsWritten) {
  for (const char* zero : {"0", "\"0\"", "\"00\"", "\"0.0\"", "\"0e9\"", "\"0E0\"", "\"0Ki\"",
                           "\"0k\"", "\"0E\"", "\"0m\"", "\"+0\""}) {
    for (const char* name : {"nvidia.com/gpu", "nvidia.com/mig-1g.5gb", "aliyun.com/gpu-mem"}) {
      const DescribedJob job = MustDescribe(
          Pod("", R"("containers":[{"resources":{"limits":{")" + std::string(name) + "\":" + zero +
                      "}}}]"));
      EXPECT_TRUE(job.job.has_gpu_count()) << zero;
      EXPECT_EQ(job.job.gpu_count(), 0) << zero;
      EXPECT_EQ(job.job.devices().size(), 0u) << zero;
    }
  }
}

TEST(GpuCounting, Case41SharesOfMemoryAndCoresAreNoGpus) {
  for (const char* name :
       {"aliyun.com/gpu-mem", "nvidia.com/gpumem", "nvidia.com/gpucores", "volcano.sh/gpu-memory",
        "volcano.sh/vgpu-memory", "volcano.sh/vgpu-cores", "tencent.com/vcuda-core",
        "tencent.com/vcuda-memory", "nvidia.com/gpumem-percentage"}) {
    for (int shares = 1; shares <= 3; ++shares) {
      for (int whole = 0; whole <= 2; ++whole) {
        const DescribedJob job = MustDescribe(
            Pod("", R"("containers":[{"resources":{"limits":{")" + std::string(name) + "\":" +
                        std::to_string(shares) + R"(,"nvidia.com/gpu":)" + std::to_string(whole) +
                        "}}}]"));
        EXPECT_EQ(job.job.gpu_count(), whole) << name;
        EXPECT_EQ(job.job.devices().at(name), shares) << name;
      }
    }
  }
}

// Every number of up to two digits with every exponent and every suffix.
TEST(GpuCounting, Case42ExponentsAndSuffixesAreWhatTheyAreInKubernetes) {
  struct Scale {
    std::string text;
    std::int64_t factor;
  };
  std::vector<Scale> scales = {{"", 1}};
  std::int64_t power = 1;
  for (int exponent = 0; exponent <= 16; ++exponent, power *= 10) {
    for (const char* letter : {"e", "E"}) {
      for (const char* sign : {"", "+"}) {
        scales.push_back({letter + std::string(sign) + std::to_string(exponent), power});
      }
    }
  }
  power = 1;
  for (const char* suffix : {"k", "M", "G", "T", "P"}) scales.push_back({suffix, power *= 1000});
  power = 1;
  for (const char* suffix : {"Ki", "Mi", "Gi", "Ti", "Pi"}) {
    scales.push_back({suffix, power *= 1024});
  }
  for (const Scale& scale : scales) {
    for (const int number : {0, 1, 2, 9, 10, 12, 99}) {
      const std::string text = std::to_string(number) + scale.text;
      const DescribedJob job = MustDescribe(Pod(
          "", R"("containers":[{"resources":{"limits":{"nvidia.com/gpu":")" + text + "\"}}}]"));
      const auto found = job.job.devices().find("nvidia.com/gpu");
      EXPECT_EQ(found == job.job.devices().end() ? 0 : found->second, number * scale.factor)
          << text;
    }
  }
  // A bare E is exa, and there is no exponent without digits.
  const DescribedJob exa = MustDescribe(
      Pod("", R"("containers":[{"resources":{"limits":{"nvidia.com/gpu":"1E"}}}])"));
  EXPECT_EQ(exa.job.devices().at("nvidia.com/gpu"), 1'000'000'000'000'000'000);
  for (const char* bad : {"1e", "1e+", "1Ee", "1E1E", "1ke3", "e3"}) {
    EXPECT_NE(ErrorOf(Pod("", R"("containers":[{"resources":{"limits":{"nvidia.com/gpu":")" +
                                  std::string(bad) + "\"}}}]")),
              "OK")
        << bad;
  }
}

}  // namespace
}  // namespace precedent::kubernetes
