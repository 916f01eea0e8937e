#include <gmock/gmock.h>

#include <string>
#include <utility>
#include <vector>

#include "src/text/cursor.h"
#include "src/text/node.h"
#include "src/text/utf8.h"

namespace precedent::internal {
namespace {

TEST(TextStore, KeepsTextsOfAllSizesAcrossAMove) {
  TextStore store;
  std::vector<std::string> texts;
  for (std::size_t size : {0u, 1u, 100u, 20'000u, 65'536u, 200'000u, 3u, 16'384u, 16'385u})
    texts.push_back(std::string(size, static_cast<char>('a' + texts.size())));
  std::vector<std::string_view> kept;
  for (int round = 0; round < 20; ++round)
    for (const std::string& text : texts) kept.push_back(store.Keep(text));
  const TextStore moved = std::move(store);
  for (std::size_t i = 0; i < kept.size(); ++i) EXPECT_EQ(kept[i], texts[i % texts.size()]);
}

TEST(Utf8, AcceptsExactlyScalarValues) {
  for (std::uint32_t rune = 1; rune <= 0x10ffff; rune += rune < 0x11000 ? 1 : 97) {
    if (rune >= 0xd800 && rune < 0xe000) continue;
    std::string text = "12345678";  // beyond the eight-byte steps
    AppendUtf8(rune, &text);
    ASSERT_TRUE(IsUtf8(text)) << rune;
    // No proper prefix of a character is one.
    for (std::size_t cut = 9; cut < text.size(); ++cut)
      ASSERT_EQ(FindInvalidUtf8(text.substr(0, cut)), 8u) << rune;
  }
  for (const char* bad : {"\x80", "\xc0\x80", "\xc1\xbf", "\xe0\x9f\xbf", "\xed\xa0\x80",
                          "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff"})
    EXPECT_EQ(FindInvalidUtf8(bad), 0u);
}

TEST(Quote, ShowsOneHarmlessLine) {
  EXPECT_EQ(Quote("a b"), "`a b`");
  EXPECT_EQ(Quote("a`b\n\x1b[1m"), "`a'b??[1m`");
  EXPECT_EQ(Quote("a\xe2\x80\xaeright\xc2\x85"), "`a?right?`");
  EXPECT_EQ(Quote("\xc3\xa9"), "`\xc3\xa9`");
  EXPECT_EQ(Quote(std::string(100, 'x')), "`" + std::string(60, 'x') + "...`");
}

}  // namespace
}  // namespace precedent::internal
