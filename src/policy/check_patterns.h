// Checks the regular expressions of a policy, each distinct one once.
#ifndef PRECEDENT_SRC_POLICY_CHECK_PATTERNS_H_
#define PRECEDENT_SRC_POLICY_CHECK_PATTERNS_H_

#include <cstddef>
#include <string>
#include <unordered_map>

#include "src/policy/check_context.h"

namespace precedent::internal {

class CheckPatterns {
 public:
  // Reports at the context's path: too long, bad syntax, too large alone, or too
  // large together with those before. `pattern` must outlive this.
  void Check(const std::string& pattern, CheckContext* context);

  // How many distinct patterns need RE2, and where the first of them stands.
  std::size_t regex_count() const { return regex_count_; }
  const std::string& first_regex() const { return first_regex_; }

 private:
  struct Result {
    std::string error;  // empty if it is good
    std::string hint;
  };
  Result Compile(const std::string& pattern, CheckContext* context);

  std::unordered_map<std::string_view, Result> results_;
  std::size_t program_size_ = 0;
  std::size_t regex_count_ = 0;
  std::string first_regex_;
};

}  // namespace precedent::internal

#endif  // PRECEDENT_SRC_POLICY_CHECK_PATTERNS_H_
