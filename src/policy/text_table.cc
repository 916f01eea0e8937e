// Hash and displace: entries are parted by the top bits of their hash; the largest
// part first, each takes the least seed that sends all its entries to free slots.
#include "src/policy/text_table.h"

#include <algorithm>
#include <cstdint>

#include "precedent/internal/text_key.h"

namespace precedent::internal {
namespace {

constexpr std::uint32_t kMaxSeed = 1 << 14;
constexpr int kMaxAttempts = 6;

struct Hashed {
  std::uint64_t hash = 0;
  std::uint32_t entry = 0;
};

std::uint32_t LogAtLeast(std::size_t n) {
  std::uint32_t log = 1;
  while ((std::size_t{1} << log) < n) ++log;
  return log;
}

// Fills `slots` with entry numbers, or returns false.
bool Place(const std::vector<std::vector<Hashed>>& parts, const std::vector<std::uint32_t>& order,
           std::vector<std::uint32_t>* seeds, std::vector<std::uint32_t>* slots) {
  const auto count = static_cast<std::uint32_t>(slots->size());
  std::vector<std::size_t> places;
  for (const std::uint32_t part : order) {
    std::uint32_t seed = 0, tried = 0;
    for (; tried < kMaxSeed; ++tried, seed += 0x9e3779b9u) {
      places.clear();
      bool free = true;
      for (const Hashed& h : parts[part]) {
        const std::size_t place = SlotOf(h.hash, seed, count);
        free = (*slots)[place] == kNone &&
               std::find(places.begin(), places.end(), place) == places.end();
        if (!free) break;
        places.push_back(place);
      }
      if (free) break;
    }
    if (tried == kMaxSeed) return false;
    (*seeds)[part] = seed;
    for (std::size_t i = 0; i < places.size(); ++i) (*slots)[places[i]] = parts[part][i].entry;
  }
  return true;
}

}  // namespace

bool WriteTextTable(const std::vector<DictionaryEntry>& entries, ImageParts* out) {
  std::vector<TextKey> keys;
  keys.reserve(entries.size());
  for (const DictionaryEntry& e : entries) keys.push_back(MakeTextKey(e.text));

  const std::uint32_t seed_log = LogAtLeast(entries.size() / 3 + 1);
  std::vector<std::vector<Hashed>> parts(std::size_t{1} << seed_log);
  for (std::uint32_t i = 0; i < entries.size(); ++i) {
    const std::uint64_t hash = HashKey(keys[i], entries[i].dictionary);
    parts[hash >> (64 - seed_log)].push_back({hash, i});
  }
  std::vector<std::uint32_t> order(parts.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return parts[a].size() > parts[b].size();
  });

  for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
    // 19 of 20 slots taken, then fewer.
    const std::size_t size = entries.size() + entries.size() * (attempt * 4 + 1) / 20 + 1;
    std::vector<std::uint32_t> seeds(parts.size()), slots(size, kNone);
    if (!Place(parts, order, &seeds, &slots)) continue;
    out->header.text_seed_shift = 64 - seed_log;
    out->text_seeds = std::move(seeds);
    out->text_slots.resize(slots.size());
    for (std::size_t s = 0; s < slots.size(); ++s) {
      if (slots[s] == kNone) continue;
      const DictionaryEntry& e = entries[slots[s]];
      const TextKey& key = keys[slots[s]];
      TextSlot& slot = out->text_slots[s];
      slot = {key.low, key.high, key.size, e.dictionary, e.klass, 0};
      if (e.text.size() > kShortText) slot.offset = out->texts.Intern(e.text).offset;
    }
    return true;
  }
  return false;
}

}  // namespace precedent::internal
