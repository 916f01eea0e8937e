// Texts as words.
#include "precedent/internal/text_key.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "gtest/gtest.h"

namespace precedent::internal {
namespace {

using Words = std::tuple<std::uint64_t, std::uint64_t, std::uint32_t>;
Words WordsOf(const TextKey& key) { return {key.low, key.high, key.size}; }

// A copy that ends where its memory does: a sanitizer sees any byte read beyond.
Words ShortWords(const std::string& text) {
  const std::vector<char> exact(text.begin(), text.end());
  return WordsOf(ShortKey(std::string_view(exact.data(), exact.size())));
}
Words AnyWords(const std::string& text) {
  const std::vector<char> exact(text.begin(), text.end());
  return WordsOf(MakeTextKey(std::string_view(exact.data(), exact.size())));
}

TEST(TextKey, EveryBitOfAShortTextCounts) {
  for (std::size_t size = 1; size <= kShortText; ++size) {
    for (const char fill : {'\0', 'a', '\xff'}) {
      const std::string text(size, fill);
      std::set<Words> seen{ShortWords(text)};
      for (std::size_t i = 0; i < size; ++i) {
        for (int bit = 0; bit < 8; ++bit) {
          std::string other = text;
          other[i] = static_cast<char>(other[i] ^ 1 << bit);
          EXPECT_TRUE(seen.insert(ShortWords(other)).second) << size << " " << i << " " << bit;
        }
      }
    }
  }
}

TEST(TextKey, EverySizeCounts) {
  for (const char fill : {'\0', 'a'}) {
    std::set<Words> seen;
    for (std::size_t size = 0; size <= 60; ++size)
      EXPECT_TRUE(seen.insert(AnyWords(std::string(size, fill))).second) << size;
  }
}

// A short key of a long text means nothing; it only must not be that of a short text.
TEST(TextKey, ALongTextIsNoShortOne) {
  std::set<Words> seen;
  for (std::size_t size = 0; size <= kShortText; ++size) seen.insert(ShortWords(std::string(size, 'a')));
  for (std::size_t size = kShortText + 1; size <= 60; ++size)
    EXPECT_EQ(seen.count(ShortWords(std::string(size, 'a'))), 0u) << size;
}

TEST(TextKey, TheWordsOfAShortTextAreItsBytes) {
  EXPECT_EQ(WordsOf(MakeTextKey("")), Words(0, 0, 0));
  EXPECT_EQ(WordsOf(MakeTextKey(std::string_view())), Words(0, 0, 0));
  EXPECT_EQ(WordsOf(MakeTextKey("a")), Words(0x616161, 0, 1));
  EXPECT_EQ(WordsOf(MakeTextKey("abc")), Words(0x636261, 0, 3));
}

TEST(TextKey, EveryByteOfALongTextCounts) {
  for (const std::size_t size : {17, 18, 24, 31, 32, 33, 63, 64, 65, 200}) {
    const std::string text(size, 'a');
    std::set<Words> seen{AnyWords(text)};
    for (std::size_t i = 0; i < size; ++i) {
      std::string other = text;
      other[i] = 'b';
      EXPECT_TRUE(seen.insert(AnyWords(other)).second) << size << " " << i;
    }
  }
}

TEST(TextKey, DictionariesHaveTheirOwnHashes) {
  std::set<std::uint64_t> seen;
  for (std::uint32_t dictionary = 0; dictionary < 300; ++dictionary)
    for (const char* text : {"", "a", "team", "a text longer than two words"})
      EXPECT_TRUE(seen.insert(HashKey(MakeTextKey(text), dictionary)).second);
}

TEST(TextKey, ASlotIsInTheTable) {
  for (const std::uint32_t slots : {1, 2, 3, 5, 8, 100, 1000, 65'537, 1'000'000}) {
    std::set<std::size_t> seen;
    for (std::uint32_t seed = 0; seed < 200; ++seed) {
      const std::size_t slot = SlotOf(0x123456789abcdefu, seed, slots);
      EXPECT_LT(slot, slots);
      seen.insert(slot);
    }
    // Seeds lead to different places, or no part could be placed.
    EXPECT_GT(seen.size() * 2, std::min<std::size_t>(slots, 100)) << slots;
  }
}

TEST(TextKey, TheFilterHasOneBitForEachKey) {
  EXPECT_EQ(KeyFilterBit(""), 1u);
  std::uint64_t all = 0;
  for (const char* key : {"a", "ab", "tier", "app.kubernetes.io/part-of", "\xff\xfe"}) {
    const std::uint64_t bit = KeyFilterBit(key);
    EXPECT_NE(bit, 0u) << key;
    EXPECT_EQ(bit & (bit - 1), 0u) << key;
    EXPECT_EQ(bit, KeyFilterBit(std::string(key))) << key;
    all |= bit;
  }
  EXPECT_NE(all & (all - 1), 0u);
}

}  // namespace
}  // namespace precedent::internal
