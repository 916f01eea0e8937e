// The part of an image that finds the rules which match a bound job.
//
// Rules are split into *groups*, each searched as a whole: sums of long runs of
// `add`, long first-match stages, and the ordered rest. A rule's conditions are one
// or more *clauses*, conjunctions of "the class in column c is one of S". In a group
//   - a clause that needs one of few values of a text is filed in the *bucket* of
//     each of them: a run of blocks of eight clauses that are checked together;
//   - the others are columns of a bit matrix: for each column and class one *row*,
//     the clauses that this class satisfies. The AND of a job's rows is the answer.
// What neither can say of a clause is its *residual*, checked where all else holds.
#ifndef PRECEDENT_INTERNAL_LAYOUT_MATCHING_H_
#define PRECEDENT_INTERNAL_LAYOUT_MATCHING_H_

#include <cstdint>

#include "precedent/internal/abi.h"
#include "precedent/internal/layout_basic.h"

namespace precedent {
namespace internal {
inline namespace PRECEDENT_ABI {

// ---- Residuals ---------------------------------------------------------------

enum class ConstraintKind : std::uint32_t {
  kRange,   // class - a <= b, unsigned
  kMask,    // bit `class` of the 64-bit mask (b << 32 | a); class < 64
  kRanges,  // class in one of the b sorted intervals from Header::intervals[a]
  kBit,     // pattern bit `column` is set
};

struct Constraint {
  std::uint32_t column = 0;
  ConstraintKind kind = ConstraintKind::kRange;
  std::uint32_t a = 0;
  std::uint32_t b = 0;
};

struct Interval {
  std::uint32_t low = 0;
  std::uint32_t high = 0;  // inclusive
};

// What of a clause depends on the time. All that the flags name must hold.
struct TimeCondition {
  enum : std::uint32_t {
    kWait = 1,        // wait_low <= wait <= wait_high; an absent wait fails
    kWaitAbsent = 2,  // the wait must be absent
    kHour = 4,        // second_low <= local second of the day <= second_high
    kDay = 8,         // bit (day of week - 1) of days
    kActive = 16,     // from <= now < until
  };
  std::int64_t wait_low = 0;  // microseconds
  std::int64_t wait_high = 0;
  std::int64_t from = 0;  // microseconds since 1970
  std::int64_t until = 0;
  std::uint32_t second_low = 0;
  std::uint32_t second_high = 0;
  std::uint32_t days = 0;
  std::uint32_t flags = 0;
};

// All of it must hold. Number 0 is empty.
struct Residual {
  std::uint32_t constraint_begin = 0;  // in Header::constraints
  std::uint32_t constraint_count = 0;
  std::uint32_t time = kNone;         // in Header::times
  std::uint32_t scaled_wait = kNone;  // in Header::scaled: what the rule adds for the wait
};

// ---- Buckets -----------------------------------------------------------------

inline constexpr std::uint32_t kLanes = 8;       // clauses of a block
inline constexpr std::uint32_t kLaneColumns = 3;

// Eight clauses, field by field; block.h says when one holds.
struct Block {
  std::uint16_t hot[kLanes] = {};        // bits of the small columns that are allowed
  std::uint16_t signature[kLanes] = {};  // bits of literals that are needed
  std::uint16_t low[kLaneColumns][kLanes] = {};
  std::uint16_t width[kLaneColumns][kLanes] = {};
  std::uint16_t column[kLaneColumns] = {};  // of the low and width lanes
  std::uint16_t residual_lanes = 0;         // bit i: lane i has a residual
  std::uint32_t residual_begin = 0;         // in Header::block_residuals, one for each such lane
  std::uint32_t reserved = 0;
  // Sum groups: points, 0 for lanes with a residual. Others: the rule.
  std::int32_t payload[kLanes] = {};
};

// The bit of the hot word that every job has set and no unused lane allows.
inline constexpr std::uint32_t kAlwaysHot = 15;

struct BlockResidual {
  std::uint32_t residual = 0;
  std::int32_t points = 0;
};

// Some of Header::blocks. Small buckets share one block, of which each lane then also
// asks for the class itself.
struct Bucket {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

// The buckets of one column. For a prefix or suffix column also the buckets of all
// shorter affixes are visited, through Affix::parent.
struct Index {
  std::uint32_t column = 0;
  std::uint32_t bucket_begin = 0;     // of class 0, in Header::buckets
  std::uint32_t affix_begin = kNone;  // in Header::affixes, of class 2; kNone: exact
};

// A small column: bit `shift + class` of a job's hot word is set.
struct HotColumn {
  std::uint32_t column = 0;
  std::uint32_t shift = 0;
};

// ---- Rows --------------------------------------------------------------------

inline constexpr std::uint32_t kMaxRowColumns = 32;

// The rows of one column of a group. In a group of one word, rows[table + class] is
// the row itself; in a larger one row_tables[table + class] says where it begins.
struct RowColumn {
  std::uint32_t column = 0;
  std::uint32_t table = 0;
  // Columns of very many classes: rows of runs of classes. This is the table of the
  // clauses that any class of the run satisfies, and `certain` that of those that all
  // of it satisfy; the others are decided by their residual. kNone: rows are exact.
  std::uint32_t certain = kNone;
};

// 64 clauses of the matrix.
struct RowWord {
  std::uint64_t present = 0;  // there is a clause
  std::uint64_t plain = 0;    // and it needs no look at its residual
  // Sum groups: all ones where most of the clauses hold for most jobs. Then the points
  // of those that do not hold are added, negated, to `base`, the sum of all.
  std::uint64_t inverted = 0;
  std::int64_t base = 0;
  // Sum groups: all ones where many points are added, so that going through all 64
  // without branches is cheaper than finding them.
  std::uint64_t dense = 0;
};

struct RowEntry {
  std::uint32_t rule = 0;
  std::uint32_t residual = 0;
};

// ---- Groups and their order ----------------------------------------------------

struct Group {
  enum : std::uint32_t {
    kOrdered,  // rules of one window, in any number, for the bitmap
    kSum,      // only `add`, no outcome, no rule counted twice
    kFirst,    // one first-match stage
  };
  std::uint32_t kind = kOrdered;
  std::uint32_t head_begin = 0;  // kFirst: blocks with the first clauses
  std::uint32_t head_end = 0;
  std::uint32_t index_begin = 0;  // in Header::indexes
  std::uint32_t index_count = 0;
  std::uint32_t block_begin = 0;  // first of its blocks
  std::uint32_t rules_begin = 0;  // kSum: rules of its blocks in Header::block_rules
  std::uint32_t row_column_begin = 0;
  std::uint32_t row_column_count = 0;
  std::uint32_t word_begin = 0;  // in Header::row_words; entries begin at 64 times that
  std::uint32_t word_count = 0;
  std::uint32_t points_begin = 0;  // kSum: of its entries in Header::row_points
};

// A run of rules in policy order, with the groups that decide some of them.
struct Segment {
  std::uint32_t first = 0;  // rules
  std::uint32_t end = 0;
  std::uint32_t group = kNone;       // kSum or kFirst
  std::uint32_t order_only = kNone;  // kSum of order-only rules
  // 0 where the sums belong to an earlier window, which counted them.
  std::uint32_t counts = 1;
  std::uint32_t ordered = 0;  // 1: rules of the window's ordered group lie in it
};

// At most this many consecutive rules go through one bitmap.
inline constexpr std::uint32_t kWindow = 1u << 16;

struct Window {
  std::uint32_t group = kNone;  // its ordered rules
  std::uint32_t segment_begin = 0;
  std::uint32_t segment_count = 0;
};

// ---- Table of a tiny policy ------------------------------------------------------

inline constexpr std::uint32_t kMaxCells = 4096;
inline constexpr std::uint32_t kMaxTerms = 8;

// One column or pattern bit of a table.
struct Dimension {
  std::uint32_t column = 0;  // or bit
  std::uint32_t is_bit = 0;
  std::uint32_t stride = 0;
};

// An add_scaled rule of a table. Terms of the wait come last.
struct Term {
  std::uint32_t scaled = 0;      // in Header::scaled
  std::uint32_t order_only = 0;  // 0, or all ones
  std::uint32_t number = 0;      // Number; only where the table is direct
};

// What a direct table reads: built-in texts of few literals and built-in numbers, each
// with what it adds, modulo 2^32, to the number of the cell. The number that all of this
// is added to, Header::direct_base, is that of a job whose texts and numbers are present
// and equal no literal and reach no cut.
//
// Four literals of a text, word by word as in text_key.h; one may be the empty text.
struct DirectText {
  std::uint32_t words[4][4] = {};  // words[i]: number i of all four
  std::uint32_t sizes[4] = {};
  std::uint32_t added[4] = {};     // 0 where there is no literal
  std::uint32_t attribute = 0;     // 1 to 10 as in precedent::Attribute
};
// Two cuts of a number: those that are not above it add. For counts they are counts; for
// others NumberKeys, and what is no number is above all that are.
struct DirectCuts {
  std::int64_t cuts[2] = {INT64_MAX, INT64_MAX};  // not negative, ascending
  std::uint32_t added[4] = {};  // by the first, the first, the second, the second; or 0
  std::uint32_t number = 0;     // Number
  std::uint32_t reserved = 0;
};

// Everything that the rules do to a job of one combination of classes.
struct Cell {
  std::int32_t score = 0;
  std::int32_t preemption_score = 0;
  std::uint8_t terms = 0;  // bit t: term t is added
  std::uint8_t noted = 0;  // bit t: term t bounds the validity of the decision
  std::uint16_t reserved = 0;
  std::uint32_t outcome = kNone;  // in Header::outcomes, all that apply in one
};

// The rules that apply in a cell, in order: cell_rules[begin] on.
struct CellRules {
  std::uint32_t begin = 0;
  std::uint32_t count = 0;
};

}  // namespace PRECEDENT_ABI
}  // namespace internal
}  // namespace precedent

#endif  // PRECEDENT_INTERNAL_LAYOUT_MATCHING_H_
