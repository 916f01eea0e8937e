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
  'if (!text.excluded.empty()) constrain_exact(allowed, clause);' \
  ''
fault absent-fails-not-in src/policy/lowered_text.cc \
  'result.absent_holds = match.has_present() ? !match.present() : !result.has_alternatives;' \
  'result.absent_holds = match.has_present() && !match.present();'
fault nested-prefixes-not-looked-up $evaluator/match.h \
  'if (index->affix_begin == kNone || klass <= 1) break;' \
  'break;'
fault longest-prefix-only $evaluator/bind.h \
  'klass = affixes[klass - 2].parent;' \
  'klass = 1;'
fault shortest-prefix-only src/policy/write_binding.cc \
  'std::set<std::uint32_t, std::greater<>> lengths;' \
  'std::set<std::uint32_t> lengths;'
fault filed-under-the-first-prefix-only src/policy/index.cc \
  'for (const std::uint32_t affix : Shortest(*columns.affixes[best->column], best->affixes))
        result.filed.push_back({i, best->column, affix});' \
  'result.filed.push_back({i, best->column, best->affixes.front()});'
fault nested-prefixes-met-twice src/policy/index.cc \
  'for (const std::uint32_t affix : Shortest(*columns.affixes[best->column], best->affixes))' \
  'for (const std::uint32_t affix : best->affixes)'
fault suffix-pattern-is-a-substring src/policy/regex_lowering.cc \
  'result.kind = LoweredPattern::kSuffix;' \
  'result.kind = LoweredPattern::kContains;'
fault dot-is-no-newline src/policy/check_patterns.cc \
  'options.set_dot_nl(true);' \
  ''
fault last-of-duplicate-labels $evaluator/bind.h \
  'for (std::size_t i = labels.size(); i-- > 0;) {' \
  'for (std::size_t i = 0; i < labels.size(); ++i) {'
fault patterns-of-all-duplicate-labels $evaluator/bind.h \
  'word = found ? word | bit : word & ~bit;' \
  'word = found ? word | bit : word;'
fault labels-of-one-filter-bit src/policy/write_binding.cc \
  'h.label_key_filter |= KeyFilterBit(key);' \
  'h.label_key_filter = KeyFilterBit(key);'
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
fault rules-in-swapped-order $evaluator/sinks.h \
  'if (rule - window_ < kWindow) bitmap_.Insert(rule - window_);' \
  'if (rule - window_ < kWindow) bitmap_.Insert((rule - window_) ^ 1);'
fault at-least-lowers $evaluator/run.h \
  'score = score < least ? least : score;' \
  'score = low != 0 && score > least ? least : score;'
fault counted-twice $evaluator/run.h \
  'Apply(i, on_rule);' \
  'Apply(i, on_rule); if (image_.at(h_.rules, i).outcome != kNone) Apply(i, on_rule);'
fault scaled-max-dropped $evaluator/number.h \
  'whole = whole > scaled.max ? scaled.max : whole;' \
  ''
fault scaled-multiplies-first $evaluator/number.h \
  'const double amount = Fence(Fence(quotient) * scaled.points);' \
  'const double amount = Fence(Fence(Fence(value) * scaled.points) / Fence(scaled.per));'
fault order-only-lost $evaluator/run.h \
  'if ((rule.flags & Rule::kOrderOnly) != 0) preemption_score_ = before;' \
  ''
fault clamped-after-each-rule $evaluator/run.h \
  'score_ = Change(rule.flags, score_, value);
    preemption' \
  'score_ = ClampScore(h_, Change(rule.flags, score_, value));
    preemption'
fault final-lost src/policy/write_rules.cc \
  'if (rule.final()) row.next = count;' \
  ''
fault first-match-lost src/policy/write_rules.cc \
  'if (stage.mode() == v1::Stage::FIRST_MATCH) row.next = stage_end;' \
  ''
fault first-denial-wins $evaluator/outcome.h \
  'decision->denial = image.text(outcome.deny);' \
  'if (decision->denial.empty()) decision->denial = image.text(outcome.deny);'
fault class-excludes-its-bound $evaluator/outcome.h \
  'classes[i].at_least <= priority' \
  'classes[i].at_least < priority'
fault highest-class-never-reached $evaluator/outcome.h \
  'i < section.count; ++i' \
  'i + 1 < section.count; ++i'
fault class-by-queue-priority $evaluator/run.h \
  'SetClass(image_, class_, decision_.preemption_priority, &decision_);' \
  'SetClass(image_, class_, decision_.priority, &decision_);'

# Texts.
fault few-literals-by-their-first-word $evaluator/bind.h \
  '(literal[i].high ^ key.high) |' \
  ''
fault few-literals-of-any-size $evaluator/bind.h \
  '(literal[i].size ^ key.size);' \
  '0;'
fault seed-of-the-first-part $evaluator/bind.h \
  'image_.begin(h_.text_seeds)[hash >> h_.text_seed_shift];' \
  'image_.begin(h_.text_seeds)[0];'
fault bounds-miss-equal-numbers $evaluator/number.h \
  'std::uint32_t{rest[1] <= key}' \
  'std::uint32_t{rest[1] < key}'

fault few-bounds-miss-equal-numbers src/policy/write_table.cc \
  'add(cut, stride);' \
  'add(cut + 1, stride);'
fault few-bounds-of-counts-miss-equal-ones src/policy/write_table.cc \
  'add(FirstCount(cut), stride);' \
  'add(FirstCount(cut) + 1, stride);'
fault absent-numbers-reach-all-bounds src/policy/write_table.cc \
  '0 - (source.cut_count + 1) * stride);' \
  '0);'
fault negative-numbers-in-a-direct-table $evaluator/bind.h \
  'if (h_.direct != 0 && !odd) {' \
  'if (h_.direct != 0) {'
fault literals-of-any-size-in-a-direct-table $evaluator/direct.h \
  'Same(LoadQuad(direct.sizes), FourOf(' \
  'FourOf(~0u | ('
fault literals-by-three-words-in-a-direct-table $evaluator/direct.h \
  '           Same(LoadQuad(direct.words[3]), FourOf(d)) &' \
  ''

# Blocks.
fault last-lane-lost $evaluator/lanes.h \
  '_mm_movemask_epi8(_mm_packs_epi16(a.v, _mm_setzero_si128())));' \
  '_mm_movemask_epi8(_mm_packs_epi16(a.v, _mm_setzero_si128()))) & 0x7f;'
fault lanes-of-signed-width $evaluator/lanes.h \
  '_mm_subs_epu16(' \
  '_mm_subs_epi16('
fault signature-of-another-literal src/policy/block_writer.cc \
  'SignatureBit(c.column, c.allowed.lowest()));' \
  'SignatureBit(c.column, c.allowed.lowest() + 1));'
fault signature-never-set src/policy/block_writer.cc \
  'in_signature_[source.exact_column] ? ~std::uint32_t{0} : 0;' \
  '0;'
fault hot-columns-over-the-last-bit src/policy/block_writer.cc \
  'next + classes > kAlwaysHot)' \
  'next + classes > kAlwaysHot + 1)'
fault hot-columns-allow-class-0 src/policy/block_writer.cc \
  'if (!allowed) mask' \
  'if (!allowed && k != 0) mask'
fault lanes-of-too-many-classes src/policy/block_writer.cc \
  'vocabulary_.class_counts[c.column] <= 0x10000;' \
  'vocabulary_.class_counts[c.column] <= 0x20000;'
fault residual-ignored-in-sums $evaluator/match.h \
  'if (ResidualHolds(r.residual)) sum += r.points;' \
  'sum += r.points;'
fault residual-ignored-in-first-match $evaluator/sinks.h \
  '!matcher.LaneHolds(block, lane)) continue;
      first_ = rule;' \
  '!matcher.LaneHolds(block, lane)) {}
      first_ = rule;'
fault residual-of-the-next-lane $evaluator/match.h \
  'block.residual_lanes & ((1u << lane) - 1)' \
  'block.residual_lanes & ((2u << lane) - 1)'
fault blocks-skipped-by-their-last-rule $evaluator/sinks.h \
  'block.payload[0]) >= first_;' \
  'block.payload[kLanes - 1]) >= first_;'
fault head-ignores-a-column src/policy/write_matching.cc \
  'blocks_.Write(Group::kFirst, kNone,' \
  'blocks_.Write(Group::kFirst, 0,'
fault ranges-without-their-last $evaluator/match.h \
  'klass <= next[-1].high' \
  'klass < next[-1].high'
fault masks-of-32-classes src/policy/residuals.cc \
  'static_cast<std::uint32_t>(mask >> 32)' \
  '0'

# Rows.
fault residual-ignored-in-rows $evaluator/match.h \
  'if (ResidualHolds(entries[LowestBit(rest)].residual)) sure' \
  'sure'
fault first-chunk-skipped $evaluator/match.h \
  'for (std::uint32_t begin = 0; begin < group.word_count;' \
  'for (std::uint32_t begin = group.word_count > kChunk ? kChunk : 0; begin < group.word_count;'
fault last-chunk-skipped $evaluator/match.h \
  'begin < group.word_count; begin += kChunk' \
  'begin == 0 || begin + kChunk <= group.word_count; begin += kChunk'
fault certain-rows-ignored $evaluator/match.h \
  'sure &= certain[r][begin + i];' \
  ';'
fault runs-that-stick-out-are-certain src/policy/row_writer.cc \
  'if (i.low > 0 && RunOf(i.low - 1, classes, runs) == begin) ++begin;' \
  ''
fault inverted-words-added src/policy/row_writer.cc \
  'points[bit] = -points[bit];' \
  ''
fault inverted-words-not-inverted $evaluator/sinks.h \
  '(hits ^ word.inverted) & word.present' \
  'hits & word.present'
fault a-later-bucket-decides-a-first-match $evaluator/sinks.h \
  'if (rule >= first_) return;' \
  ''

# Groups and windows.
fault order-only-sums-lost $evaluator/run.h \
  'score_ += sum + Sum(segment.order_only);' \
  'score_ += sum;'
fault order-only-rules-in-the-other-sum src/policy/grouping.cc \
  '((rules_[rule].flags & Rule::kOrderOnly) != 0) == order_only;' \
  '!order_only;'
fault sums-of-more-than-32-bits src/policy/grouping.cc \
  'if (!belongs(rule) || points > room) return false;' \
  'if (!belongs(rule)) return false;'
fault alternatives-that-overlap-summed src/policy/grouping.cc \
  'if (!Disjoint(clauses_.drafts[i], clauses_.drafts[j])) return false;' \
  ''
fault outcomes-summed src/policy/grouping.cc \
  '(rules_[rule].flags & Rule::kOutcome) != 0 ||' \
  ''
fault first-match-stages-of-timed-rules src/policy/grouping.cc \
  'if (!timed && size >= kLongRun' \
  'if (size >= kLongRun'
fault sums-counted-in-every-window src/policy/grouping.cc \
  'whole[s].counts = 0;' \
  ''
fault rules-of-another-window $evaluator/sinks.h \
  'if (rule - window_ < kWindow) bitmap_.Insert(rule - window_);' \
  'bitmap_.Insert((rule - window_) % kWindow);'
fault queue-decided-in-sorted-order $evaluator/batch.h \
  '      decisions[i] = fresh;
      DecideBound(image, bound(i), now, &decisions[i]);
    }
  }' \
  '      decisions[begin + k] = fresh;
      DecideBound(image, bound(i), now, &decisions[begin + k]);
    }
  }'
fault queue-of-one-run $evaluator/batch.h \
  'const std::size_t i = begin + order[k];' \
  'const std::size_t i = order[k];'

# Tables.
fault terms-of-another-bit $evaluator/table.h \
  'Ones((cell.terms >> t & 1) != 0)' \
  'Ones((cell.terms >> (t & 3) & 1) != 0)'
fault order-only-terms-lost $evaluator/table.h \
  '~terms[t].order_only' \
  '~std::uint32_t{0}'
fault noted-only-where-added src/policy/write_table.cc \
  'if (term != kNone && term >= wait_begin_)' \
  'if (term != kNone && term >= wait_begin_ && index >= next)'
fault clamped-terms-in-a-table src/policy/write_table.cc \
  'if ((low || high) && terms != 0) return false;' \
  ''
fault terms-set-by-an-order-only-rule src/policy/write_table.cc \
  ' || preemption.terms != NotOrderOnly(score.terms)' \
  ''
fault constants-of-more-than-32-bits src/policy/write_table.cc \
  '!score.Fits() || !preemption.Fits() ||' \
  ''
fault first-limit-wins-in-a-table src/policy/write_table.cc \
  'if ((later.flags & Outcome::kLimit) != 0)' \
  'if ((later.flags & Outcome::kLimit) != 0 && outcome->limit_runtime_seconds == 0)'

# valid_until, and the steps of a wait.
fault wait-ends-a-microsecond-late $evaluator/clock.h \
  'Note(SaturatingAdd(submitted_, high + 1));' \
  'Note(SaturatingAdd(submitted_, high + 2));'
fault scaled-wait-not-noted $evaluator/match.h \
  'if (residual.scaled_wait != kNone)' \
  'if (residual.scaled_wait != kNone && residual.scaled_wait > 1)'
fault notes-end-with-the-last-rule $evaluator/run.h \
  '(next_ < h_.rules.count || h_.time_dependent != 0)' \
  'next_ < h_.rules.count'
fault transitions-not-noted $evaluator/clock.h \
  'Note(transition_);' \
  ''
fault end-of-a-rule-not-noted $evaluator/clock.h \
  'if (now_ < condition.until) Note(condition.until);' \
  ''
fault steps-begin-a-microsecond-late $evaluator/clock.h \
  'steps[i + 1].wait <= wait_) ++i;' \
  'steps[i + 1].wait < wait_) ++i;'
fault steps-are-as-guessed $evaluator/clock.h \
  'while (steps[i].wait > wait_) --i;' \
  ''
fault steps-end-with-their-table $evaluator/clock.h \
  'i + 1 == scaled.step_count && scaled.last_step == 0 ? nullptr : steps + i' \
  'steps + i'
