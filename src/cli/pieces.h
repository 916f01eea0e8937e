// A long file in pieces that end between two documents.
#ifndef PRECEDENT_SRC_CLI_PIECES_H_
#define PRECEDENT_SRC_CLI_PIECES_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "src/cli/file.h"

namespace precedent::cli {

enum class Format { kJson, kYaml, kText };

// What a file holds: by its name where that says so, else by its first bytes.
Format DetectFormat(std::string_view file, std::string_view start);

// Some whole documents of a file, or, where `error` is not empty, what is wrong with
// a stretch of it that was read over.
struct Piece {
  std::string text;
  int line = 1;  // of the first character
  std::string error;
};

// Cuts a file where one document has certainly ended: YAML before a `---` line, JSON
// after a line on which all brackets are closed. Text format is one document. So a
// long file needs no more memory than a short one, and only a document is limited.
//
// A damaged JSON value may leave a bracket open. Where values stand on a line each, the
// next line that begins with `{` is a value of its own all the same; elsewhere nobody
// can say where the damaged one ends, and the rest of the file belongs to it.
class PieceReader {
 public:
  // Pieces have at least `piece_bytes`, if the file does, and at most `max_bytes`.
  PieceReader(LineReader lines, Format format, std::size_t max_bytes = kMaxDocumentBytes,
              std::size_t piece_bytes = 1 << 20)
      : lines_(std::move(lines)),
        format_(format),
        max_bytes_(max_bytes),
        piece_bytes_(piece_bytes) {}

  // Empty at the end of the file.
  std::optional<Piece> Next();

 private:
  bool ReadLine();
  Piece TakeText(std::size_t bytes, int lines);
  std::optional<Piece> TooLarge();
  bool EndsBefore(std::string_view line);
  void Track(std::string_view line);

  LineReader lines_;
  Format format_;
  std::size_t max_bytes_;
  std::size_t piece_bytes_;

  std::string text_;    // of the piece that is being read
  int first_line_ = 1;  // of text_
  std::string next_;    // a line that was read and does not belong to text_ yet
  bool has_next_ = false;
  bool next_cut_ = false;
  bool ended_ = false;
  std::string error_;  // the file could not be read any further
  int line_ = 1;       // number of next_

  // JSON only.
  int depth_ = 0;             // brackets open after text_
  std::size_t whole_ = 0;     // bytes of text_ up to where all were closed
  int whole_lines_ = 0;       // lines of it
  bool line_values_ = false;  // the last value stood on one line
};

}  // namespace precedent::cli

#endif  // PRECEDENT_SRC_CLI_PIECES_H_
