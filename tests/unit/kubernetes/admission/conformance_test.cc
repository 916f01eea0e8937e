// Priority plugin, webhook, Priority plugin, webhook: whatever the user wrote, the
// patch applies, the pod is stored with the derived class and its value, nothing but
// our own metadata changes, and a second run is empty.
#include <random>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/kubernetes/admission/admission_test_support.h"

namespace precedent::kubernetes {
namespace {

ApiServer Server() {
  ApiServer server;
  server.classes = {
      {"gold", {500, "PreemptLowerPriority"}},    {"bronze", {0, "PreemptLowerPriority"}},
      {"gold-nonpreempting", {500, "Never"}},     {"bronze-nonpreempting", {0, "Never"}},
      {"wrong", {77, "PreemptLowerPriority"}},    {"quiet", {-10, "Never"}},
      {"common", {1000, "PreemptLowerPriority"}}, {"preemptible", {1, "PreemptLowerPriority"}}};
  return server;
}

Tree* Below(Tree* tree, const std::vector<std::string>& path) {
  for (const std::string& key : path) {
    if (tree != nullptr) tree = tree->Find(key);
  }
  return tree;
}

// Takes away what the webhook may change: priority fields of the spec and our own
// metadata. A map that is empty then counts as missing, as it does in storage.
void Strip(Tree* pod) {
  if (Tree* spec = pod->Find("spec")) {
    for (const char* key : {"priorityClassName", "priority", "preemptionPolicy"}) spec->Erase(key);
  }
  Tree* metadata = pod->Find("metadata");
  if (metadata == nullptr) return;
  for (const char* map : {"labels", "annotations"}) {
    Tree* texts = metadata->Find(map);
    if (texts == nullptr) continue;
    for (const char* key :
         {"precedent.dev/priority", "precedent.dev/policy", "precedent.dev/requested-class"}) {
      texts->Erase(key);
    }
    if (texts->members.empty()) metadata->Erase(map);
  }
  if (metadata->members.empty()) pod->Erase("metadata");
}

struct Shape {
  const char* name;
  std::vector<std::string> pod;  // path of the pod or its template
};
const Shape kShapes[] = {
    {"Pod", {}}, {"Job", {"spec", "template"}}, {"Deployment", {"spec", "template"}}};

std::string ObjectOf(const Shape& shape, const std::string& metadata, const std::string& spec) {
  const std::string name = shape.name;
  if (name == "Pod") return GpuPod(metadata, spec);
  return GpuTemplate(name == "Job" ? "batch/v1" : "apps/v1", name, metadata, "",
                     metadata.empty() ? "" : "\"metadata\":{" + metadata + "}", spec);
}

void Check(const ApiServer& server, const Shape& shape, const std::string& object,
           const std::string& expected) {
  SCOPED_TRACE(object);
  const ApiServer::Webhook hook = Hook();
  ApiServer::Result result = server.Create(ParseTree(object), hook);
  ASSERT_EQ(result.code, 201) << result.error;
  ASSERT_LE(result.patches.size(), 2u);
  if (result.patches.size() == 2) {
    EXPECT_EQ(result.patches[1], "") << "the second run is not empty";
  }

  Tree* pod = Below(&result.stored, shape.pod);
  ASSERT_NE(pod, nullptr);
  EXPECT_EQ(pod->TextAt("spec.priorityClassName"), expected);
  Tree spec = *pod->Find("spec");
  if (std::string(shape.name) == "Pod") {
    const PriorityClass& stored = server.classes.at(expected);
    EXPECT_EQ(spec.TextAt("priority"), std::to_string(stored.value));
    EXPECT_EQ(spec.TextAt("preemptionPolicy"), stored.preemption_policy);
  } else {
    // What the pods of the template will meet.
    EXPECT_EQ(server.AdmitPriority(&spec), "");
  }
  Tree before = result.seen;
  Tree after = result.stored;
  for (Tree* tree : {&before, &after}) {
    Strip(tree);
    Strip(Below(tree, shape.pod));
  }
  EXPECT_EQ(before.ToJson() == after.ToJson() || before == after, true) << before.ToJson() << "\n"
                                                                        << after.ToJson();
}

// What the user may have said of the class, and what the server makes of it.
struct Asked {
  const char* name;
  const char* spec;
  bool global_default;
  bool never;
};
const Asked kAsked[] = {
    {"NoClass", "", false, false},
    {"ClassRight", R"("priorityClassName":"gold")", false, false},
    {"ClassWrong", R"("priorityClassName":"wrong")", false, false},
    {"DefaultClass", "", true, false},
    {"WrongBesideDefault", R"("priorityClassName":"wrong")", true, false},
    {"NeverClass", R"("priorityClassName":"quiet","preemptionPolicy":"Never")", false, true},
    {"Exported", R"("priorityClassName":"wrong","priority":77)", false, false},
    {"Nulls", R"("priorityClassName":null,"priority":null,"preemptionPolicy":null)", false, false},
};

// Every state that the maps of metadata can be in.
const char* const kMetadata[] = {
    R"("labels":{"team":"nlp"})",
    R"("labels":{"team":"nlp"},"annotations":null)",
    R"("labels":{"team":"nlp"},"annotations":{})",
    R"("labels":{"team":"nlp"},"annotations":{"a":"1","b":"2"})",
    R"("labels":null,"annotations":{"team":"nlp"})",
    R"("labels":{},"annotations":{"team":"nlp","a/b":"1","a~b":"2","a~1b/c":"3","/":"4","~":"5"})",
    (R"("labels":{"team":"nlp","precedent.dev/priority":"1"},)"
     R"("annotations":{"precedent.dev/priority":"99999","precedent.dev/policy":"mine"})"),
};

class Conformance : public ::testing::TestWithParam<std::tuple<int, int>> {};

TEST_P(Conformance, EveryMetadata) {
  const Shape& shape = kShapes[std::get<0>(GetParam())];
  const Asked& asked = kAsked[std::get<1>(GetParam())];
  ApiServer server = Server();
  if (asked.global_default) server.global_default = "common";
  for (const char* metadata : kMetadata) {
    Check(server, shape, ObjectOf(shape, metadata, asked.spec),
          asked.never ? "gold-nonpreempting" : "gold");
  }
}

// No team anywhere: the other class, on objects with no metadata at all.
TEST_P(Conformance, NoMetadata) {
  const Shape& shape = kShapes[std::get<0>(GetParam())];
  const Asked& asked = kAsked[std::get<1>(GetParam())];
  ApiServer server = Server();
  if (asked.global_default) server.global_default = "common";
  for (const char* metadata : {"", R"("labels":null)", R"("name":"a")"}) {
    Check(server, shape, ObjectOf(shape, metadata, asked.spec),
          asked.never ? "bronze-nonpreempting" : "bronze");
  }
}

// 1, 2 and 3: the class never comes beside an integer of ours, and with it goes what was
// there of the old class: the integer, and the preemption policy unless it is the user's
// own word in a template. Nothing is removed that is not there.
TEST_P(Conformance, Case1And2And3TheClassComesAloneAndTheOldFieldsGo) {
  const Shape& shape = kShapes[std::get<0>(GetParam())];
  const Asked& asked = kAsked[std::get<1>(GetParam())];
  ApiServer server = Server();
  if (asked.global_default) server.global_default = "common";
  for (const char* metadata : kMetadata) {
    ApiServer::Result result =
        server.Create(ParseTree(ObjectOf(shape, metadata, asked.spec)), Hook());
    ASSERT_EQ(result.code, 201) << result.error;
    const Tree* spec = Below(&result.seen, shape.pod)->Find("spec");
    std::string at;
    for (const std::string& step : shape.pod) at += "/" + step;
    at += "/spec/";
    const std::string& patch = result.patches[0];
    const auto removes = [&](const char* key) {
      return patch.find(R"({"op":"remove","path":")" + at + key + "\"}") != std::string::npos;
    };
    EXPECT_EQ(patch.find("\"path\":\"" + at + "priority\",\"value\""), std::string::npos) << patch;
    const bool changes = patch.find(at + "priorityClassName") != std::string::npos;
    const bool own_word = !shape.pod.empty() && spec->TextAt("preemptionPolicy") == "Never";
    EXPECT_EQ(removes("priority"), changes && spec->Find("priority") != nullptr) << patch;
    EXPECT_EQ(removes("preemptionPolicy"),
              changes && spec->Find("preemptionPolicy") != nullptr && !own_word)
        << patch;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Conformance,
                         ::testing::Combine(::testing::Range(0, 3), ::testing::Range(0, 8)),
                         [](const auto& test) {
                           return std::string(kShapes[std::get<0>(test.param)].name) +
                                  kAsked[std::get<1>(test.param)].name;
                         });

std::string RandomMap(std::mt19937& random, const char* name) {
  static const char* const kKeys[] = {"team",
                                      "a/b",
                                      "a~b",
                                      "~1",
                                      "polite",
                                      "ä",
                                      "\\\"q\\\"",
                                      "precedent.dev/priority",
                                      "x/y/z",
                                      "workload",
                                      "precedent.dev/requested-class"};
  static const char* const kValues[] = {"nlp", "yes", "", "preemptible", "12"};
  const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  const int state = pick(4);
  if (state == 0) return "";
  std::string members;
  if (state > 1) {
    for (const char* key : kKeys) {
      if (pick(3) != 0) continue;
      members +=
          std::string(members.empty() ? "\"" : ",\"") + key + "\":\"" + kValues[pick(5)] + "\"";
    }
  }
  return std::string("\"") + name + "\":" + (state == 1 ? "null" : "{" + members + "}");
}

TEST(ConformanceRandom, Objects) {
  std::mt19937 random(20261129);
  for (int i = 0; i < 3000; ++i) {
    const Shape& shape = kShapes[random() % 3];
    const Asked& asked = kAsked[random() % 8];
    ApiServer server = Server();
    if (random() % 3 == 0) server.global_default = "common";
    if (random() % 3 == 0) server.user = "ann";
    std::string metadata = RandomMap(random, "labels");
    const std::string annotations = RandomMap(random, "annotations");
    if (!metadata.empty() && !annotations.empty()) metadata += ",";
    const std::string object = ObjectOf(shape, metadata + annotations, asked.spec);
    // The class by the contract: labels before annotations, an empty text is absent.
    const Tree tree = ParseTree(object);
    const auto text = [&](const char* key) {
      for (const char* map : {"metadata.labels", "metadata.annotations"}) {
        const Tree* found = tree.At(map);
        const Tree* value = found == nullptr ? nullptr : found->Find(key);
        if (value != nullptr && (!value->text.empty() || std::string(key) == "polite")) {
          return value->text;
        }
      }
      return std::string();
    };
    std::string expected = text("team") == "nlp" ? "gold" : "bronze";
    if (asked.never || text("polite") == "yes") expected += "-nonpreempting";
    Check(server, shape, object, expected);
    if (HasFatalFailure() || HasNonfatalFailure()) return;
  }
}

// The server of this test refuses what a real one refused (data/kubernetes/admission).
TEST(ApiServerItself, AcceptsWhatARealOneAccepted) {
  ApiServer server = Server();
  server.classes["low"] = {10, "PreemptLowerPriority"};
  const auto code = [&](const std::string& spec, const std::string& patch) {
    const auto hook = [&, first = true](const std::string&) mutable {
      const bool patched = std::exchange(first, false);
      return R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"uid":")" +
             std::string(kUid) + R"(","allowed":true)" +
             (patched ? R"(,"patchType":"JSONPatch","patch":")" + absl::Base64Escape(patch) + "\""
                      : std::string()) +
             "}}";
    };
    return server.Create(ParseTree(GpuPod("", spec)), hook).code;
  };
  const std::string add = R"([{"op":"add","path":"/spec/priorityClassName","value":"gold"})";
  const std::string no_priority = R"(,{"op":"remove","path":"/spec/priority"})";
  const std::string no_policy = R"(,{"op":"remove","path":"/spec/preemptionPolicy"})";
  const std::string low = R"("priorityClassName":"low")";
  const std::string never = R"("priorityClassName":"quiet")";
  for (const std::string& spec : {std::string(), low, never}) {
    EXPECT_EQ(code(spec, add + "]"), 403) << spec;
    EXPECT_EQ(code(spec, add + no_priority + no_policy + "]"), 201) << spec;
    EXPECT_EQ(code(spec, add + no_priority + "]"), spec == never ? 403 : 201) << spec;
    EXPECT_EQ(code(spec, add + R"(,{"op":"add","path":"/spec/priority","value":null})" +
                             R"(,{"op":"add","path":"/spec/preemptionPolicy","value":null}])"),
              201)
        << spec;
  }
  EXPECT_EQ(code("", R"([{"op":"add","path":"/spec/priority","value":500}])"), 403);
  EXPECT_EQ(code("", R"([{"op":"add","path":"/spec/priorityClassName","value":"none"}])"), 403);
  EXPECT_EQ(code("", R"([{"op":"remove","path":"/spec/absent"}])"), 500);
  EXPECT_EQ(code("", R"([{"op":"add","path":"/metadata/annotations/x","value":"1"}])"), 500);
}

}  // namespace
}  // namespace precedent::kubernetes
