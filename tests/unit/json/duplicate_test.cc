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

std::string ObjectOf(const std::vector<std::string>& keys) {
  std::string text = "{";
  for (const std::string& key : keys) text += (text.size() > 1 ? ",\"" : "\"") + key + "\":[]";
  return text + "}";
}

// Keys of every length, and such as differ in one byte anywhere.
TEST(Document, TellsAllKeysApart) {
  for (int length = 1; length <= 40; ++length) {
    std::vector<std::string> keys;
    for (int at = 0; at < length; ++at) {
      keys.push_back(std::string(length, 'a'));
      keys.back()[at] = 'b';
    }
    keys.push_back(std::string(length - 1, 'a'));
    EXPECT_TRUE(Document::Parse(ObjectOf(keys)).ok()) << length;
  }
}

TEST(Document, FindsTwoEqualKeysWhereverTheyAre) {
  for (int size = 2; size <= 40; ++size) {
    std::vector<std::string> keys;
    for (int i = 0; i < size; ++i) keys.push_back(std::string(i % 20, 'k') + std::to_string(i));
    ASSERT_TRUE(Document::Parse(ObjectOf(keys)).ok());
    for (int from = 0; from < size; ++from) {
      for (int to = from + 1; to < size; ++to) {
        std::vector<std::string> with = keys;
        with[to] = with[from];
        const auto bad = Document::Parse("[" + ObjectOf(with) + "]");
        ASSERT_FALSE(bad.ok()) << size << ' ' << from << ' ' << to;
        ASSERT_NE(bad.status().message().find(keys[from]), absl::string_view::npos);
      }
    }
  }
}

TEST(Document, ReadsObjectsOfAHundredThousandMembers) {
  std::string text = "{";
  for (int i = 0; i < 100'000; ++i) text += "\"key-" + std::to_string(i) + "\":0,";
  const auto good = Document::Parse(text + "\"last\":0}");
  ASSERT_TRUE(good.ok()) << good.status();
  EXPECT_EQ((*good)->root().Members().ToVector().size(), 100'001u);
  const auto bad = Document::Parse(text + "\"key-5\":0}");
  EXPECT_EQ(bad.status().message(), "key-5: the key is given twice; keep one of them");
}

}  // namespace
}  // namespace precedent::json
