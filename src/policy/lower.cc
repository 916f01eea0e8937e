// The pipeline reads off the names: vocabulary (what jobs are compared with, as
// classes), clauses (conditions as sets of classes), image (the block, part by part:
// write_binding, write_rules, and write_table or else write_matching, which groups
// rules, files clauses and writes blocks and rows).
#include "src/policy/lower.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "precedent/internal/bind.h"
#include "precedent/internal/bound_job.h"
#include "src/policy/clauses.h"
#include "src/policy/image_writer.h"
#include "src/policy/text_patterns.h"
#include "src/policy/time_zone.h"
#include "src/policy/vocabulary.h"

namespace precedent::internal {

// Makes evaluators that own their block and patterns.
class EvaluatorMaker {
 public:
  static Evaluator Make(WrittenImage written, std::vector<TextPatterns> patterns) {
    auto owned = std::make_shared<Owned>();
    owned->block = std::move(written.block);
    owned->patterns = std::move(patterns);
    owned->matcher.match = &Match;
    owned->matcher.context = owned.get();
    const Image image(reinterpret_cast<const std::byte*>(owned->block.get()));
    const PatternMatcher* matcher = owned->patterns.empty() ? nullptr : &owned->matcher;
    return Evaluator(image, matcher, std::move(owned));
  }

 private:
  struct Owned {
    std::unique_ptr<std::uint64_t[]> block;
    std::vector<TextPatterns> patterns;
    PatternMatcher matcher;
  };

  static void Match(const void* context, std::uint32_t source, std::string_view text,
                    std::uint64_t* bits) noexcept {
    const std::vector<TextPatterns>& patterns = static_cast<const Owned*>(context)->patterns;
    if (source < patterns.size()) patterns[source].Match(text, bits);
  }
};

namespace {

void AddError(std::vector<Issue>* issues, std::string path, std::string message,
              std::string hint) {
  Issue issue;
  issue.path = std::move(path);
  issue.message = std::move(message);
  issue.hint = std::move(hint);
  issues->push_back(std::move(issue));
}

std::size_t BoundSizeOf(const Vocabulary& vocabulary) {
  Header shape;
  shape.column_count = vocabulary.column_count;
  shape.bit_word_count = (vocabulary.bit_count + 63) / 64;
  shape.scaled_slot_count = vocabulary.scaled_slot_count;
  return BoundSize(shape);
}

}  // namespace

std::optional<Evaluator> CompileChecked(const v1::Policy& policy, const CompileOptions& options,
                                        std::vector<Issue>* issues) {
  const std::optional<ZoneTransitions> zone = ExpandTimeZone(policy.time_zone());
  if (!zone.has_value()) {
    AddError(issues, "time_zone", absl::StrCat("unknown time zone `", policy.time_zone(), "`"),
             "use an IANA name such as `Europe/Berlin` that this machine's zone database has");
    return std::nullopt;
  }

  const Vocabulary vocabulary(policy);
  const std::size_t attributes = vocabulary.texts.size() + vocabulary.labels.size() +
                                 vocabulary.numbers.size() + vocabulary.metrics.size();
  if (attributes > options.limits.attributes) {
    AddError(issues, "stages",
             absl::StrCat("the rules look at ", attributes,
                          " different attributes, labels and metrics; the limit is ",
                          options.limits.attributes),
             "use fewer label keys and metric names");
    return std::nullopt;
  }
  if (const std::size_t size = BoundSizeOf(vocabulary); size > kMaxBoundSize) {
    AddError(issues, "stages",
             absl::StrCat("what the rules look at takes ", size, " bytes a job; the limit is ",
                          kMaxBoundSize),
             "use fewer label keys, metric names and pattern lists");
    return std::nullopt;
  }

  const std::size_t before = issues->size();
  const Clauses clauses = MakeClauses(policy, vocabulary, options.limits, issues);
  if (issues->size() != before) return std::nullopt;

  WrittenImage written =
      WriteImage(policy, vocabulary, clauses, *zone, options.limits.image_bytes);
  if (written.size == 0) {
    AddError(issues, "", "two texts of the policy have one hash",
             "change one of the texts that are longer than 16 bytes");
    return std::nullopt;
  }
  if (written.block == nullptr) {
    AddError(issues, "",
             absl::StrCat("the compiled policy takes ", written.size, " bytes; the limit is ",
                          options.limits.image_bytes),
             "use fewer rules over long lists of values");
    return std::nullopt;
  }

  std::vector<TextPatterns> patterns = MakeTextPatterns(written.patterns, options.limits);
  return EvaluatorMaker::Make(std::move(written), std::move(patterns));
}

}  // namespace precedent::internal
