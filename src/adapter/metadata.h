// Metadata: labels, annotations, tags, environment variables and parameters of one
// job, in the order in which they are asked.
#ifndef PRECEDENT_SRC_ADAPTER_METADATA_H_
#define PRECEDENT_SRC_ADAPTER_METADATA_H_

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "src/adapter/draft.h"
#include "src/adapter/options.h"
#include "src/json/document.h"

namespace precedent::adapter {

class Metadata {
 public:
  enum class InLabels { kYes, kNo };

  // An object of name to text. An absent one adds nothing; one that is no object, or
  // a member that is no text, is an error of the document.
  void AddMap(json::Value map, InLabels in_labels);
  // A list of {name, value}, asked for the keys in upper snake case. The last of
  // equal names counts, as in a shell.
  void AddEnvironment(json::Value list);
  // The members of an object as such variables, whatever the spelling of their keys:
  // `failure_count` and `failure-count` are FAILURE_COUNT. Texts, whole numbers and
  // booleans count; members of any other type are passed over.
  void AddVariables(json::Value object);

  // Reads every attribute that has keys into the draft, marks it as claimed, and
  // copies what is a label. A value that its attribute cannot read is an error of
  // the document.
  void Read(const Options& options, Draft& draft) const;

 private:
  struct Entry {
    json::Value place;  // for errors
    std::string_view text;
  };
  struct Source {
    absl::flat_hash_map<absl::string_view, Entry> values;
    std::vector<std::string_view> order;
    bool environment;
    InLabels in_labels;
  };

  void ReadAttribute(const AttributeKeys& keys, Draft& draft) const;

  std::vector<Source> sources_;
  std::deque<std::string> owned_;  // what no document holds
};

}  // namespace precedent::adapter

#endif  // PRECEDENT_SRC_ADAPTER_METADATA_H_
