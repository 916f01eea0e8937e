// Metadata: labels, annotations, tags, environment variables and parameters of one
// job, in the order in which they are asked.
#ifndef PRECEDENT_SRC_ADAPTER_METADATA_H_
#define PRECEDENT_SRC_ADAPTER_METADATA_H_

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>

#include "absl/container/inlined_vector.h"
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
    std::string_view key;
    std::string_view text;
    json::Value place;  // for errors
  };
  // Which of equal keys counts.
  enum class Repeated { kNever, kFirst, kLast };
  struct Source {
    absl::InlinedVector<Entry, 8> entries;
    bool environment;
    Repeated repeated;
    InLabels in_labels;
  };
  // An entry that gives an attribute by the key at `place` of its keys.
  struct Candidate {
    const Entry* entry = nullptr;
    std::size_t attribute = 0;
    std::size_t place = 0;
  };
  using Chosen = absl::InlinedVector<Candidate, 32>;

  static void Choose(const Options& options, const Source& source, Chosen& chosen);

  absl::InlinedVector<Source, 2> sources_;
  std::deque<std::string> owned_;  // what no document holds
};

}  // namespace precedent::adapter

#endif  // PRECEDENT_SRC_ADAPTER_METADATA_H_
