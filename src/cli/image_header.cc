#include "src/cli/image_header.h"

#include <cctype>
#include <cstddef>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "precedent/version.h"
#include "src/cli/console.h"

namespace precedent::cli {
namespace {

std::string ArrayElements(std::string_view image) {
  constexpr std::size_t kPerLine = 20;
  std::string text;
  text.reserve(image.size() * 4 + image.size() / kPerLine * 5);
  for (std::size_t i = 0; i < image.size(); ++i) {
    text += i % kPerLine == 0 ? "\n    " : "";
    absl::StrAppend(&text, static_cast<unsigned>(static_cast<unsigned char>(image[i])), ",");
  }
  return text;
}

}  // namespace

std::string IdentifierFor(std::string_view file) {
  std::string_view name = file.substr(file.rfind('/') + 1);
  name = name.substr(0, name.find('.'));
  std::string identifier;
  // Nothing that is reserved: no digit first, no two underscores together.
  for (const char c : name) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0;
    if (plain)
      identifier += c;
    else if (!identifier.empty() && identifier.back() != '_')
      identifier += '_';
  }
  if (identifier.empty()) return "policy";
  if (std::isdigit(static_cast<unsigned char>(identifier[0])) != 0) identifier.insert(0, "policy_");
  return identifier;
}

std::string ImageHeader(std::string_view image, std::string_view file, const Evaluator& evaluator) {
  const std::string name = IdentifierFor(file);
  const std::string guard = absl::StrCat("PRECEDENT_IMAGE_", absl::AsciiStrToUpper(name), "_H_");
  std::string policy = Printable(evaluator.name());
  // A backslash at the end of a comment would draw in the next line.
  for (char& c : policy)
    if (c == '\\') c = '/';
  return absl::StrCat(
      "// The compiled policy `", policy, "`, generation ", evaluator.generation(),
      ", fingerprint\n// ", std::string(evaluator.fingerprint()), ".\n",
      "// Written by `precedent compile --as=header`, release ", PRECEDENT_VERSION,
      "; do not edit.\n", "#ifndef ", guard, "\n#define ", guard, "\n\n",
      "#include <cstddef>\n\n#include \"precedent/span.h\"\n\n", "namespace precedent_images {\n\n",
      "alignas(64) inline constexpr unsigned char ", name, "_bytes[] = {", ArrayElements(image),
      "\n};\n\n", "// For precedent::Evaluator::FromImage.\n",
      "inline precedent::Span<const std::byte> ", name, "() {\n",
      "  return {reinterpret_cast<const std::byte*>(", name, "_bytes), sizeof ", name,
      "_bytes};\n}\n\n", "}  // namespace precedent_images\n\n#endif  // ", guard, "\n");
}

}  // namespace precedent::cli
