// Every way to put a value of the wrong type into a JSON text.
#ifndef PRECEDENT_TESTS_UNIT_JSON_MUTATE_H_
#define PRECEDENT_TESTS_UNIT_JSON_MUTATE_H_

#include <simdjson.h>

#include <sstream>
#include <string>
#include <vector>

namespace precedent::testing {

// Writes a document with the node of one number (in document order) replaced.
class Mutator {
 public:
  explicit Mutator(const std::string& text) : root_(parser_.parse(text).value_unsafe()) {
    // Counts the nodes.
    Write(static_cast<std::size_t>(-1), "");
    nodes_ = next_;
  }
  std::size_t nodes() const { return nodes_; }

  std::string Write(std::size_t target, const std::string& replacement) {
    std::ostringstream out;
    next_ = 0;
    WriteNode(root_, target, replacement, out);
    return out.str();
  }

 private:
  void WriteNode(simdjson::dom::element element, std::size_t target, const std::string& replacement,
                 std::ostringstream& out) {
    const bool replaced = next_++ == target;
    if (replaced) out << replacement;
    // The children of a replaced node are numbered all the same.
    std::ostringstream nowhere;
    std::ostringstream& to = replaced ? nowhere : out;
    const char* separator = "";
    if (element.is_object()) {
      to << '{';
      const simdjson::dom::object object = element.get_object().value_unsafe();
      for (auto member : object) {
        to << separator << '"' << member.key << "\":";
        WriteNode(member.value, target, replacement, to);
        separator = ",";
      }
      to << '}';
    } else if (element.is_array()) {
      to << '[';
      const simdjson::dom::array array = element.get_array().value_unsafe();
      for (auto item : array) {
        to << separator;
        WriteNode(item, target, replacement, to);
        separator = ",";
      }
      to << ']';
    } else {
      to << simdjson::minify(element);
    }
  }

  simdjson::dom::parser parser_;
  simdjson::dom::element root_;
  std::size_t next_ = 0;
  std::size_t nodes_ = 0;
};

inline std::vector<std::string> WrongValues() {
  return {"null",
          "true",
          "0",
          "-1",
          "9223372036854775807",
          "18446744073709551615",
          "1.5",
          "1e300",
          "\"\"",
          "\"x\"",
          "\"-1\"",
          "\"1e999999999999\"",
          "[]",
          "[null]",
          "[[]]",
          "[{}]",
          "{}",
          "{\"x\":{}}",
          "{\"\":[]}",
          "[\"x\",1,null,{}]"};
}

}  // namespace precedent::testing

#endif  // PRECEDENT_TESTS_UNIT_JSON_MUTATE_H_
