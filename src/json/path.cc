#include "src/json/path.h"

#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace precedent::json {
namespace {

constexpr std::size_t kMaxPrinted = 120;

bool IsIdentifier(std::string_view key) {
  if (key.empty() || key.size() > kMaxPrinted) return false;
  for (char c : key) {
    if (!absl::ascii_isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '-') return false;
  }
  return !absl::ascii_isdigit(static_cast<unsigned char>(key[0]));
}

// Bytes of the UTF-8 character at the start of `text`, 0 where there is none or
// where it is a control or direction character that could fake a line of a log.
std::size_t PrintableLength(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return first >= 0x20 && first != 0x7f ? 1 : 0;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 0;
  if (length == 0 || first > 0xf4 || text.size() < length) return 0;
  unsigned code = first & (0xffu >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
    code = (code << 6) | (byte(i) & 0x3fu);
  }
  const bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  if (overlong || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return 0;
  const bool c1_control = code < 0xa0;
  const bool line_break = code == 0x2028 || code == 0x2029;
  const bool direction = (code >= 0x200e && code <= 0x200f) || (code >= 0x202a && code <= 0x202e) ||
                         (code >= 0x2066 && code <= 0x2069) || code == 0x061c;
  return c1_control || line_break || direction ? 0 : length;
}

}  // namespace

std::string Printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    if (out.size() >= kMaxPrinted) {
      out += "...";
      break;
    }
    const std::size_t length = PrintableLength(text);
    if (length == 0) {
      absl::StrAppend(&out, "\\x", absl::Hex(static_cast<unsigned char>(text[0]), absl::kZeroPad2));
      text.remove_prefix(1);
    } else {
      out.append(text.data(), length);
      text.remove_prefix(length);
    }
  }
  return out;
}

std::string PathText(const PathStep* step) {
  std::vector<const PathStep*> steps;
  for (; step != nullptr; step = step->parent) steps.push_back(step);
  std::string out;
  for (auto it = steps.rbegin(); it != steps.rend(); ++it) {
    const PathStep& s = **it;
    if (s.index != PathStep::kNoIndex) {
      absl::StrAppend(&out, "[", s.index, "]");
    } else if (IsIdentifier(s.key)) {
      if (!out.empty()) out += '.';
      out.append(s.key.data(), s.key.size());
    } else {
      absl::StrAppend(&out, "[\"", Printable(s.key), "\"]");
    }
  }
  return out;
}

void AppendPointerStep(std::string_view name, std::string* pointer) {
  pointer->push_back('/');
  for (const char c : name) {
    if (c == '~') {
      pointer->append("~0");
    } else if (c == '/') {
      pointer->append("~1");
    } else {
      pointer->push_back(c);
    }
  }
}

void AppendPointer(const PathStep* step, const PathStep* root, std::string* pointer) {
  if (step == root || step == nullptr) return;
  AppendPointer(step->parent, root, pointer);
  if (step->index != PathStep::kNoIndex) {
    absl::StrAppend(pointer, "/", step->index);
  } else {
    AppendPointerStep(step->key, pointer);
  }
}

bool IsSamePlace(const PathStep* a, const PathStep* b) {
  while (a != b) {
    if (a == nullptr || b == nullptr || a->index != b->index || a->key != b->key) return false;
    a = a->parent;
    b = b->parent;
  }
  return true;
}

}  // namespace precedent::json
