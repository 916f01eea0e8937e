// CRC-32C (Castagnoli), as in RFC 3720.
#ifndef PRECEDENT_SRC_LINEAGE_CRC32C_H_
#define PRECEDENT_SRC_LINEAGE_CRC32C_H_

#include <array>
#include <cstdint>
#include <string_view>

namespace precedent::lineage {

inline std::uint32_t ExtendCrc32c(std::uint32_t crc, std::string_view bytes) {
  static constexpr auto kTable = [] {
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t i = 0; i < 256; ++i) {
      std::uint32_t value = i;
      for (int bit = 0; bit < 8; ++bit)
        value = value >> 1 ^ ((value & 1) != 0 ? 0x82f63b78u : 0);
      table[i] = value;
    }
    return table;
  }();
  crc = ~crc;
  for (const char c : bytes)
    crc = crc >> 8 ^ kTable[(crc ^ static_cast<unsigned char>(c)) & 0xff];
  return ~crc;
}

}  // namespace precedent::lineage

#endif  // PRECEDENT_SRC_LINEAGE_CRC32C_H_
