// The documents of a file as trees.
#ifndef PRECEDENT_SRC_CLI_DOCUMENTS_H_
#define PRECEDENT_SRC_CLI_DOCUMENTS_H_

#include <cstddef>
#include <functional>
#include <string>

#include "precedent/issue.h"
#include "src/cli/pieces.h"
#include "src/text/node.h"

namespace precedent::cli {

struct DocumentSink {
  // A document of the file. Its lines count from the start of the file.
  std::function<void(const internal::Node& root, Format format)> document;
  std::function<void(const Issue& issue)> issue;
  // A JSON list is a document too, and not refused.
  bool takes_lists = false;
};

// Reads a file, or standard input for `-`, document by document, calling the sink
// for each and for each problem. A damaged document does not stop the others. A file
// that holds nothing is a problem too.
void ReadDocuments(const std::string& file, const DocumentSink& sink,
                   std::size_t max_bytes = kMaxDocumentBytes);
// The same for what is left of an open file.
void ReadDocuments(LineReader lines, const std::string& file, const DocumentSink& sink,
                   std::size_t max_bytes = kMaxDocumentBytes);

}  // namespace precedent::cli

#endif  // PRECEDENT_SRC_CLI_DOCUMENTS_H_
