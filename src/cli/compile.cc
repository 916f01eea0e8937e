// precedent compile: a policy as an image that an evaluator takes as it is.
#include <optional>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/strings/str_cat.h"
#include "src/cli/command.h"
#include "src/cli/file.h"
#include "src/cli/flags.h"
#include "src/cli/image_header.h"

ABSL_FLAG(std::string, o, "", "file to write");
ABSL_FLAG(std::string, as, "", "form of the image");

namespace precedent::cli {
namespace {

constexpr std::string_view kHelp =
    R"(usage: precedent compile POLICY -o IMAGE [--as=header]

Compiles the policy and writes its image, which precedent::Evaluator::FromImage takes
with nothing but the library's headers. IMAGE is replaced in one step.

  -o IMAGE      the file to write
  --as=header   a C++ header with the image as an array instead of the bytes. For
                `-o fleet.h` it has precedent_images::fleet(), the span for FromImage.

A policy with a pattern that needs RE2 is not lock-free and has no image.

Exit code: 0 written; 2 wrong usage, a policy with errors, or IMAGE cannot be written.
)";

int Run(const std::vector<std::string>& arguments, Console& console) {
  const std::string& file = arguments[0];
  const std::string target = absl::GetFlag(FLAGS_o);
  const std::string form = absl::GetFlag(FLAGS_as);
  if (!form.empty() && form != "header")
    return Fail(console, absl::StrCat("--as: `", form, "` is not `header`"));
  const std::optional<CompiledPolicy> policy = LoadPolicyFile(file, console);
  if (!policy) return kUsage;
  const Evaluator& evaluator = policy->evaluator();
  if (!evaluator.lock_free()) {
    Report(console,
           Error("has a pattern that needs RE2, so it is not lock-free and has no image: "
                 "replace the pattern by in, prefix, suffix or contains; `precedent check` "
                 "says where it is"),
           file);
    return kUsage;
  }
  const Span<const std::byte> image = evaluator.image();
  std::string bytes(reinterpret_cast<const char*>(image.data()), image.size());
  if (form == "header") bytes = ImageHeader(bytes, target, evaluator);
  const absl::Status written = WriteFileAtomically(target, bytes);
  if (written.ok()) return kOk;
  Report(console, Error(std::string(written.message())), target);
  return kUsage;
}

}  // namespace

Command CompileCommand() {
  return {"compile", "an image of a policy, to embed", kHelp, {"o", "as"}, {"o"}, "POLICY", 1, 1,
          Run};
}

}  // namespace precedent::cli
