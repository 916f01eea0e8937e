#include "src/json/document.h"

#include <atomic>
#include <cstdlib>
#include <memory>
#include <new>
#include <set>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "src/json/limits.h"
#include "src/json/workspace.h"

// Counts what is allocated, so that "before anything is allocated" can be tested.
namespace {
std::atomic<std::size_t> allocated_bytes{0};
}

void* operator new(std::size_t size) {
  allocated_bytes += size;
  if (void* p = std::malloc(size)) return p;
  throw std::bad_alloc();
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  allocated_bytes += size;
  return std::malloc(size);
}
// A sanitizer has these of its own.
void* operator new[](std::size_t size) { return operator new(size); }
void* operator new[](std::size_t size, const std::nothrow_t& no_throw) noexcept {
  return operator new(size, no_throw);
}
// Kept out of line: inlined, the pair looks mismatched to the compiler.
__attribute__((noinline)) void operator delete(void* p) noexcept { std::free(p); }
__attribute__((noinline)) void operator delete(void* p, std::size_t) noexcept { std::free(p); }
__attribute__((noinline)) void operator delete[](void* p) noexcept { std::free(p); }
__attribute__((noinline)) void operator delete[](void* p, std::size_t) noexcept { std::free(p); }

namespace precedent::json {
namespace {

using ::testing::HasSubstr;

std::string Error(const std::string& text) {
  const auto document = Document::Parse(text);
  if (document.ok()) return "OK";
  EXPECT_EQ(document.status().code(), absl::StatusCode::kInvalidArgument);
  const std::string message(document.status().message());
  EXPECT_EQ(message.find('\n'), std::string::npos);
  return message;
}

std::string Nested(int depth, const std::string& inside = "1") {
  return std::string(depth, '[') + inside + std::string(depth, ']');
}

TEST(Document, TakesWhatMeansOneThing) {
  for (const char* text :
       {"{}", "[]", " {\"a\" : [1, -2, 3.5, true, false, null, \"x\\u0041\"]} \n",
        "{\"a\":{\"b\":1},\"b\":{\"b\":1}}", "\"text\"", "7"}) {
    EXPECT_EQ(Error(text), "OK") << text;
  }
}

TEST(Document, RefusesWhatIsNoJson) {
  for (const char* text : {"",
                           " ",
                           "{",
                           "}",
                           "{\"a\":1",
                           "{\"a\":1}}",
                           "{\"a\":1} x",
                           "{} {}",
                           "[1,]",
                           "{\"a\":1,}",
                           "{a:1}",
                           "{'a':1}",
                           "NaN",
                           "[NaN]",
                           "[Infinity]",
                           "[-]",
                           "[01]",
                           "[1.]",
                           "[.5]",
                           "[+1]",
                           "[1e400]",
                           "[18446744073709551616]",
                           "tru",
                           "[tru]",
                           "// x\n{}",
                           "\"a",
                           "\"\\x\"",
                           "\"\\ud800\"",
                           "\"\t\"",
                           "\xef\xbb\xbf{}"}) {
    EXPECT_NE(Error(text), "OK") << text;
  }
}

TEST(Document, RefusesInvalidUtf8) {
  for (const char* bytes : {"\"\xff\"", "\"\xc0\xaf\"", "\"\xed\xa0\x80\"", "\"\xf5\x80\x80\x80\"",
                            "{\"\x80\":1}", "\"\xe2\x82\""}) {
    EXPECT_THAT(Error(bytes), HasSubstr("UTF-8"));
  }
}

TEST(Document, RefusesNul) {
  EXPECT_THAT(Error(std::string("{\"a\":\0}", 7)), HasSubstr("NUL"));
  EXPECT_THAT(Error(std::string("{\"a\":\"\0\"}", 9)), HasSubstr("NUL"));
  EXPECT_THAT(Error(std::string("{}\0", 3)), HasSubstr("NUL"));
  EXPECT_THAT(Error(std::string("\"\\\0\"", 4)), HasSubstr("NUL"));
  EXPECT_THAT(Error("{\"a\":[1,{\"b\":\"x\\u0000y\"}]}"), HasSubstr("a[1].b"));
  EXPECT_THAT(Error("{\"a\":{\"x\\u0000\":1}}"), HasSubstr("a: has a key"));
  EXPECT_EQ(Error("{\"a\":\"\\\\u0000\"}"), "OK");
  EXPECT_THAT(Error("{\"a\":\"\\\\\\u0000\"}"), HasSubstr("a: holds"));
  // Wherever it stands, whatever stands around it.
  const std::string sample = " {\"a\" : [12, -1.5e3, true, null, \"x\\n\", {}, []] } ";
  ASSERT_EQ(Error(sample), "OK");
  for (std::size_t i = 0; i <= sample.size(); ++i) {
    std::string with = sample;
    with.insert(i, 1, '\0');
    EXPECT_THAT(Error(with), HasSubstr("NUL")) << i;
  }
}

TEST(Document, RefusesDuplicateKeysAtEveryDepth) {
  EXPECT_THAT(Error("{\"a\":1,\"b\":2,\"a\":1}"), HasSubstr("a: the key is given twice"));
  EXPECT_THAT(Error("{\"a\":1,\"\\u0061\":1}"), HasSubstr("a: the key is given twice"));
  EXPECT_THAT(Error("{\"s\":[0,{\"l\":{\"x.y/z\":1,\"x.y\\/z\":2}}]}"),
              HasSubstr("s[1].l[\"x.y/z\"]: the key"));
  EXPECT_THAT(Error(Nested(60, "{\"a\":1,\"a\":1}")), HasSubstr("twice"));
  EXPECT_EQ(Error("{\"a\":1,\"A\":1}"), "OK");
  // More keys than are compared in pairs.
  std::string many = "{";
  for (int i = 0; i < 20; ++i) many += "\"k" + std::to_string(i) + "\":1,";
  EXPECT_EQ(Error(many + "\"x\":1}"), "OK");
  EXPECT_THAT(Error(many + "\"k7\":1}"), HasSubstr("k7"));
}

TEST(Document, BoundsDepth) {
  EXPECT_EQ(Error(Nested(kMaxDepth)), "OK");
  EXPECT_THAT(Error(Nested(kMaxDepth + 1)), HasSubstr("byte 64 opens level 65"));
  std::string objects;
  for (int i = 0; i < kMaxDepth + 1; ++i) objects += "{\"a\":";
  EXPECT_THAT(Error(objects), HasSubstr("level 65"));
  // Brackets in strings do not nest, not even after escaped quotes.
  EXPECT_EQ(Error("[\"" + std::string(100, '[') + "\\\"" + std::string(100, '{') + "\\\\\"]"),
            "OK");
  // Depth, not number.
  std::string flat = "[";
  for (int i = 0; i < 1000; ++i) flat += "[],";
  EXPECT_EQ(Error(flat + "[]]"), "OK");
}

TEST(Document, SpendsNothingOnHugeTextsAndNoMoreOnDeepOnesThanOnFlatOnes) {
  const std::string brackets(100'000'000, '[');
  std::size_t before = allocated_bytes;
  const auto huge = Document::Parse(brackets);
  EXPECT_THAT(std::string(huge.status().message()), HasSubstr("100000000 bytes"));
  EXPECT_LT(allocated_bytes - before, 10'000u);

  const std::string flat = '"' + std::string(kMaxBytes - 2, '[') + '"';
  before = allocated_bytes;
  EXPECT_EQ(Error(flat), "OK");
  const std::size_t least = allocated_bytes - before;
  before = allocated_bytes;
  const auto deep = Document::Parse(std::string_view(brackets).substr(0, kMaxBytes));
  EXPECT_THAT(std::string(deep.status().message()), HasSubstr("level 65"));
  EXPECT_LT(allocated_bytes - before, least + 10'000u);
}

// An empty array or object is a level too, which the parser does not count.
TEST(Document, CountsEmptyLevels) {
  EXPECT_EQ(Error(Nested(kMaxDepth - 1, "{}")), "OK");
  EXPECT_THAT(Error(Nested(kMaxDepth, "[]")), HasSubstr("byte 64 opens level 65"));
  EXPECT_THAT(Error(Nested(kMaxDepth, "{}")), HasSubstr("byte 64 opens level 65"));
}

TEST(Document, AWorkspaceServesOneTextAfterTheOther) {
  Workspace workspace;
  const std::string large = "[\"" + std::string(1'000'000, 'x') + "\"]";
  for (int round = 0; round < 3; ++round) {
    for (const std::string& text : {std::string("{\"a\":[1,{\"b\":true}]}"), large,
                                    std::string("{\"a\":"), std::string(), Nested(65)}) {
      const auto with = Document::Parse(text, "it", &workspace);
      const auto alone = Document::Parse(text, "it");
      EXPECT_EQ(with.status(), alone.status());
      if (!with.ok() || text == large) continue;
      const Value value = (*with)->root().Get("a").Items().ToVector()[1].Get("b");
      EXPECT_EQ(value.Path(), "a[1].b");
      EXPECT_EQ(value.Bool(), true);
    }
    workspace.Trim();
  }
}

TEST(Document, AWorkspaceKeepsTheMemoryOfSmallTextsOnly) {
  Workspace workspace;
  const auto spent = [&](std::size_t size) {
    const std::string text = "[\"" + std::string(size, 'x') + "\"]";
    const std::size_t before = allocated_bytes;
    EXPECT_TRUE(Document::Parse(text, {}, &workspace).ok());
    const std::size_t after = allocated_bytes;
    workspace.Trim();
    return after - before;
  };
  EXPECT_GT(spent(6000), 6000u);
  EXPECT_LT(spent(6000), 1000u);
  for (int i = 0; i < 2; ++i) EXPECT_GT(spent(1'000'000), 1'000'000u);
}

TEST(WorkspacePool, GivesEachHolderItsOwnAndKeepsWhatComesBack) {
  WorkspacePool pool;
  std::set<Workspace*> first;
  {
    std::vector<std::unique_ptr<WorkspacePool::Lease>> leases;  // more than are kept
    for (int i = 0; i < 40; ++i) {
      leases.emplace_back(new WorkspacePool::Lease(pool.Take()));
      first.insert(leases.back()->get());
    }
    EXPECT_EQ(first.size(), 40u);
  }
  std::vector<std::unique_ptr<WorkspacePool::Lease>> leases;
  for (int i = 0; i < 16; ++i) {
    leases.emplace_back(new WorkspacePool::Lease(pool.Take()));
    EXPECT_EQ(first.count(leases.back()->get()), 1u);
  }
}

TEST(Document, TakesExactlySevenMebibytes) {
  std::string text = "[\"" + std::string(kMaxBytes - 4, 'x') + "\"]";
  EXPECT_EQ(Error(text), "OK");
  text.insert(2, "x");
  EXPECT_THAT(Error(text), HasSubstr("7340033 bytes; at most 7340032"));
}

TEST(Document, NamesItselfInErrors) {
  const auto document = Document::Parse("{\"a\":1,\"a\":2}", "definition");
  EXPECT_EQ(document.status().message(), "definition: a: the key is given twice; keep one of them");
}

class ValueTest : public ::testing::Test {
 protected:
  Value Root(const std::string& text) {
    document_ = *Document::Parse(text);
    return document_->root();
  }
  std::string error() const { return std::string(document_->status().message()); }
  std::unique_ptr<Document> document_;
};

TEST_F(ValueTest, AbsentAndNullReadAlike) {
  const Value root = Root("{\"n\":null,\"a\":[null,1,null]}");
  for (const Value value : {root.Get("n"), root.Get("x"), root.Find("n.b.c"), Value()}) {
    EXPECT_FALSE(value.present());
    EXPECT_FALSE(value.String().has_value());
    EXPECT_FALSE(value.Integer(0, 1).has_value());
    EXPECT_FALSE(value.Bool().has_value());
    EXPECT_FALSE(value.DeviceCount().has_value());
    EXPECT_TRUE(value.Members().empty());
    EXPECT_TRUE(value.Items().empty());
  }
  EXPECT_TRUE(document_->status().ok());
  EXPECT_EQ(root.Members().ToVector().size(), 1u);
  ASSERT_EQ(root.Get("a").Items().ToVector().size(), 1u);
  EXPECT_EQ(root.Get("a").Items().ToVector()[0].Path(), "a[1]");
}

TEST_F(ValueTest, ErrorsNameThePath) {
  const Value root = Root(
      "{\"spec\":{\"template\":{\"spec\":{\"containers\":[{\"resources\":{\"limits\":"
      "{\"nvidia.com/gpu\":\"-1\"}}}]}}}}");
  const Value container = root.Find("spec.template.spec.containers").Items().ToVector()[0];
  EXPECT_FALSE(container.Find("resources.limits").Get("nvidia.com/gpu").DeviceCount().has_value());
  EXPECT_EQ(
      error(),
      "spec.template.spec.containers[0].resources.limits[\"nvidia.com/gpu\"]: `-1` is negative; "
      "a device count is 0 or more");
}

TEST_F(ValueTest, TheFirstErrorStays) {
  const Value root = Root("{\"a\":1,\"b\":\"x\"}");
  EXPECT_FALSE(root.Get("a").String().has_value());
  EXPECT_FALSE(root.Get("b").Bool().has_value());
  EXPECT_EQ(error(), "a: must be a string and is a number");
}

TEST_F(ValueTest, ReadsDeviceCountsExactly) {
  EXPECT_EQ(Root("[2]").Items().ToVector()[0].DeviceCount(), 2);
  EXPECT_EQ(Root("[9223372036854775807]").Items().ToVector()[0].DeviceCount(), INT64_MAX);
  EXPECT_EQ(Root("[\"2e0\"]").Items().ToVector()[0].DeviceCount(), 2);
  // Unquoted, as an API server reads them too: by their digits.
  EXPECT_EQ(Root("[2.0]").Items().ToVector()[0].DeviceCount(), 2);
  EXPECT_EQ(Root("[1e3]").Items().ToVector()[0].DeviceCount(), 1000);
  EXPECT_EQ(Root("[1.50E+1]").Items().ToVector()[0].DeviceCount(), 15);
  EXPECT_EQ(Root("[0.0]").Items().ToVector()[0].DeviceCount(), 0);
  EXPECT_EQ(Root("[9007199254740993.0]").Items().ToVector()[0].DeviceCount(), 9007199254740993);
  for (const char* text : {"[-1]", "[9223372036854775808]", "[0.5]", "[1e30]", "[-2.0]",
                           "[2.0000000000000000001]", "[0.99999999999999999999]", "[\"\"]", "[true]", "[{}]", "[[]]"}) {
    EXPECT_EQ(Root(text).Items().ToVector()[0].DeviceCount(), std::nullopt) << text;
    EXPECT_THAT(error(), HasSubstr("[0]: ")) << text;
  }
}

TEST_F(ValueTest, FindsTheSpellingOfANumberWhereverItIs) {
  const Value root = Root(
      R"( {"x":[7.0 , {"b":{"\"]}":[1.0]}}, "a\\", {"a.\u0062":{"":8.0 , "c":[[],[3.0,4.0]]}}],)"
      R"("y":5.0 } )");
  const auto count = [](const Value& value) { return value.DeviceCount().value_or(-1); };
  const std::vector<Value> x = root.Get("x").Items().ToVector();
  EXPECT_EQ(count(x[0]), 7);
  EXPECT_EQ(count(x[1].Get("b").Get("\"]}").Items().ToVector()[0]), 1);
  EXPECT_EQ(count(x[3].Get("a.b").Get("")), 8);
  EXPECT_EQ(count(x[3].Get("a.b").Get("c").Items().ToVector()[1].Items().ToVector()[1]), 4);
  EXPECT_EQ(count(root.Get("y")), 5);
  EXPECT_EQ(error(), "");
}

TEST_F(ValueTest, SearchesForABoundedNumberOfSpellings) {
  std::string text = "[";
  for (int i = 0; i < 200'000; ++i) text += "1.0,";
  std::size_t read = 0;
  for (const Value item : Root(text + "1.0]").Items()) read += item.DeviceCount().has_value();
  EXPECT_GE(read, 4u);
  EXPECT_LE(read, 100u);
  EXPECT_THAT(error(), HasSubstr("write them as strings"));
}

TEST_F(ValueTest, IntegersHaveRanges) {
  EXPECT_EQ(Root("[5]").Items().ToVector()[0].Integer(0, 5), 5);
  for (const char* text : {"[6]", "[-1]", "[18446744073709551615]", "[5.0]", "[\"5\"]", "[true]"}) {
    EXPECT_EQ(Root(text).Items().ToVector()[0].Integer(0, 5), std::nullopt) << text;
    EXPECT_FALSE(document_->status().ok()) << text;
  }
}

TEST(Path, QuotesWhatCouldMislead) {
  const PathStep root{nullptr, "a-b"};
  const PathStep index{&root, {}, 3};
  const PathStep odd{&index, "x\"\n\x1b[31m\xe2\x80\xae\xff"};
  EXPECT_EQ(PathText(&odd), "a-b[3][\"x\"\\x0a\\x1b[31m\\xe2\\x80\\xae\\xff\"]");
  EXPECT_LT(Printable(std::string(10'000, 'x')).size(), 200u);
  EXPECT_EQ(Printable("gr\xc3\xbc\xc3\x9f"), "gr\xc3\xbc\xc3\x9f");
}

}  // namespace
}  // namespace precedent::json
