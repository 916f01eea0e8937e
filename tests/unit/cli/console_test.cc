#include "src/cli/console.h"

#include <string>

#include "gtest/gtest.h"

namespace precedent::cli {
namespace {

TEST(Printable, KeepsText) {
  EXPECT_EQ(Printable("plain `text`, grüße, 日本, 😀"), "plain `text`, grüße, 日本, 😀");
  EXPECT_EQ(Printable(""), "");
}

TEST(Printable, EscapesWhatSteersATerminal) {
  EXPECT_EQ(Printable("a\x1b[31m\n\t\x7f"), "a\\x1b[31m\\x0a\\x09\\x7f");
  EXPECT_EQ(Printable("\xc2\x9b"
                      "31m"),
            "\\xc2\\x9b"
            "31m");  // CSI as one code point
  EXPECT_EQ(Printable(std::string_view("\0", 1)), "\\x00");
}

TEST(Printable, EscapesWhatIsNotUtf8) {
  EXPECT_EQ(Printable("\xff"), "\\xff");
  EXPECT_EQ(Printable("a\xc3"), "a\\xc3");                           // cut off
  EXPECT_EQ(Printable("\xc0\xaf"), "\\xc0\\xaf");                    // overlong
  EXPECT_EQ(Printable("\xe0\x80\xaf"), "\\xe0\\x80\\xaf");           // overlong
  EXPECT_EQ(Printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");           // surrogate
  EXPECT_EQ(Printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");  // beyond U+10FFFF
  EXPECT_EQ(Printable("\xf0\x80\x80\x80"), "\\xf0\\x80\\x80\\x80");  // overlong
  EXPECT_EQ(Printable("\xf4\x8f\xbf\xbf"), "\xf4\x8f\xbf\xbf");
}

TEST(Truncate, CutsAtCodePoints) {
  EXPECT_EQ(Truncate("abcdef", 6), "abcdef");
  EXPECT_EQ(Truncate("abcdefg", 6), "abc...");
  EXPECT_EQ(Truncate("grüße aus", 6), "grü...");
  EXPECT_EQ(Truncate("abcdefg", 2), "..");
  EXPECT_EQ(Truncate("abcdefg", 0), "");
  EXPECT_EQ(Width("grüße"), 5u);
}

}  // namespace
}  // namespace precedent::cli
