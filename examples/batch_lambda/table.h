// Table: items of one DynamoDB table, changed by conditional writes alone.
#ifndef PRECEDENT_EXAMPLES_BATCH_LAMBDA_TABLE_H_
#define PRECEDENT_EXAMPLES_BATCH_LAMBDA_TABLE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "examples/batch_lambda/aws.h"

namespace precedent::batch_lambda {

// A text or a whole number.
struct Attribute {
  Attribute(std::string_view t) : text(t) {}                            // NOLINT: meant to convert
  Attribute(const std::string& t) : text(t) {}                          // NOLINT
  Attribute(const char* t) : text(t) {}                                 // NOLINT
  Attribute(std::int64_t n) : text(std::to_string(n)), number(true) {}  // NOLINT
  std::string text;
  bool number = false;
};

class Item {
 public:
  void Set(std::string name, Attribute value) { values_.insert_or_assign(std::move(name), value); }
  // Empty where there is none.
  std::string Text(const std::string& name) const;
  // 0 where there is none.
  std::int64_t Number(const std::string& name) const;

 private:
  std::map<std::string, Attribute> values_;
};

// One UpdateItem, which makes the item where there is none. Attributes are called so that
// none is a reserved word, and `:value` stands for the value of that name.
struct Write {
  std::string key;
  std::string update;     // `SET jobState = :state ADD failureCount :more`
  std::string condition;  // `attribute_not_exists(jobState)`; empty: always
  std::map<std::string, Attribute> values;
};

// Thread-safety: as its Aws.
class Table {
 public:
  // Borrows `aws`.
  Table(Aws* aws, std::string name) : aws_(aws), name_(std::move(name)) {}

  // What is there after every write that was answered before.
  absl::StatusOr<std::optional<Item>> Get(const std::string& key) const;
  // True: written. False: the condition does not hold, or held until this very write was
  // answered by nobody and sent again; read the item to know.
  absl::StatusOr<bool> Put(const Write& write) const;
  // All, or none.
  absl::StatusOr<bool> PutAll(const std::vector<Write>& writes) const;

 private:
  std::string Body(const Write& write) const;

  Aws* aws_;
  std::string name_;
};

}  // namespace precedent::batch_lambda

#endif  // PRECEDENT_EXAMPLES_BATCH_LAMBDA_TABLE_H_
