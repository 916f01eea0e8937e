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
#include "re2/re2.h"
#include "src/policy/check.h"
#include "src/policy/clauses.h"
#include "src/policy/image_writer.h"
#include "src/policy/time_zone.h"
#include "src/policy/vocabulary.h"

namespace precedent::internal {

// A pattern and the range that the beginnings of its matches lie in: most texts are
// told by it for a hundredth of what RE2 takes.
class Pattern {
 public:
  explicit Pattern(std::unique_ptr<RE2> regex) : regex_(std::move(regex)) {
    std::string least, most;
    if (!regex_->PossibleMatchRange(&least, &most, kBytes)) return;
    least_ = KeyOf(least);
    most_ = KeyOf(most);
  }

  bool Matches(std::string_view text) const {
    const std::uint64_t key = KeyOf(text);
    return least_ <= key && key <= most_ &&
           RE2::FullMatch(re2::StringPiece(text.data(), text.size()), *regex_);
  }

 private:
  static constexpr std::size_t kBytes = 8;

  // The first bytes as a number: monotone in the text, as texts are ordered by bytes.
  static std::uint64_t KeyOf(std::string_view text) {
    std::uint64_t key = 0;
    for (std::size_t i = 0; i < kBytes; ++i)
      key = key << 8 | (i < text.size() ? static_cast<unsigned char>(text[i]) : 0u);
    return key;
  }

  std::unique_ptr<RE2> regex_;
  std::uint64_t least_ = 0;
  std::uint64_t most_ = ~std::uint64_t{0};
};

// Makes evaluators that own their block and patterns.
class EvaluatorMaker {
 public:
  static Evaluator Make(WrittenImage written, std::vector<Pattern> patterns) {
    auto owned = std::make_shared<Owned>();
    owned->block = std::move(written.block);
    owned->patterns = std::move(patterns);
    owned->matcher.matches = &Matches;
    owned->matcher.context = owned.get();
    const Image image(reinterpret_cast<const std::byte*>(owned->block.get()));
    const PatternMatcher* matcher = owned->patterns.empty() ? nullptr : &owned->matcher;
    return Evaluator(image, matcher, std::move(owned));
  }

 private:
  struct Owned {
    std::unique_ptr<std::uint64_t[]> block;
    std::vector<Pattern> patterns;
    PatternMatcher matcher;
  };

  static bool Matches(const void* context, std::uint32_t pattern, std::string_view text) noexcept {
    return static_cast<const Owned*>(context)->patterns[pattern].Matches(text);
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

  std::vector<Pattern> patterns;
  for (const std::string& regex : written.regexes)
    patterns.emplace_back(std::make_unique<RE2>(regex, PatternOptions(options.limits)));
  return EvaluatorMaker::Make(std::move(written), std::move(patterns));
}

}  // namespace precedent::internal
