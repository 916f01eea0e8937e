// Shared libraries that read come and go, while threads that read through them stay.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "precedent/internal/published.h"

namespace precedent::internal {
namespace {

using Cell = Published<std::uint64_t>;

TEST(Dlopen, TwoHundredTimesWithThreadsThatOutliveTheLibrary) {
  Cell cell(64, 64);
  ASSERT_EQ(cell.Publish(7, [](const std::uint64_t*) { return true; }), Publication::kDone);
  for (std::uint64_t round = 0; round < 200; ++round) {
    void* library = dlopen(PRECEDENT_PLUGIN, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library, nullptr) << round << ": " << dlerror();
    const auto own = reinterpret_cast<int (*)(std::uint64_t)>(dlsym(library, "plugin_own"));
    const auto read =
        reinterpret_cast<std::uint64_t (*)(void*)>(dlsym(library, "plugin_read"));
    ASSERT_NE(own, nullptr);
    ASSERT_NE(read, nullptr);
    std::atomic<int> used{0}, wrong{0};
    std::atomic<bool> unloaded{false};
    std::vector<std::thread> threads;
    for (int i = 0; i < 2; ++i)
      threads.emplace_back([&] {
        if (own(round) != 0) ++wrong;
        if (read(&cell) != 7 + round) ++wrong;
        ++used;
        // Ends after the library: nothing of the library may run then.
        while (!unloaded) std::this_thread::yield();
      });
    while (used != 2) std::this_thread::yield();
    ASSERT_EQ(dlclose(library), 0);
    // Really gone: a symbol that is unique in the process would have kept it.
    ASSERT_EQ(dlopen(PRECEDENT_PLUGIN, RTLD_NOW | RTLD_NOLOAD), nullptr);
    unloaded = true;
    for (std::thread& thread : threads) thread.join();
    ASSERT_EQ(wrong, 0);
    ASSERT_EQ(cell.Publish(8 + round, [](const std::uint64_t*) { return true; }),
              Publication::kDone);
  }
  EXPECT_EQ(cell.counts().retired, 0u);
}

}  // namespace
}  // namespace precedent::internal
