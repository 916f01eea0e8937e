// Which metadata become which attribute, and whom to believe.
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/kubernetes/kubernetes_test_support.h"

namespace precedent::kubernetes {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string Labels(const std::string& members) { return R"("labels":{)" + members + "}"; }
std::string Annotations(const std::string& members) { return R"("annotations":{)" + members + "}"; }

TEST(Metadata, EveryDefaultKey) {
  const DescribedJob described = MustDescribe(Pod(Annotations(
      R"("team":"ml","workload-type":"training","environment":"production","max-duration":"4h",)"
      R"("preemptible":"true","dataset-size":"2Ti","checkpoint-interval":"5m","parent-job-id":"p-1",)"
      R"("failure-count":"2","preemption-count":"3")")));
  const v1::JobDescriptor& job = described.job;
  EXPECT_EQ(job.team(), "ml");
  EXPECT_EQ(job.workload_type(), "training");
  EXPECT_EQ(job.environment(), "production");
  EXPECT_EQ(job.max_runtime_seconds(), 14400);
  EXPECT_TRUE(job.preemptible());
  EXPECT_EQ(job.dataset_bytes(), 2199023255552.0);
  EXPECT_EQ(job.checkpoint_interval_seconds(), 300);
  ASSERT_EQ(job.parents_size(), 1);
  EXPECT_EQ(job.parents(0).id(), "p-1");
  EXPECT_EQ(job.lineage().failure_count(), 2);
  EXPECT_EQ(job.lineage().preemption_count(), 3);
  EXPECT_THAT(std::vector<int>(job.claimed().begin(), job.claimed().end()),
              ElementsAre(v1::TEAM, v1::WORKLOAD_TYPE, v1::ENVIRONMENT, v1::DATASET_BYTES,
                          v1::MAX_RUNTIME_SECONDS, v1::CHECKPOINT_INTERVAL_SECONDS, v1::PREEMPTIBLE,
                          v1::LINEAGE, v1::LABELS));
}

TEST(Metadata, NothingGivesNothing) {
  const v1::JobDescriptor job = MustDescribe(Pod("")).job;
  EXPECT_FALSE(job.has_max_runtime_seconds());
  EXPECT_FALSE(job.has_dataset_bytes());
  EXPECT_FALSE(job.has_checkpoint_interval_seconds());
  EXPECT_FALSE(job.has_preemptible());
  EXPECT_FALSE(job.has_lineage());
  EXPECT_FALSE(job.has_submitted());
  EXPECT_EQ(job.claimed_size(), 0);
  EXPECT_EQ(job.parents_size(), 0);
  EXPECT_EQ(job.name(), "");
  EXPECT_EQ(job.lineage_key(), "");
}

// Each place in turn, from the weakest to the one that wins over all.
TEST(Metadata, OrderOfPlaces) {
  struct Place {
    bool on_object;
    bool label;
    const char* key;
  };
  const Place weakest_first[] = {
      {false, false, "workload"},
      {false, false, "workload-type"},
      {false, false, "precedent.dev/workload"},
      {false, false, "precedent.dev/workload-type"},
      {false, true, "workload"},
      {false, true, "workload-type"},
      {false, true, "precedent.dev/workload"},
      {false, true, "precedent.dev/workload-type"},
      {true, false, "workload"},
      {true, false, "workload-type"},
      {true, false, "precedent.dev/workload"},
      {true, false, "precedent.dev/workload-type"},
      {true, true, "workload"},
      {true, true, "workload-type"},
      {true, true, "precedent.dev/workload"},
      {true, true, "precedent.dev/workload-type"},
  };
  std::string members[2][2];
  int value = 0;
  for (const Place& place : weakest_first) {
    std::string& list = members[place.on_object][place.label];
    if (!list.empty()) list += ",";
    list += std::string("\"") + place.key + "\":\"v" + std::to_string(value) + "\"";
    const std::string json = R"({"apiVersion":"batch/v1","kind":"Job","metadata":{"labels":{)" +
                             members[1][1] + R"(},"annotations":{)" + members[1][0] +
                             R"(}},"spec":{"template":{"metadata":{"labels":{)" + members[0][1] +
                             R"(},"annotations":{)" + members[0][0] + "}}}}}";
    EXPECT_EQ(MustDescribe(json).job.workload_type(), "v" + std::to_string(value)) << json;
    ++value;
  }
}

TEST(Metadata, EmptyTextsAreAbsent) {
  EXPECT_EQ(
      MustDescribe(Pod(Labels(R"("team":"")") + "," + Annotations(R"("team":"ml")"))).job.team(),
      "ml");
  const DescribedJob job = MustDescribe(Pod(Labels(R"("team":"")")));
  EXPECT_FALSE(Claims(job, v1::TEAM));
  EXPECT_EQ(job.job.labels().count("team"), 1u);
}

TEST(Metadata, UnreadableValuesNameTheirPlace) {
  const std::pair<const char*, const char*> bad[] = {
      {"max-duration", "soon"},    {"max-duration", ""},
      {"max-duration", "-5"},      {"preemptible", "yes"},
      {"preemptible", ""},         {"dataset-size", "2TB"},
      {"dataset-size", "-1"},      {"checkpoint-interval", "5 m"},
      {"failure-count", "-1"},     {"failure-count", "two"},
      {"preemption-count", "1.5"}, {"failure-count", "9223372036854775808"},
  };
  for (const auto& [key, value] : bad) {
    const std::string member = std::string("\"") + key + "\":\"" + value + "\"";
    EXPECT_THAT(ErrorOf(Pod(Annotations(member))),
                HasSubstr("metadata.annotations." + std::string(key) + ": `" + value + "` is "));
    EXPECT_THAT(ErrorOf(Pod(Labels("\"precedent.dev/" + member.substr(1)))),
                HasSubstr("metadata.labels[\"precedent.dev/" + std::string(key) + "\"]: `"));
  }
  EXPECT_EQ(ErrorOf(Pod(Labels(R"("preemptible":true)"))),
            "metadata.labels.preemptible: must be a string and is true or false");
  EXPECT_EQ(
      ErrorOf(R"({"apiVersion":"batch/v1","kind":"Job","spec":{"template":{"metadata":{"labels":)"
              R"({"failure-count":"x"}}}}})"),
      "spec.template.metadata.labels.failure-count: `x` is no whole number of 0 or more (write "
      "digits only)");
}

TEST(Metadata, LabelsOfTheDescriptor) {
  const DescribedJob job = MustDescribe(
      R"({"apiVersion":"batch/v1","kind":"Job","metadata":{"labels":{"a":"1","e":""},"annotations":)"
      R"({"a":"2","b":"3","kubectl.kubernetes.io/last-applied-configuration":"{}"}},)"
      R"("spec":{"template":{"metadata":{"labels":{"a":"4","b":"5","c":"6"}}}}})");
  EXPECT_EQ(job.job.labels().size(), 4u);
  EXPECT_EQ(job.job.labels().at("a"), "1");
  EXPECT_EQ(job.job.labels().at("b"), "3");
  EXPECT_EQ(job.job.labels().at("c"), "6");
  EXPECT_EQ(job.job.labels().at("e"), "");
  EXPECT_TRUE(Claims(job, v1::LABELS));
}

TEST(Options, KeysReplaceTheDefaults) {
  v1::AdapterOptions options;
  auto* keys = options.add_keys();
  keys->set_attribute("team");
  keys->add_keys("cost-center");
  keys->add_keys("owner");
  keys = options.add_keys();
  keys->set_attribute("progress");
  keys->add_keys("done");
  const auto job = [&](const std::string& labels) {
    return MustDescribe(Pod(Labels(labels)), options).job;
  };
  EXPECT_EQ(job(R"("team":"x","precedent.dev/team":"x")").team(), "");
  EXPECT_EQ(job(R"("owner":"b","cost-center":"a")").team(), "a");
  EXPECT_EQ(job(R"("owner":"b")").team(), "b");
  EXPECT_EQ(job(R"("done":"0.5")").lineage().progress(), 0.5);
  EXPECT_THAT(ErrorOf(Pod(Labels(R"("done":"1.5")")), options),
              HasSubstr("is not between 0 and 1"));
  EXPECT_EQ(job(R"("env":"staging")").environment(), "staging");
}

TEST(Options, KeyPrefix) {
  v1::AdapterOptions options;
  options.set_key_prefix("acme.io/");
  EXPECT_EQ(MustDescribe(Pod(Labels(R"("team":"c","precedent.dev/team":"b","acme.io/team":"a")")),
                         options)
                .job.team(),
            "a");
  options.set_key_prefix("");
  EXPECT_EQ(MustDescribe(Pod(Labels(R"("team":"c","precedent.dev/team":"b")")), options).job.team(),
            "c");
}

TEST(Options, MistakesAreNamed) {
  const auto error = [](void (*change)(v1::AdapterOptions&)) {
    v1::AdapterOptions options;
    change(options);
    const auto adapter = Adapter::Create(options);
    EXPECT_FALSE(adapter.ok());
    return std::string(adapter.status().message());
  };
  EXPECT_THAT(error([](v1::AdapterOptions& o) { o.add_keys()->set_attribute("gpu_count"); }),
              HasSubstr("keys[0].attribute: `gpu_count` is no attribute"));
  EXPECT_THAT(error([](v1::AdapterOptions& o) { o.add_keys()->set_attribute("team"); }),
              HasSubstr("keys[0].keys: give at least one key"));
  EXPECT_THAT(error([](v1::AdapterOptions& o) {
                for (int i = 0; i < 2; ++i) {
                  auto* keys = o.add_keys();
                  keys->set_attribute("team");
                  keys->add_keys("t");
                }
              }),
              HasSubstr("keys[1].attribute: `team` is listed twice"));
  EXPECT_THAT(error([](v1::AdapterOptions& o) { (*o.mutable_device_weights())["a/b"] = -1; }),
              HasSubstr("device_weights[\"a/b\"]"));
  EXPECT_THAT(error([](v1::AdapterOptions& o) { o.add_not_devices(""); }),
              HasSubstr("not_devices[0]"));
  EXPECT_THAT(error([](v1::AdapterOptions& o) { o.add_bindings()->set_attribute(v1::QUEUE); }),
              HasSubstr("bindings[0].attribute"));
  EXPECT_THAT(error([](v1::AdapterOptions& o) { o.add_bindings()->set_attribute(v1::TEAM); }),
              HasSubstr("bindings[0].value"));
  EXPECT_THAT(error([](v1::AdapterOptions& o) { (*o.mutable_instance_gpus())["p5"] = -1; }),
              HasSubstr("instance_gpus[\"p5\"]"));
  EXPECT_THAT(error([](v1::AdapterOptions& o) { o.add_preemptible_classes(""); }),
              HasSubstr("preemptible_classes[0]"));
}

v1::Binding Bind(const char* namespace_name, v1::Attribute attribute, const char* value) {
  v1::Binding binding;
  binding.set_namespace_(namespace_name);
  binding.set_attribute(attribute);
  binding.set_value(value);
  return binding;
}

TEST(Bindings, WinOverClaims) {
  v1::AdapterOptions options;
  *options.add_bindings() = Bind("prod-*", v1::ENVIRONMENT, "production");
  *options.add_bindings() = Bind("prod-search", v1::TEAM, "search");
  *options.add_bindings() = Bind("prod-*", v1::TEAM, "others");
  v1::Binding by_group = Bind("", v1::TEAM, "admins");
  by_group.set_user_group("admins");
  *options.add_bindings() = by_group;

  DescribedJob job = MustDescribe(
      Pod(R"("namespace":"prod-search",)" + Labels(R"("team":"rich","env":"production")")),
      options);
  EXPECT_EQ(job.job.team(), "search");
  EXPECT_EQ(job.job.environment(), "production");
  EXPECT_FALSE(Claims(job, v1::TEAM));
  EXPECT_FALSE(Claims(job, v1::ENVIRONMENT));
  EXPECT_THAT(job.remarks,
              ElementsAre("the claimed team `rich` is ignored: namespace `prod-search` is "
                          "bound to `search`"));
  job = MustDescribe(Pod(R"("namespace":"prod-x")"), options);
  EXPECT_EQ(job.job.team(), "others");
  EXPECT_TRUE(job.remarks.empty());

  job = MustDescribe(Pod(R"("namespace":"dev",)" + Labels(R"("team":"rich")")), options);
  EXPECT_EQ(job.job.team(), "rich");
  EXPECT_TRUE(Claims(job, v1::TEAM));
  // No namespace, no binding.
  EXPECT_EQ(MustDescribe(Pod(""), options).job.team(), "");
}

TEST(RequestedClass, StampThenSpec) {
  const char* const spec = R"("priorityClassName":"high")";
  DescribedJob job = MustDescribe(Pod("", spec));
  EXPECT_EQ(job.job.requested_class(), "high");
  // Claimed everywhere: whether a record of it is true cannot be told.
  EXPECT_TRUE(Claims(job, v1::REQUESTED_CLASS));
  job = MustDescribe(Pod(Annotations(R"("precedent.dev/requested-class":"low")"), spec));
  EXPECT_EQ(job.job.requested_class(), "low");
  EXPECT_TRUE(Claims(job, v1::REQUESTED_CLASS));
  // The user had asked for none.
  EXPECT_EQ(MustDescribe(Pod(Annotations(R"("precedent.dev/requested-class":"")"), spec))
                .job.requested_class(),
            "");
  EXPECT_EQ(MustDescribe(R"({"apiVersion":"batch/v1","kind":"Job","spec":{"template":{"metadata":)"
                         R"({"annotations":{"precedent.dev/requested-class":"mid"}},)"
                         R"("spec":{"priorityClassName":"high"}}}})")
                .job.requested_class(),
            "mid");
}

TEST(Preemptible, ByKeyOrByClass) {
  DescribedJob job = MustDescribe(Pod(Labels(R"("preemptible":"false")")));
  EXPECT_TRUE(job.job.has_preemptible());
  EXPECT_FALSE(job.job.preemptible());
  EXPECT_TRUE(Claims(job, v1::PREEMPTIBLE));
  job = MustDescribe(Pod("", R"("priorityClassName":"preemptible")"));
  EXPECT_TRUE(job.job.preemptible());
  EXPECT_TRUE(Claims(job, v1::PREEMPTIBLE));
  job = MustDescribe(Pod(Annotations(R"("precedent.dev/requested-class":"preemptible")")));
  EXPECT_TRUE(job.job.preemptible());
  EXPECT_TRUE(Claims(job, v1::PREEMPTIBLE));

  v1::AdapterOptions options;
  options.add_preemptible_classes("spot");
  EXPECT_TRUE(MustDescribe(Pod("", R"("priorityClassName":"spot")"), options).job.preemptible());
  EXPECT_FALSE(
      MustDescribe(Pod("", R"("priorityClassName":"preemptible")"), options).job.preemptible());
}

TEST(MaxRuntime, TheShorterOne) {
  DescribedJob job =
      MustDescribe(Pod(Annotations(R"("max-duration":"1h")"), R"("activeDeadlineSeconds":600)"));
  EXPECT_EQ(job.job.max_runtime_seconds(), 600);
  EXPECT_FALSE(Claims(job, v1::MAX_RUNTIME_SECONDS));
  job = MustDescribe(Pod(Annotations(R"("max-duration":"5m")"), R"("activeDeadlineSeconds":600)"));
  EXPECT_EQ(job.job.max_runtime_seconds(), 300);
  EXPECT_TRUE(Claims(job, v1::MAX_RUNTIME_SECONDS));
  EXPECT_EQ(
      MustDescribe(R"({"apiVersion":"batch/v1","kind":"Job","spec":{"activeDeadlineSeconds":900,)"
                   R"("template":{"spec":{"activeDeadlineSeconds":800}}}})")
          .job.max_runtime_seconds(),
      800);
  EXPECT_THAT(ErrorOf(Pod("", R"("activeDeadlineSeconds":-1)")),
              HasSubstr("spec.activeDeadlineSeconds"));
}

}  // namespace
}  // namespace precedent::kubernetes
