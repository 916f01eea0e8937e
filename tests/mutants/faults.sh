# shellcheck shell=bash
# The faults that run.sh seeds, one a line group:
#
#   fault NAME FILE 'text as it stands in FILE, once' 'text with the fault'
#
# A fault whose text is no longer there fails the run: write it anew for the code as
# it now is, and do not drop it.

evaluator=include/precedent/internal

# Conditions.
fault above-includes-its-bound src/policy/vocabulary.cc \
  'if (match.has_above()) raise(NumberKey(match.above()) + 1);' \
  'if (match.has_above()) raise(NumberKey(match.above()));'
fault at-most-excludes-its-bound src/policy/vocabulary.cc \
  'if (match.has_at_most()) lower(NumberKey(match.at_most()) + 1);' \
  'if (match.has_at_most()) lower(NumberKey(match.at_most()));'
fault not-in-lost src/policy/lowered_text.cc \
  'result.excluded.assign(match.not_in().begin(), match.not_in().end());' \
  ''
fault not-in-lost-beside-a-prefix src/policy/clauses.cc \
  'const bool excludes = !text.excluded.empty();' \
  'const bool excludes = false;'
fault absent-fails-not-in src/policy/lowered_text.cc \
  'result.absent_holds = match.has_present() ? !match.present() : !result.has_alternatives;' \
  'result.absent_holds = match.has_present() && !match.present();'
fault nested-prefixes-not-looked-up $evaluator/match.h \
  'while (klass > 1) {' \
  'while (klass > 1 && false) {'
fault longest-prefix-only $evaluator/bind.h \
  'klass = affixes[klass - 2].parent;' \
  'klass = 1;'
fault filed-under-the-first-prefix-only src/policy/index.cc \
  'for (std::uint32_t affix : best->affixes) filings.push_back({i, best->column, affix});' \
  'filings.push_back({i, best->column, best->affixes.front()});'
fault suffix-pattern-is-a-substring src/policy/regex_lowering.cc \
  'result.kind = LoweredPattern::kSuffix;' \
  'result.kind = LoweredPattern::kContains;'
fault dot-is-no-newline src/policy/lower.cc \
  'regex_options.set_dot_nl(true);' \
  ''
fault last-of-duplicate-labels $evaluator/bind.h \
  'for (std::size_t i = job.labels.size(); i-- > 0;) {' \
  'for (std::size_t i = 0; i < job.labels.size(); ++i) {'
fault claimed-lineage-counts $evaluator/claims.h \
  'if (drop(Attribute::kLineage, HasLineage(job->lineage))) job->lineage = Lineage();' \
  'drop(Attribute::kLineage, HasLineage(job->lineage));'
fault sunday-is-monday $evaluator/clock.h \
  '((day % 7) + 10) % 7' \
  '((day % 7) + 9) % 7'
fault hours-in-utc $evaluator/clock.h \
  'local_second_ = utc_second_ + (' \
  'local_second_ = utc_second_ + 0 * ('
fault active-until-included $evaluator/clock.h \
  'holds &= condition.from <= now_ && now_ < condition.until;' \
  'holds &= condition.from <= now_ && now_ <= condition.until;'
fault nanoseconds-rounded-down src/policy/time_condition.cc \
  '(time.nanos() + 999) / 1000' \
  'time.nanos() / 1000'

# Effects and their order.
fault rules-in-swapped-order $evaluator/match.h \
  'matched->Insert(clause->rule - first);' \
  'matched->Insert((clause->rule - first) ^ ((clause->rule | 1) < h_.rules.count ? 1u : 0u));'
fault at-least-lowers $evaluator/run.h \
  'case Effect::kAtLeast: return std::max(score, value);' \
  'case Effect::kAtLeast: return std::min(score, value);'
fault counted-twice $evaluator/run.h \
  'Apply(rule, &decision);' \
  'Apply(rule, &decision); if (rule.outcome != kNone) Apply(rule, &decision);'
fault scaled-max-dropped $evaluator/number.h \
  'if (whole > scaled.max) whole = scaled.max;' \
  ''
fault scaled-multiplies-first $evaluator/number.h \
  'Fence(Fence(Fence(value) / Fence(scaled.per)) * scaled.points)' \
  'Fence(Fence(Fence(value) * scaled.points) / Fence(scaled.per))'
fault order-only-lost $evaluator/run.h \
  'if ((rule.flags & Rule::kOrderOnly) == 0)' \
  ''
fault clamped-after-each-rule $evaluator/run.h \
  'score_ = Change(rule.effect, score_, value);
    if' \
  'score_ = Clamp(Change(rule.effect, score_, value));
    if'
fault final-lost src/policy/image_writer.cc \
  'row.next = count;' \
  ''
fault first-match-lost src/policy/image_writer.cc \
  'row.next = stage_end;' \
  'row.next = rules_.size() + 1;'
fault first-denial-wins $evaluator/run.h \
  'decision->denial = image_.text(outcome.deny);' \
  'if (decision->denial.empty()) decision->denial = image_.text(outcome.deny);'
fault class-excludes-its-bound $evaluator/run.h \
  'classes[i].at_least <= priority' \
  'classes[i].at_least < priority'
fault class-by-queue-priority $evaluator/run.h \
  'SetClass(class_, decision.preemption_priority, &decision);' \
  'SetClass(class_, decision.priority, &decision);'

# valid_until.
fault wait-ends-a-microsecond-late $evaluator/clock.h \
  'Note(SaturatingAdd(submitted_, high + 1));' \
  'Note(SaturatingAdd(submitted_, high + 2));'
fault scaled-wait-not-noted $evaluator/match.h \
  'if (clause->scaled_wait != 0) {' \
  'if (clause->scaled_wait > 1) {'
fault transitions-not-noted $evaluator/clock.h \
  'Note(transition_);' \
  ''
fault end-of-a-rule-not-noted $evaluator/clock.h \
  'if (now_ < condition.until) Note(condition.until);' \
  ''
