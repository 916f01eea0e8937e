#include "tests/differential/image_facts.h"

namespace precedent::differential {

void ImageFacts::Add(const Evaluator& evaluator) {
  using namespace internal;
  if (!evaluator.lock_free()) return;
  const Image image(evaluator.image().data());
  const Header& h = image.header();
  const auto count = [&](const char* what, std::uint64_t n) { counts_[what] += n; };
  const auto each = [&](const auto& section, const auto& f) {
    for (std::uint32_t i = 0; i < section.count; ++i) f(image.at(section, i));
  };
  count("images", 1);
  count("tables", HasTable(h));
  count("tables of more than 2000 cells", h.cells.count > 2000);
  count("terms", h.term_count);
  count("tables of eight terms", h.term_count == kMaxTerms);
  count("wait terms", h.term_count - h.wait_term_begin);
  each(h.terms, [&](const Term& t) { count("order-only terms", t.order_only != 0); });
  each(h.cells, [&](const Cell& c) {
    count("cells with an outcome", c.outcome != kNone);
    count("terms noted and not added", (c.noted & ~c.terms) != 0);
  });
  count("literals compared one by one", h.literals.count);
  each(h.text_sources, [&](const TextSource& s) {
    count("texts looked up", s.literal_count == kNone);
    count("texts in the signature", s.signature != 0);
    for (const AffixList& list : {s.prefixes, s.suffixes}) {
      if (list.column == kNone) continue;
      count(list.length_count == 0 ? "affixes searched" : "affixes looked up", 1);
    }
  });
  each(h.affixes, [&](const Affix& a) { count("nested affixes", a.parent > 1); });
  std::uint32_t hot_bits = 0;
  each(h.hot_columns,
       [&](const HotColumn& c) { hot_bits += image.at(h.column_classes, c.column); });
  count("full hot words", hot_bits + 2 > kAlwaysHot);
  each(h.column_classes, [&](std::uint32_t n) { count("columns of more than 65536 classes", n > 65536); });
  each(h.blocks, [&](const Block& b) {
    count("blocks", 1);
    count("blocks with a residual", b.residual_lanes != 0);
    std::uint32_t columns = 0;
    for (const std::uint16_t column : b.column) columns += column != 0;
    count("blocks of three columns", columns == kLaneColumns);
    for (const std::uint16_t signature : b.signature) count("signatures", signature != 0);
  });
  each(h.constraints, [&](const Constraint& c) {
    count("masks", c.kind == ConstraintKind::kMask);
    count("lists of ranges", c.kind == ConstraintKind::kRanges);
    count("bits", c.kind == ConstraintKind::kBit);
  });
  each(h.rule_groups, [&](const Group& g) {
    count(g.kind == Group::kSum     ? "sums"
          : g.kind == Group::kFirst ? "first-match groups"
                                    : "ordered groups",
          1);
    count("heads", g.head_begin != g.head_end);
    count("indexes", g.index_count);
    count("groups of one word", g.word_count == 1);
    count("groups of several words", g.word_count > 1);
    count("groups of several chunks", g.word_count > 8);
    count("groups of 32 row columns", g.row_column_count == kMaxRowColumns);
  });
  each(h.row_columns, [&](const RowColumn& c) { count("coarse columns", c.certain != kNone); });
  each(h.row_words, [&](const RowWord& w) {
    count("inverted words", w.inverted != 0);
    count("words with a residual", (w.present & ~w.plain) != 0);
  });
  count("windows", h.windows.count);
  each(h.segments, [&](const Segment& s) {
    count("sums of order-only rules", s.order_only != kNone);
    count("sums of an earlier window", s.counts == 0);
    count("sums with ordered rules among them",
          s.ordered != 0 && (s.group != kNone || s.order_only != kNone));
  });
  each(h.scaled, [&](const Scaled& s) {
    if (s.slot != kNone) return;
    count("waits with steps that end", s.step_count != 0 && s.last_step != 0);
    count("waits with steps that go on", s.step_count != 0 && s.last_step == 0);
    count("waits without steps", s.step_count == 0);
  });
}

std::uint64_t ImageFacts::operator[](const std::string& what) const {
  const auto found = counts_.find(what);
  return found == counts_.end() ? 0 : found->second;
}

std::string ImageFacts::ToText() const {
  std::string text;
  for (const auto& [what, count] : counts_)
    if (count != 0) text += "  " + std::to_string(count) + " " + what + "\n";
  return text;
}

}  // namespace precedent::differential
