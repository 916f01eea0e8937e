// Equal keys have equal hashes, so an object whose keys' hashes all differ has no key
// twice. Most objects are small: a word with a bit for each hash then tells nearly all
// keys apart, and those few whose bit is taken are compared with those before them,
// which costs less than any set. The hash is fast and not strong, and whoever writes a
// text can make hashes equal: that leads to a closer look and to no other harm.
#include "src/json/screen.h"

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "absl/container/inlined_vector.h"
#include "absl/strings/string_view.h"
#include "src/json/duplicate.h"
#include "src/json/limits.h"

namespace precedent::json {
namespace {

constexpr std::size_t kFew = 32;

std::uint64_t Load64(const char* at) {
  std::uint64_t value;
  std::memcpy(&value, at, sizeof(value));
  return value;
}

std::uint64_t Load32(const char* at) {
  std::uint32_t value;
  std::memcpy(&value, at, sizeof(value));
  return value;
}

// Every byte counts: keys that differ in the middle alone are common (`k:{"name":"a"}`
// in managed fields).
inline std::uint32_t Hash(std::string_view key) {
  constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15u;
  const char* at = key.data();
  const std::size_t size = key.size();
  std::uint64_t state = size * kOdd;
  std::uint64_t last = 0;
  if (size >= 8) {
    for (const char* const end = at + size - 8; at < end; at += 8) {
      state = (state ^ Load64(at)) * kOdd;
      state ^= state >> 32;
    }
    last = Load64(key.data() + size - 8);
  } else if (size >= 4) {
    last = Load32(at) << 32 | Load32(at + size - 4);
  } else if (size > 0) {
    const auto byte = [&](std::size_t i) { return std::uint64_t{static_cast<unsigned char>(at[i])}; };
    last = byte(0) << 16 | byte(size / 2) << 8 | byte(size - 1);
  }
  return static_cast<std::uint32_t>(((state ^ last) * kOdd) >> 32);
}

// Exact. For objects with many members, or with hashes that are equal.
bool HasDuplicate(simdjson::dom::object object) {
  absl::InlinedVector<absl::string_view, kFew> keys;
  for (const simdjson::dom::key_value_pair member : object) {
    keys.push_back({member.key.data(), member.key.size()});
  }
  return FindDuplicate(keys) != keys.size();
}

bool AreKeysClean(simdjson::dom::element element, int depth);

bool AreKeysClean(simdjson::dom::object object, int depth) {
  if (depth > kMaxDepth) return false;
  std::uint32_t hashes[kFew];
  std::size_t count = 0;
  std::uint64_t seen = 0;
  bool differ = true;
  for (const simdjson::dom::key_value_pair member : object) {
    if (count < kFew) {
      const std::uint32_t hash = Hash(member.key);
      const std::uint64_t bit = std::uint64_t{1} << (hash % 64);
      if ((seen & bit) != 0) {
        for (std::size_t i = 0; i < count; ++i) differ = differ && hashes[i] != hash;
      }
      seen |= bit;
      hashes[count] = hash;
    }
    ++count;
    if (!AreKeysClean(member.value, depth)) return false;
  }
  return (differ && count <= kFew) || !HasDuplicate(object);
}

bool AreKeysClean(simdjson::dom::array array, int depth) {
  if (depth > kMaxDepth) return false;
  for (const simdjson::dom::element item : array) {
    if (!AreKeysClean(item, depth)) return false;
  }
  return true;
}

// Depth is bounded by the parser too.
inline bool AreKeysClean(simdjson::dom::element element, int depth) {
  switch (element.type()) {
    case simdjson::dom::element_type::OBJECT:
      return AreKeysClean(element.get_object().value_unsafe(), depth + 1);
    case simdjson::dom::element_type::ARRAY:
      return AreKeysClean(element.get_array().value_unsafe(), depth + 1);
    default:
      return true;
  }
}

// In JSON, a NUL is written \u0000 and no other way. REQUIRES: valid JSON, so that a
// backslash begins an escape of two characters or more.
bool HasNul(std::string_view text) {
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    at = static_cast<const char*>(std::memchr(at, '\\', static_cast<std::size_t>(end - at)));
    if (at == nullptr) return false;
    if (end - at >= 6 && std::memcmp(at, "\\u0000", 6) == 0) return true;
    at += 2;
  }
  return false;
}

}  // namespace

bool IsClean(std::string_view text, simdjson::dom::element root) {
  return !HasNul(text) && AreKeysClean(root, 0);
}

}  // namespace precedent::json
