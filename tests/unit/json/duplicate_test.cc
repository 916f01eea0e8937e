#include "src/json/duplicate.h"

#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "src/json/document.h"

namespace precedent::json {
namespace {

// A key that counts what is done with it.
struct CountedKey {
  int value;
  static inline long comparisons = 0;
  static inline long hashes = 0;
  friend bool operator==(const CountedKey& a, const CountedKey& b) {
    ++comparisons;
    return a.value == b.value;
  }
  template <typename H>
  friend H AbslHashValue(H state, const CountedKey& key) {
    ++hashes;
    return H::combine(std::move(state), key.value);
  }
};

std::vector<CountedKey> Keys(int count) {
  std::vector<CountedKey> keys;
  for (int i = 0; i < count; ++i) keys.push_back({i});
  return keys;
}

TEST(FindDuplicate, FindsTheFirstAtEverySizeAndPlace) {
  for (int size = 0; size <= 40; ++size) {
    const std::vector<CountedKey> keys = Keys(size);
    EXPECT_EQ(FindDuplicate(keys), keys.size());
    for (int from = 0; from < size; ++from) {
      for (int to = from + 1; to < size; ++to) {
        std::vector<CountedKey> with = keys;
        with[to].value = from;
        ASSERT_EQ(FindDuplicate(with), static_cast<std::size_t>(to)) << size << ' ' << from;
      }
    }
  }
}

TEST(FindDuplicate, CostsAFewOperationsPerKey) {
  for (const int count : {8, 9, 1000, 100'000}) {
    CountedKey::comparisons = CountedKey::hashes = 0;
    EXPECT_EQ(FindDuplicate(Keys(count)), static_cast<std::size_t>(count));
    EXPECT_LE(CountedKey::comparisons, 4L * count) << count;
    EXPECT_LE(CountedKey::hashes, 4L * count) << count;
  }
}

TEST(Document, ReadsObjectsOfAHundredThousandMembers) {
  std::string text = "{";
  for (int i = 0; i < 100'000; ++i) text += "\"key-" + std::to_string(i) + "\":0,";
  const auto good = Document::Parse(text + "\"last\":0}");
  ASSERT_TRUE(good.ok()) << good.status();
  EXPECT_EQ((*good)->root().Members().size(), 100'001u);
  const auto bad = Document::Parse(text + "\"key-5\":0}");
  EXPECT_EQ(bad.status().message(), "key-5: the key is given twice; keep one of them");
}

}  // namespace
}  // namespace precedent::json
