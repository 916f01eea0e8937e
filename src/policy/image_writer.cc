#include "src/policy/image_writer.h"

#include <cstring>
#include <type_traits>
#include <utility>

#include "absl/strings/str_format.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "precedent/internal/hash.h"
#include "precedent/internal/validate.h"
#include "src/policy/image_parts.h"
#include "src/policy/write_binding.h"
#include "src/policy/write_matching.h"
#include "src/policy/write_rules.h"
#include "src/policy/write_table.h"

namespace precedent::internal {
namespace {

// Lays the parts one after the other.
class Layout {
 public:
  explicit Layout(ImageParts* parts) : parts_(*parts) {}

  WrittenImage Lay(std::uint64_t max_size) {
    Header& h = parts_.header;
    size_ = sizeof(Header) + parts_.texts.bytes().size();
    Place(parts_.column_classes, &h.column_classes);
    Place(parts_.text_slots, &h.text_slots);
    Place(parts_.text_seeds, &h.text_seeds);
    Place(parts_.text_sources, &h.text_sources);
    Place(parts_.literals, &h.literals);
    Place(parts_.affixes, &h.affixes);
    Place(parts_.affix_lengths, &h.affix_lengths);
    Place(parts_.groups, &h.groups);
    Place(parts_.substrings, &h.substrings);
    Place(parts_.number_sources, &h.number_sources);
    Place(parts_.cuts, &h.cuts);
    Place(parts_.hot_columns, &h.hot_columns);
    Place(parts_.windows, &h.windows);
    Place(parts_.segments, &h.segments);
    Place(parts_.rule_groups, &h.rule_groups);
    Place(parts_.indexes, &h.indexes);
    Place(parts_.buckets, &h.buckets);
    Place(parts_.blocks, &h.blocks);
    Place(parts_.block_residuals, &h.block_residuals);
    Place(parts_.block_rules, &h.block_rules);
    Place(parts_.row_columns, &h.row_columns);
    Place(parts_.row_tables, &h.row_tables);
    Place(parts_.rows, &h.rows);
    Place(parts_.row_words, &h.row_words);
    Place(parts_.row_entries, &h.row_entries);
    Place(parts_.row_points, &h.row_points);
    Place(parts_.residuals, &h.residuals);
    Place(parts_.constraints, &h.constraints);
    Place(parts_.intervals, &h.intervals);
    Place(parts_.times, &h.times);
    Place(parts_.transitions, &h.transitions);
    Place(parts_.dimensions, &h.dimensions);
    Place(parts_.terms, &h.terms);
    Place(parts_.direct_texts, &h.direct_texts);
    Place(parts_.direct_cuts, &h.direct_cuts);
    Place(parts_.cells, &h.cells);
    Place(parts_.cell_rules, &h.cell_rules);
    Place(parts_.cell_rule_lists, &h.cell_rule_lists);
    Place(parts_.rules, &h.rules);
    Place(parts_.rule_ids, &h.rule_ids);
    Place(parts_.stage_ends, &h.stage_ends);
    Place(parts_.scaled, &h.scaled);
    Place(parts_.steps, &h.steps);
    Place(parts_.outcomes, &h.outcomes);
    Place(parts_.annotations, &h.annotations);
    Place(parts_.classes, &h.classes);
    size_ = (size_ + 7) / 8 * 8;

    WrittenImage result;
    result.size = h.size = size_;
    result.patterns = std::move(parts_.patterns);
    if (size_ > max_size) return result;
    result.block = std::make_unique<std::uint64_t[]>(size_ / 8);
    auto* base = reinterpret_cast<std::byte*>(result.block.get());
    std::memcpy(base, &h, sizeof h);
    std::memcpy(base + sizeof(Header), parts_.texts.bytes().data(), parts_.texts.bytes().size());
    for (const Part& part : placed_)
      if (part.size > 0) std::memcpy(base + part.offset, part.data, part.size);
    const std::uint64_t sum = Checksum(base, size_);
    std::memcpy(base + offsetof(Header, checksum), &sum, sizeof sum);
    return result;
  }

 private:
  struct Part {
    std::uint64_t offset;
    const void* data;
    std::size_t size;
  };

  template <typename T>
  void Place(const Rows<T>& rows, Section<T>* section) {
    static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= 8);
    size_ = (size_ + 7) / 8 * 8;
    section->offset = static_cast<std::uint32_t>(size_);
    section->count = SizeOf(rows);
    placed_.push_back({size_, rows.data(), rows.size() * sizeof(T)});
    size_ += rows.size() * sizeof(T);
  }

  ImageParts& parts_;
  std::uint64_t size_ = 0;
  std::vector<Part> placed_;
};

void WriteName(const v1::Policy& policy, ImageParts* parts) {
  Header& h = parts->header;
  std::memcpy(h.magic, kMagic, sizeof kMagic);
  h.byte_order = kByteOrder;
  h.format = kFormat;
  h.generation = policy.generation();
  h.name = parts->texts.Intern(policy.name());
  h.fingerprint = parts->texts.Intern(Fingerprint(policy));
}

}  // namespace

WrittenImage WriteImage(const v1::Policy& policy, const Vocabulary& vocabulary,
                        const Clauses& clauses, const ZoneTransitions& zone,
                        std::uint64_t max_size) {
  ImageParts parts;
  WriteName(policy, &parts);
  if (!WriteBinding(vocabulary, &parts)) return WrittenImage();
  WriteRules(policy, vocabulary, &parts);
  if (!WriteTable(policy, vocabulary, clauses, &parts))
    WriteMatching(policy, vocabulary, clauses, &parts);
  parts.header.initial_offset = zone.initial_offset;
  parts.transitions = zone.transitions;
  return Layout(&parts).Lay(max_size);
}

std::string Fingerprint(const v1::Policy& policy) {
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream out(&stream);
    out.SetSerializationDeterministic(true);  // maps in the order of their keys
    policy.SerializeToCodedStream(&out);
  }
  return absl::StrFormat("%016x%016x", HashBytes(bytes.data(), bytes.size(), 1),
                         HashBytes(bytes.data(), bytes.size(), 2));
}

}  // namespace precedent::internal
