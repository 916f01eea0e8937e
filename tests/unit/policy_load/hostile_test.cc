// Whatever the bytes, loading ends with a policy or an error and says where.
#include <gmock/gmock.h>

#include <cstdlib>
#include <random>
#include <string>

#include "tests/unit/policy_load/report.h"

namespace precedent {
namespace {

using ::testing::HasSubstr;

const std::pair<PolicyFormat, std::string> kSamples[] = {
    {PolicyFormat::kText,
     "name: \"g\\n\\x41\" # c\nstages { mode: FIRST_MATCH rules { id: \"a\" when { team { in: [\"x\", "
     "\"y\"] regex: \"a+b\" } labels { key: \"k\" value { prefix: 'p' } } } set: -1 } }\n"
     "bounds < min: 0 max: 0x10 >"},
    {PolicyFormat::kJson,
     "{\"name\": \"g\\n\\u00e9\", \"stages\": [{\"mode\": \"FIRST_MATCH\", \"rules\": [{\"id\": \"a\", "
     "\"when\": [{\"labels\": {\"k\": {\"in\": [\"x\"]}}, \"gpuCount\": {\"above\": 1.5e3}}], "
     "\"set\": -1, \"final\": true}]}]}"},
#ifdef PRECEDENT_HAVE_YAML
    {PolicyFormat::kYaml,
     "name: &n g\ndescription: |\n  a\n  b\nstages:\n- mode: FIRST_MATCH\n  rules:\n  - id: 'a'\n"
     "    when: [{team: {in: [*n, \"y\"]}}]\n    set: -1\n"},
#endif
};

void Load(const std::string& bytes, PolicyFormat format) {
  CompileOptions options;
  options.format = format;
  const CompileResult result = LoadPolicy(bytes, options);
  ASSERT_NE(result.ok(), HasErrors(result.issues));
  for (const Issue& issue : result.issues) {
    ASSERT_FALSE(issue.message.empty());
    ASSERT_EQ(FormatIssue(issue, "f").find_first_of("\n\r\x1b"), std::string::npos);
  }
}

TEST(Hostile, SamplesAreGood) {
  for (const auto& [format, text] : kSamples) {
    CompileOptions options;
    options.format = format;
    EXPECT_TRUE(LoadPolicy(text, options).ok()) << Check(text, options);
  }
}

TEST(Hostile, TruncationAtEveryByte) {
  for (const auto& [format, text] : kSamples) {
    for (std::size_t length = 0; length < text.size(); ++length) {
      Load(text.substr(0, length), format);
      Load(text.substr(0, length), PolicyFormat::kDetect);
    }
  }
}

TEST(Hostile, RandomMutations) {
  const char* given = std::getenv("PRECEDENT_TEST_SEED");
  const auto seed = static_cast<unsigned>(given != nullptr ? std::atoi(given) : 1);
  std::mt19937 random(seed);
  RecordProperty("seed", static_cast<int>(seed));
  constexpr std::string_view kBytes = "{}[]<>:,;\"'\\#&*!|-? \n\t0189.eExXnN\x00\x01\x7f\x80\xc3\xff";
  for (const auto& [format, text] : kSamples) {
    for (int round = 0; round < 1500; ++round) {
      std::string mutant = text;
      for (unsigned edits = 1 + random() % 4; edits > 0; --edits) {
        const std::size_t at = random() % (mutant.size() + 1);
        const char byte = kBytes[random() % kBytes.size()];
        switch (random() % 4) {
          case 0: mutant.insert(at, 1, byte); break;
          case 1: mutant.erase(at, 1 + random() % 5); break;
          case 2: if (at < mutant.size()) mutant[at] = byte; break;
          default: mutant.insert(at, mutant.substr(random() % mutant.size(), random() % 20));
        }
      }
      SCOPED_TRACE("seed " + std::to_string(seed) + ", mutant " + mutant);
      Load(mutant, format);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(Hostile, HundredMegabytesOfBrackets) {
  const std::string bytes(100 << 20, '[');
  EXPECT_THAT(Check(bytes), HasSubstr("error: the policy has 104857600 bytes, and the limit is"));
  CompileOptions options;
  options.limits.policy_bytes = std::size_t{1} << 30;
  EXPECT_THAT(Check(bytes, options), HasSubstr("1: error: nested deeper than 64 levels"));
  for (PolicyFormat format : {PolicyFormat::kText, PolicyFormat::kYaml, PolicyFormat::kBinary}) {
    options.format = format;
    EXPECT_THAT(Check(bytes, options), HasSubstr("error: "));
  }
}

TEST(Hostile, MessagesShowNoControlCharacters) {
  for (const char* text : {"stages { rules { id: \"a\\n\\033[1m\" } rules { id: \"a\\n\\033[1m\" } }",
                           "{\"na\\u001bme\": 1}", "{\"stages\": [{\"mode\": \"\\u001b\"}]}",
                           "stages { rules { id: \"a\" priority_class: \"\\n\" } }"})
    Load(text, PolicyFormat::kDetect);
}

}  // namespace
}  // namespace precedent
