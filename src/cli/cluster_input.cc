#include "src/cli/cluster_input.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "precedent/preemption_policy.h"
#include "src/cli/documents.h"
#include "src/cli/file.h"
#include "src/cli/pieces.h"
#include "src/cli/place.h"
#include "src/cli/shapes.h"
#include "src/policy/fill.h"
#include "src/text/json_writer.h"

namespace precedent::cli {
namespace {

// Enough to tell whether objects of Kubernetes are in the file.
constexpr std::size_t kStartBytes = 64 << 10;

class Files {
 public:
  Files(kubernetes::ClusterReader* reader, ClusterInput* input, Console& console)
      : reader_(*reader), input_(*input), console_(console) {}

  void Read(const std::string& file) {
    file_ = file;
    absl::StatusOr<LineReader> lines = LineReader::Open(file);
    if (!lines.ok()) return Fail(Error(std::string(lines.status().message())));
    const absl::StatusOr<std::string_view> start = lines->Peek(kStartBytes);
    if (!start.ok()) return Fail(Error(std::string(start.status().message())));
    if (start->empty()) return Fail(Error("is empty"));
    const Format format = DetectFormat(file, *start);
    if (format == Format::kJson && start->find("\"apiVersion\"") != std::string_view::npos) {
      return ReadObjects(*lines);
    }
    ReadDocuments(*std::move(lines), file,
                  {[&](const internal::Node& root, Format form) { ReadNode(root, form); },
                   [&](const Issue& issue) { Fail(issue); }});
    TakeProblems();
  }

  // Of the messages.
  v1::Cluster cluster;

 private:
  void ReadObjects(LineReader& lines) {
    for (;;) {
      const absl::StatusOr<std::string_view> bytes = lines.ReadBlock();
      if (!bytes.ok()) return Fail(Error(std::string(bytes.status().message())));
      if (bytes->empty()) break;
      reader_.Read(*bytes);
      TakeProblems();
    }
    reader_.EndOfText();
    TakeProblems();
  }

  void ReadNode(const internal::Node& root, Format format) {
    if (format != Format::kText && (IsKubernetes(root) || IsList(root))) {
      reader_.Read(internal::WriteJson(root));
      return reader_.EndOfText();
    }
    std::vector<Issue> issues;
    v1::Cluster message;
    internal::FillMessage(
        root, &message, &issues,
        format == Format::kText ? internal::Dialect::kText : internal::Dialect::kJson);
    for (const Issue& issue : issues) Fail(issue);
    if (!HasErrors(issues)) cluster.MergeFrom(message);
  }

  void TakeProblems() {
    for (std::string& problem : reader_.TakeProblems()) Fail(Error(std::move(problem)));
  }

  void Fail(const Issue& issue) {
    Report(console_, issue, file_);
    if (issue.severity == Severity::kError) input_.good = false;
  }

  kubernetes::ClusterReader& reader_;
  ClusterInput& input_;
  Console& console_;
  std::string file_;
};

}  // namespace

absl::StatusOr<ClusterInput> ReadCluster(const std::vector<std::string>& files,
                                         const kubernetes::ClusterOptions& options,
                                         const CompiledPolicy& policy, TimePoint now,
                                         Console& console) {
  absl::StatusOr<kubernetes::ClusterReader> reader =
      kubernetes::ClusterReader::Create(options, policy.evaluator(), now);
  if (!reader.ok()) return reader.status();
  ClusterInput input;
  Files all(&*reader, &input, console);
  for (const std::string& file : files) all.Read(file);
  input.reading = std::move(*reader).Finish();
  input.reading.cluster.MergeFrom(all.cluster);
  if (input.reading.cluster.class_order().empty()) {
    for (const std::string& name : ClassOrder(policy.source())) {
      input.reading.cluster.add_class_order(name);
    }
  }
  return input;
}

}  // namespace precedent::cli
