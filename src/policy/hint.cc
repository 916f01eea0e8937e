#include "src/policy/hint.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "src/text/cursor.h"

namespace precedent::internal {
namespace {

constexpr std::size_t kLongestName = 64;
constexpr std::size_t kMostNames = 1000;
constexpr std::size_t kFewNames = 6;

char Fold(char c) {
  if (c >= 'A' && c <= 'Z') return static_cast<char>(c - 'A' + 'a');
  return c == '-' ? '_' : c;
}

// Edits between two names, at most kLongestName long, with swaps of neighbours
// (optimal string alignment).
std::size_t Distance(std::string_view a, std::string_view b) {
  using Row = std::array<std::size_t, kLongestName + 1>;
  Row before_last{}, last{}, row{};
  for (std::size_t k = 0; k <= b.size(); ++k) last[k] = k;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t k = 1; k <= b.size(); ++k) {
      const std::size_t other = Fold(a[i - 1]) != Fold(b[k - 1]);
      row[k] = std::min({last[k] + 1, row[k - 1] + 1, last[k - 1] + other});
      if (i > 1 && k > 1 && Fold(a[i - 1]) == Fold(b[k - 2]) && Fold(a[i - 2]) == Fold(b[k - 1]))
        row[k] = std::min(row[k], before_last[k - 2] + 1);
    }
    before_last = last;
    last = row;
  }
  return last[b.size()];
}

}  // namespace

std::string_view NearestName(std::string_view name, const std::vector<std::string_view>& known) {
  if (name.empty() || name.size() > kLongestName) return {};
  std::size_t best = std::max<std::size_t>(1, name.size() / 3) + 1;
  std::string_view nearest;
  for (std::size_t i = 0; i < std::min(known.size(), kMostNames); ++i) {
    const std::string_view candidate = known[i];
    const std::size_t longer = std::max(candidate.size(), name.size());
    const std::size_t shorter = std::min(candidate.size(), name.size());
    if (candidate.empty() || candidate.size() > kLongestName || longer - shorter >= best) continue;
    const std::size_t distance = Distance(name, candidate);
    if (distance < best) {
      best = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

std::string DidYouMean(std::string_view name, const std::vector<std::string_view>& known) {
  const std::string_view nearest = NearestName(name, known);
  if (!nearest.empty()) return "did you mean " + Quote(nearest) + "?";
  if (known.empty() || known.size() > kFewNames) return {};
  std::string hint = known.size() == 1 ? "known is " : "known are ";
  for (std::size_t i = 0; i < known.size(); ++i) hint += (i == 0 ? "" : ", ") + Quote(known[i]);
  return hint;
}

}  // namespace precedent::internal
