#include "src/policy/read_tree.h"

#include <cstddef>
#include <string>
#include <utility>

#include "src/text/cursor.h"
#include "src/text/json_reader.h"
#include "src/text/textproto_reader.h"
#include "src/text/yaml_reader.h"

namespace precedent::internal {

std::optional<Document> ReadTree(std::string_view bytes, PolicyFormat format,
                                 std::string_view what, std::vector<Issue>* issues) {
  switch (format) {
    case PolicyFormat::kJson: {
      Issue problem;
      std::optional<Document> document = ReadJson(bytes, &problem);
      if (!document) issues->push_back(std::move(problem));
      return document;
    }
    case PolicyFormat::kYaml: {
      const std::size_t before = issues->size();
      std::vector<Document> documents = ReadYaml(bytes, issues);
      if (issues->size() != before) return std::nullopt;
      if (documents.size() == 1) return std::move(documents[0]);
      if (documents.empty()) {
        // Comments only: a message without anything, as in protobuf text.
        Document empty;
        empty.root.kind = Node::Kind::kObject;
        return empty;
      }
      issues->push_back(ProblemAt(documents[1].root.line, documents[1].root.column,
                                  "a second YAML document begins here",
                                  "one file holds one " + std::string(what)));
      return std::nullopt;
    }
    default: {
      Document document = ReadTextProto(bytes, issues);
      if (!document.root.is_object()) return std::nullopt;
      return document;
    }
  }
}

}  // namespace precedent::internal
