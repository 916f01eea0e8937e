// The perfect hash table: every text is found, and nothing else is.
#include "src/policy/text_table.h"

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "precedent/internal/text_key.h"

namespace precedent::internal {
namespace {

// The class of a text, found as a binder finds it; kNone if it is not there.
std::uint32_t Find(const ImageParts& parts, std::uint32_t dictionary, const std::string& text) {
  const TextKey key = MakeTextKey(text);
  const std::uint64_t hash = HashKey(key, dictionary);
  const std::uint32_t seed = parts.text_seeds.at(hash >> parts.header.text_seed_shift);
  const TextSlot& slot = parts.text_slots.at(SlotOf(hash, seed, SizeOf(parts.text_slots)));
  if (slot.dictionary != dictionary || slot.size != key.size || slot.low != key.low ||
      slot.high != key.high)
    return kNone;
  if (text.size() > kShortText) {
    const std::string& bytes = parts.texts.bytes();
    const std::size_t from = slot.offset - sizeof(Header);
    if (from + slot.size > bytes.size() || bytes.compare(from, slot.size, text) != 0) return kNone;
  }
  return slot.klass;
}

std::string TextOf(std::size_t i) {
  const std::string number = std::to_string(i);
  switch (i % 4) {
    case 0: return number;
    case 1: return "team-" + number;
    case 2: return "registry.example.com/" + number;
    default: return std::string(i % 40, 'x') + number;
  }
}

std::vector<DictionaryEntry> Entries(std::size_t count) {
  std::vector<DictionaryEntry> entries;
  for (std::size_t i = 0; i < count; ++i)
    entries.push_back({static_cast<std::uint32_t>(i % 3), TextOf(i / 3),
                       static_cast<std::uint32_t>(i / 3) + 2});
  return entries;
}

void ExpectAllFound(const std::vector<DictionaryEntry>& entries) {
  ImageParts parts;
  ASSERT_TRUE(WriteTextTable(entries, &parts));
  ASSERT_EQ(parts.text_seeds.size(), std::size_t{1} << (64 - parts.header.text_seed_shift));
  std::size_t used = 0;
  for (const TextSlot& slot : parts.text_slots) used += slot.dictionary != kNone;
  EXPECT_EQ(used, entries.size());
  EXPECT_LE(parts.text_slots.size(), entries.size() * 5 / 4 + 4);
  for (const DictionaryEntry& e : entries) {
    ASSERT_EQ(Find(parts, e.dictionary, e.text), e.klass) << e.text;
    ASSERT_EQ(Find(parts, 3, e.text), kNone) << e.text;  // no such dictionary
    ASSERT_EQ(Find(parts, e.dictionary, e.text + "!"), kNone) << e.text;
    std::string other = e.text;
    other.back() = static_cast<char>(other.back() ^ 0x40);
    ASSERT_EQ(Find(parts, e.dictionary, other), kNone) << e.text;
  }
  EXPECT_EQ(Find(parts, 0, ""), kNone);
}

TEST(TextTable, HasEveryTextAndNoOther) {
  for (const std::size_t count : {0, 1, 2, 3, 4, 5, 7, 8, 9, 63, 64, 65, 1000}) {
    SCOPED_TRACE(count);
    ExpectAllFound(Entries(count));
  }
}

TEST(TextTable, HasAHundredThousandTexts) { ExpectAllFound(Entries(100'000)); }

TEST(TextTable, AnEmptyTextCanBeInIt) {
  ImageParts parts;
  ASSERT_TRUE(WriteTextTable({{1, "", 2}, {2, "a", 3}}, &parts));
  EXPECT_EQ(Find(parts, 1, ""), 2u);
  EXPECT_EQ(Find(parts, 2, ""), kNone);
}

// Two texts that differ and have one hash: what a binder could not tell apart by any
// seed. The first word of both is what HashKey mixes it with.
TEST(TextTable, RefusesTextsOfOneHash) {
  const std::uint64_t low = (std::uint64_t{1} << 32 | 16) * 0xd1b54a32d192ed03u;
  const auto text = [&](const char* odd) {
    std::string bytes(16, 0);
    std::memcpy(&bytes[0], &low, 4);
    std::memcpy(&bytes[8], reinterpret_cast<const char*>(&low) + 4, 4);
    std::memcpy(&bytes[4], odd, 4);
    return bytes;
  };
  ASSERT_EQ(HashKey(MakeTextKey(text("abcd")), 1), HashKey(MakeTextKey(text("efgh")), 1));
  ImageParts parts;
  EXPECT_FALSE(WriteTextTable({{1, text("abcd"), 2}, {1, text("efgh"), 3}}, &parts));
  // The same texts in different dictionaries are no matter.
  ImageParts other;
  EXPECT_TRUE(WriteTextTable({{1, text("abcd"), 2}, {2, text("efgh"), 3}}, &other));
  EXPECT_EQ(Find(other, 1, text("abcd")), 2u);
  EXPECT_EQ(Find(other, 2, text("efgh")), 3u);
}

}  // namespace
}  // namespace precedent::internal
