#include "src/policy/detect.h"

#include <gmock/gmock.h>

#include <string>

namespace precedent::internal {
namespace {

TEST(DetectFormat, GoesByContent) {
  const std::pair<const char*, PolicyFormat> cases[] = {
      {"  {\"name\": \"a\"}", PolicyFormat::kJson},
      {"[", PolicyFormat::kJson},
      {"name: \"a\"\nstages {\n}", PolicyFormat::kText},
      {"# name: a\nname: \"a\" time_zone: \"UTC\"", PolicyFormat::kText},
      {"stages: <\n>", PolicyFormat::kText},
      {"bounds { min: 0 max: 10 }", PolicyFormat::kText},
      {"generation: 3 name: \"x\"", PolicyFormat::kText},
      {"name: gpu-fleet\nstages:\n- name: base\n", PolicyFormat::kYaml},
      {"name: \"a\"\nstages:\n  - name: base\n", PolicyFormat::kYaml},
      {"stages: # the stages\n- rules: []\n", PolicyFormat::kYaml},
      {"# c\n---\nname: \"a\"\n", PolicyFormat::kYaml},
      {"%YAML 1.2\n---\n", PolicyFormat::kYaml},
      {"timeZone: Europe/Berlin\n", PolicyFormat::kYaml},
      {"description: |\n  text {\n", PolicyFormat::kYaml},
      {"name: \"a\"\n", PolicyFormat::kText},
      {"", PolicyFormat::kText},
      {"\x0a\x05hello\x18\x03", PolicyFormat::kBinary},
      {"\x22\x80\x01\xff\xff", PolicyFormat::kBinary},
  };
  for (const auto& [text, format] : cases)
    EXPECT_EQ(static_cast<int>(DetectFormat(text)), static_cast<int>(format)) << text;
}

TEST(DetectFormat, ACharacterCutByTheWindowIsText) {
  for (std::size_t length = 55; length < 66; ++length)
    EXPECT_EQ(DetectFormat("# " + std::string(length, 'x') + "\xc3\xa9\nstages {}\n"),
              PolicyFormat::kText);
}

}  // namespace
}  // namespace precedent::internal
