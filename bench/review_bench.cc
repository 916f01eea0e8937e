// What an admission review costs, from the body's bytes to the finished answer, with a
// policy of 10,000 rules; beside it what simdjson's DOM takes to parse the same bytes,
// with a parser of its own for each text and with one that stays, and what the answer
// costs where there is no policy to evaluate.
#include <benchmark/benchmark.h>
#include <simdjson.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "precedent/kubernetes.h"
#include "precedent/policy.h"

namespace {

using precedent::CompiledPolicy;
using precedent::TimePoint;
using precedent::kubernetes::Adapter;

constexpr TimePoint kNow{std::chrono::seconds(1'700'003'600)};

// Every rule asks for a team, most for something else besides.
const CompiledPolicy& TenThousandRules() {
  static const CompiledPolicy* const policy = [] {
    std::string text = "stages {\n";
    for (int i = 0; i < 10'000; ++i) {
      const std::string n = std::to_string(i);
      text += "rules { id: \"r" + n + "\" when { team { in: \"team-" + n + "\" } ";
      if (i % 3 != 0) text += "gpu_count { above: " + std::to_string(i % 16) + " } ";
      if (i % 5 == 0) text += "workload_type { in: \"training\" } ";
      text += "} set: " + std::to_string(i % 9000) + " }\n";
    }
    text +=
        "}\npriority_classes { name: \"high\" at_least: 500 }\n"
        "priority_classes { name: \"low\" at_least: 0 }\n";
    return new CompiledPolicy(*precedent::LoadPolicy(text).policy);
  }();
  return *policy;
}

// A pod as an API server sends it, with containers until it has about `bytes`.
std::string Review(std::size_t bytes) {
  const std::string container =
      R"({"name":"c","image":"registry.example/train:3","command":["torchrun"],"args":)"
      R"(["--nproc-per-node=8","train.py"],"env":[{"name":"STAGE","value":"pretrain"},)"
      R"({"name":"HOME","value":"/home/train"}],"resources":{"limits":{"cpu":"96","memory":)"
      R"("1Ti","nvidia.com/gpu":"1"},"requests":{"cpu":"48","memory":"512Gi",)"
      R"("nvidia.com/gpu":"1"}},"volumeMounts":[{"name":"kube-api-access-ld27k","readOnly":)"
      R"(true,"mountPath":"/var/run/secrets/kubernetes.io/serviceaccount"}],)"
      R"("terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File",)"
      R"("imagePullPolicy":"IfNotPresent"})";
  const std::string managed =
      R"({"f:name":{},"f:image":{},"f:resources":{".":{},"f:limits":{".":{},)"
      R"("f:nvidia.com/gpu":{}}},"f:terminationMessagePath":{}})";
  std::string containers;
  std::string fields;
  for (int i = 0; i == 0 || containers.size() + fields.size() + 1400 < bytes; ++i) {
    containers += (i == 0 ? "" : ",") + container;
    fields += (i == 0 ? "\"k:" : ",\"k:") + std::to_string(i) + "\":" + managed;
  }
  return R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":)"
         R"("4ababcc8-3ae1-410b-981c-1af945100444","kind":{"group":"","version":"v1","kind":)"
         R"("Pod"},"resource":{"group":"","version":"v1","resource":"pods"},"namespace":)"
         R"("research","operation":"CREATE","userInfo":{"username":)"
         R"("system:serviceaccount:kube-system:job-controller","groups":)"
         R"(["system:serviceaccounts","system:authenticated"]},"object":{"kind":"Pod",)"
         R"("apiVersion":"v1","metadata":{"generateName":"train-","namespace":"research",)"
         R"("labels":{"team":"team-4711","workload-type":"training","env":"production"},)"
         R"("annotations":{"max-duration":"4h","dataset-size":"2Ti"},"ownerReferences":)"
         R"([{"apiVersion":"batch/v1","kind":"Job","name":"train","uid":"1dc2c3b1",)"
         R"("controller":true}],"managedFields":[{"manager":"kube-controller-manager",)"
         R"("fieldsType":"FieldsV1","fieldsV1":{)" +
         fields + R"(}}]},"spec":{"containers":[)" + containers +
         R"(],"restartPolicy":"Never","priority":0,"preemptionPolicy":"PreemptLowerPriority",)"
         R"("tolerations":[{"key":"node.kubernetes.io/not-ready","operator":"Exists"}]},)"
         R"("status":{}},"oldObject":null,"dryRun":false}})";
}

void ParseAlone(benchmark::State& state) {
  const std::string body = Review(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) {
    simdjson::dom::parser parser;
    simdjson::dom::element root;
    if (parser.parse(body).get(root)) return state.SkipWithError("the review is no JSON");
    benchmark::DoNotOptimize(root);
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * body.size()));
}

void ParseAgain(benchmark::State& state) {
  const std::string body = Review(static_cast<std::size_t>(state.range(0)));
  simdjson::dom::parser parser;
  for (auto _ : state) {
    simdjson::dom::element root;
    if (parser.parse(body).get(root)) return state.SkipWithError("the review is no JSON");
    benchmark::DoNotOptimize(root);
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * body.size()));
}

void AnswerBy(benchmark::State& state, const precedent::Evaluator* evaluator) {
  const std::string body = Review(static_cast<std::size_t>(state.range(0)));
  precedent::v1::AdapterOptions options;
  options.mutable_fallback()->set_priority_class("high");
  const auto adapter = Adapter::Create(options);
  precedent::kubernetes::ReviewRecord record;
  std::string answer = adapter->Review(body, evaluator, kNow, &record);
  if (!record.status.ok() || answer.find("patchType") == std::string::npos) {
    return state.SkipWithError("the review is not patched");
  }
  for (auto _ : state) {
    answer = adapter->Review(body, evaluator, kNow);
    benchmark::DoNotOptimize(answer);
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * body.size()));
}

void Answer(benchmark::State& state) { AnswerBy(state, &TenThousandRules().evaluator()); }
void AnswerWithoutPolicy(benchmark::State& state) { AnswerBy(state, nullptr); }

// A review of usual size, one with many containers, and the largest that is sent.
void Sizes(benchmark::internal::Benchmark* benchmark) {
  benchmark->Arg(6 << 10)->Arg(48 << 10)->Arg(3 << 20)->Unit(benchmark::kMicrosecond);
}
BENCHMARK(ParseAlone)->Apply(Sizes);
BENCHMARK(ParseAgain)->Apply(Sizes);
BENCHMARK(Answer)->Apply(Sizes);
BENCHMARK(AnswerWithoutPolicy)->Apply(Sizes);

}  // namespace

BENCHMARK_MAIN();
