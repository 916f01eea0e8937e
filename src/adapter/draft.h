// Draft: a described job in the making.
#ifndef PRECEDENT_SRC_ADAPTER_DRAFT_H_
#define PRECEDENT_SRC_ADAPTER_DRAFT_H_

#include <cstdint>
#include <string>
#include <utility>

#include "precedent/described_job.h"
#include "precedent/v1/job.pb.h"

namespace precedent::adapter {

struct Draft {
  DescribedJob out;
  // Lineage as the metadata say it, where `out` has what the platform knows besides.
  v1::Lineage carried;
  // Bit per v1::Attribute, as in JobDescriptor::claimed.
  std::uint32_t claimed = 0;

  void Claim(v1::Attribute attribute) { claimed |= Bit(attribute); }
  void Verify(v1::Attribute attribute) { claimed &= ~Bit(attribute); }
  bool IsClaimed(v1::Attribute attribute) const { return (claimed & Bit(attribute)) != 0; }
  void Remark(std::string text) { out.remarks.push_back(std::move(text)); }

  // Writes `claimed` into the message, in the order of the attributes' numbers.
  void WriteClaimed() {
    out.job.clear_claimed();
    for (int attribute = 1; attribute < 32; ++attribute) {
      if ((claimed >> attribute & 1) != 0) {
        out.job.add_claimed(static_cast<v1::Attribute>(attribute));
      }
    }
  }

  DescribedJob Finish() && {
    WriteClaimed();
    return std::move(out);
  }

 private:
  static std::uint32_t Bit(v1::Attribute attribute) {
    return std::uint32_t{1} << static_cast<unsigned>(attribute);
  }
};

}  // namespace precedent::adapter

#endif  // PRECEDENT_SRC_ADAPTER_DRAFT_H_
