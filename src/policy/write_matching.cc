#include "src/policy/write_matching.h"

#include <algorithm>
#include <utility>

#include "src/policy/block_writer.h"
#include "src/policy/grouping.h"
#include "src/policy/index.h"
#include "src/policy/residuals.h"
#include "src/policy/row_writer.h"
#include "src/policy/write_rules.h"

namespace precedent::internal {
namespace {

// Larger buckets have blocks of their own: a job looks at as many, and the class takes
// no lane.
constexpr std::size_t kSmallBucket = 3;

class MatchingWriter {
 public:
  MatchingWriter(const Vocabulary& vocabulary, const Clauses& clauses,
                 const std::vector<std::uint32_t>& scaled_wait, ImageParts* parts)
      : vocabulary_(vocabulary),
        clauses_(clauses),
        parts_(*parts),
        residuals_(parts),
        blocks_(clauses, vocabulary, scaled_wait, &residuals_, parts),
        rows_(clauses, vocabulary, scaled_wait, &residuals_, parts) {
    for (const TextSource& source : parts->text_sources)
      for (const AffixList& list : {source.prefixes, source.suffixes})
        if (list.column != kNone) affix_begin_[list.column] = list.begin;
  }

  void WriteGroup(const GroupDraft& draft) {
    Group group;
    group.kind = draft.kind;
    group.block_begin = SizeOf(parts_.blocks);
    group.rules_begin = SizeOf(parts_.block_rules);
    FiledClauses filed = FileClauses(draft.clauses, clauses_, vocabulary_);
    if (group.kind == Group::kFirst) WriteHead(draft.clauses, &group);
    group.index_begin = SizeOf(parts_.indexes);
    WriteIndexes(filed.filed, draft.kind);
    group.index_count = SizeOf(parts_.indexes) - group.index_begin;
    rows_.Write(std::move(filed.unfiled), &group);
    parts_.rule_groups.push_back(group);
  }

  void Finish() { blocks_.MarkSignatureSources(); }

 private:
  // The first clauses of a first-match stage, which often decide it.
  void WriteHead(const std::vector<std::uint32_t>& numbers, Group* group) {
    group->head_begin = group->head_end = SizeOf(parts_.blocks);
    if (vocabulary_.column_count == 0 || numbers.size() <= 64) return;
    blocks_.Write(Group::kFirst, kNone,
                  {numbers.begin(), numbers.begin() + std::ptrdiff_t{kLanes}});
    group->head_end = SizeOf(parts_.blocks);
  }

  void WriteIndexes(const std::vector<Filing>& filed, std::uint32_t kind) {
    for (std::size_t i = 0; i < filed.size();) {
      Index index;
      index.column = filed[i].column;
      index.bucket_begin = SizeOf(parts_.buckets);
      const auto affixes = affix_begin_.find(index.column);
      if (affixes != affix_begin_.end()) index.affix_begin = affixes->second;
      // A job would meet a shared block with each affix of its text, and the rules of a
      // first-match stage have to stay in order.
      const bool may_share = kind != Group::kFirst && index.affix_begin == kNone &&
                             vocabulary_.class_counts[index.column] <= 0x10000;
      std::vector<Filing> shared;
      for (std::uint32_t klass = 0; klass < vocabulary_.class_counts[index.column]; ++klass) {
        const std::size_t begin = i;
        while (i < filed.size() && filed[i].column == index.column && filed[i].klass == klass) ++i;
        const Filing* bucket = filed.data() + begin;
        if (may_share && i > begin && i - begin <= kSmallBucket) {
          if (shared.size() + (i - begin) > kLanes) WriteShared(kind, index, &shared);
          shared.insert(shared.end(), bucket, bucket + (i - begin));
          parts_.buckets.push_back({});  // not known yet
          continue;
        }
        std::vector<std::uint32_t> numbers;
        for (std::size_t k = begin; k < i; ++k) numbers.push_back(filed[k].clause);
        Bucket own{SizeOf(parts_.blocks), 0};
        blocks_.Write(kind, index.column, std::move(numbers));
        own.end = SizeOf(parts_.blocks);
        parts_.buckets.push_back(own);
      }
      WriteShared(kind, index, &shared);
      parts_.indexes.push_back(index);
    }
  }

  // One block of several buckets.
  void WriteShared(std::uint32_t kind, const Index& index, std::vector<Filing>* shared) {
    if (shared->empty()) return;
    const std::uint32_t block = SizeOf(parts_.blocks);
    for (const Filing& filing : *shared)
      parts_.buckets[index.bucket_begin + filing.klass] = {block, block + 1};
    blocks_.WriteShared(kind, *shared);
    shared->clear();
  }

  const Vocabulary& vocabulary_;
  const Clauses& clauses_;
  ImageParts& parts_;
  ResidualWriter residuals_;
  BlockWriter blocks_;
  RowWriter rows_;
  absl::flat_hash_map<std::uint32_t, std::uint32_t> affix_begin_;  // by column
};

}  // namespace

void WriteMatching(const v1::Policy& policy, const Vocabulary& vocabulary,
                   const Clauses& clauses, ImageParts* parts) {
  std::vector<bool> adds_for_wait;
  std::vector<std::uint32_t> scaled_wait;
  for (const v1::Stage& stage : policy.stages()) {
    for (const v1::Rule& rule : stage.rules()) {
      adds_for_wait.push_back(AddsForWait(rule));
      const Rule& row = parts->rules[scaled_wait.size()];
      scaled_wait.push_back(adds_for_wait.back() ? static_cast<std::uint32_t>(row.value) : kNone);
    }
  }
  Grouping grouping = GroupRules(policy, clauses, vocabulary, *parts, adds_for_wait);
  MatchingWriter writer(vocabulary, clauses, scaled_wait, parts);
  for (const GroupDraft& group : grouping.groups) writer.WriteGroup(group);
  writer.Finish();
  parts->segments = std::move(grouping.segments);
  parts->windows = std::move(grouping.windows);
  parts->times = clauses.times;
  parts->header.time_dependent =
      !clauses.times.empty() ||
      std::find(adds_for_wait.begin(), adds_for_wait.end(), true) != adds_for_wait.end();
}

}  // namespace precedent::internal
