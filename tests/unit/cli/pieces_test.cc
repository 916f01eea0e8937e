#include "src/cli/pieces.h"

#include <unistd.h>

#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace precedent::cli {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Tests run side by side, each in a process of its own.
std::string ScratchFile() {
  return testing::TempDir() + "/precedent_pieces." + std::to_string(getpid());
}

// A piece as `line: text` or `line! error`.
std::vector<std::string> Pieces(Format format, const std::string& content, std::size_t max_bytes,
                                std::size_t piece_bytes) {
  const std::string file = ScratchFile();
  std::ofstream(file, std::ios::binary) << content;
  absl::StatusOr<LineReader> lines = LineReader::Open(file);
  EXPECT_TRUE(lines.ok());
  PieceReader reader(*std::move(lines), format, max_bytes, piece_bytes);
  std::vector<std::string> pieces;
  while (const std::optional<Piece> piece = reader.Next())
    pieces.push_back(std::to_string(piece->line) +
                     (piece->error.empty() ? ": " + piece->text : "! " + piece->error));
  return pieces;
}

TEST(Pieces, NothingIsNoPiece) { EXPECT_THAT(Pieces(Format::kJson, "", 100, 10), IsEmpty()); }

TEST(Pieces, JsonIsCutWhereAllBracketsAreClosed) {
  EXPECT_THAT(Pieces(Format::kJson, "{\"a\":1}\n{\"b\":2}\n", 100, 1),
              ElementsAre("1: {\"a\":1}\n", "2: {\"b\":2}\n"));
  EXPECT_THAT(Pieces(Format::kJson, "{\n\"a\":[\n1]\n}\n\n{\"b\":2}", 100, 1),
              ElementsAre("1: {\n\"a\":[\n1]\n}\n", "5: \n", "6: {\"b\":2}"));
  // Not yet: a piece shall not be too small.
  EXPECT_THAT(Pieces(Format::kJson, "{}\n{}\n{}\n", 100, 4), ElementsAre("1: {}\n{}\n", "3: {}\n"));
}

TEST(Pieces, BracketsInStringsDoNotCount) {
  EXPECT_THAT(Pieces(Format::kJson, "{\"a\":\"[{\\\"\"}\n{}\n", 100, 1),
              ElementsAre("1: {\"a\":\"[{\\\"\"}\n", "2: {}\n"));
  // A string ends with its line at the latest.
  EXPECT_THAT(Pieces(Format::kJson, "{\"a}\n}\n{}\n", 100, 1),
              ElementsAre("1: {\"a}\n}\n", "3: {}\n"));
}

TEST(Pieces, DamagedLineDoesNotTakeTheNextWithIt) {
  EXPECT_THAT(Pieces(Format::kJson, "{}\n{\"a\":\n{\"b\":1}\n{\"c\":2}\n", 100, 1),
              ElementsAre("1: {}\n", "2: {\"a\":\n", "3: {\"b\":1}\n", "4: {\"c\":2}\n"));
  EXPECT_THAT(Pieces(Format::kJson, "{}\n{\"a\":\n{\"b\":1}\n{\"c\":2}\n", 12, 12),
              ElementsAre("1: {}\n", "2: {\"a\":\n", "3: {\"b\":1}\n", "4: {\"c\":2}\n"));
  // A value over several lines may have others at the margin.
  EXPECT_THAT(Pieces(Format::kJson, "{\"items\":[\n{},\n{}\n]}\n{}\n", 100, 1),
              ElementsAre("1: {\"items\":[\n{},\n{}\n]}\n", "5: {}\n"));
}

TEST(Pieces, JsonBeyondTheLimit) {
  const std::string large = "{\"a\":\"" + std::string(100, 'x') + "\"}\n";
  // On a line of its own it does no harm to the others.
  EXPECT_THAT(
      Pieces(Format::kJson, "{}\n" + large + "{\"b\":2}\n", 50, 1),
      ElementsAre("1: {}\n", "2! a document is larger than the limit of 0 MiB", "3: {\"b\":2}\n"));
  // Over several lines nobody can say where it ends.
  std::string lines = "{\n";
  for (int i = 0; i < 30; ++i) lines += "\"a\": [\n";
  EXPECT_THAT(Pieces(Format::kJson, lines + "{}\n", 50, 1),
              ElementsAre("1! a document is larger than the limit of 0 MiB"));
  // But those before it are whole.
  EXPECT_THAT(Pieces(Format::kJson, "{\n}\n{}\n" + lines, 50, 50),
              ElementsAre("1: {\n}\n{}\n", "4! a document is larger than the limit of 0 MiB"));
}

TEST(Pieces, YamlIsCutBeforeAMark) {
  EXPECT_THAT(Pieces(Format::kYaml, "a: 1\n---\nb: 2\n--- # c\nc: 3\n----\n", 100, 1),
              ElementsAre("1: a: 1\n", "2: ---\nb: 2\n", "4: --- # c\nc: 3\n----\n"));
}

TEST(Pieces, YamlBeyondTheLimit) {
  EXPECT_THAT(
      Pieces(Format::kYaml, "a: 1\n---\n" + std::string(60, 'x') + "\ny\n---\nb: 2\n", 50, 1),
      ElementsAre("1: a: 1\n", "2! a document is larger than the limit of 0 MiB",
                  "5: ---\nb: 2\n"));
}

TEST(Pieces, TextIsOneDocument) {
  EXPECT_THAT(Pieces(Format::kText, "a: 1\n---\n{}\n", 100, 1), ElementsAre("1: a: 1\n---\n{}\n"));
  EXPECT_THAT(Pieces(Format::kText, std::string(101, 'x'), 100, 1),
              ElementsAre("1! a document is larger than the limit of 0 MiB"));
}

TEST(DetectFormat, TheNameDecides) {
  EXPECT_EQ(DetectFormat("a.json", "a: 1"), Format::kJson);
  EXPECT_EQ(DetectFormat("a.ndjson", ""), Format::kJson);
  EXPECT_EQ(DetectFormat("a.yml", "{}"), Format::kYaml);
  EXPECT_EQ(DetectFormat("a.txtpb", "{}"), Format::kText);
}

TEST(DetectFormat, ElseTheContent) {
  EXPECT_EQ(DetectFormat("-", " \n{"), Format::kJson);
  EXPECT_EQ(DetectFormat("-", "\xef\xbb\xbf{}"), Format::kJson);
  EXPECT_EQ(DetectFormat("-", "["), Format::kJson);
  EXPECT_EQ(DetectFormat("-", "apiVersion: v1\nkind: Pod\n"), Format::kYaml);
  EXPECT_EQ(DetectFormat("-", "name: x\nlabels: {a: b}\n"), Format::kYaml);
  EXPECT_EQ(DetectFormat("-", "# c\nname: \"x\"\nlineage { step: 1 }\n"), Format::kText);
  EXPECT_EQ(DetectFormat("-", "name: \"a: b\" team: \"c\"\n"), Format::kText);
  EXPECT_EQ(DetectFormat("-", "claimed: TEAM\nclaimed: LABELS\n"), Format::kText);
  EXPECT_EQ(DetectFormat("-", "name: x # team: y\n"), Format::kYaml);
}

TEST(DetectFormat, AScriptInYamlIsNotTextFormat) {
  EXPECT_EQ(DetectFormat("-", "data:\n  run: |\n    main {\n    }\n"), Format::kYaml);
  EXPECT_EQ(DetectFormat("-", "kind: Pod\n---\nkind: Pod\n"), Format::kYaml);
}

TEST(ReadFile, Limit) {
  const std::string file = ScratchFile();
  std::ofstream(file, std::ios::binary) << std::string(100, 'x') << '\n';
  EXPECT_EQ(ReadFile(file, 101)->size(), 101u);
  EXPECT_EQ(ReadFile(file, 100).status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(ReadFile(file, 0).status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_FALSE(ReadFile(testing::TempDir()).ok());
}

}  // namespace
}  // namespace precedent::cli
