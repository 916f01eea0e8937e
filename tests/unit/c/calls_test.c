/* Every call of the C API, as it is meant to be used. The argument is examples/. */
#include "check.h"
#include "policy.h"

static const int64_t now = INT64_C(1700000000000000);

static precedent_job production_job(void) {
  precedent_job job;
  CHECK_STATUS(precedent_job_init(&job, sizeof job), PRECEDENT_OK);
  job.team = precedent_c_string("search");
  job.environment = precedent_c_string("production");
  job.gpu_count = 8;
  return job;
}

static int32_t priority_of(const precedent_policy *policy, const precedent_job *job) {
  precedent_decision decision;
  decision.struct_size = sizeof decision;
  CHECK_STATUS(precedent_evaluate(policy, job, now, &decision), PRECEDENT_OK);
  CHECK(decision.reason == PRECEDENT_DERIVED);
  return decision.priority;
}

static void test_policies(const char *examples) {
  precedent_policy *policy;
  char *issues;
  char path[4096];
  precedent_policy_info info;

  info.struct_size = sizeof info;
  policy = load_policy();
  CHECK_STATUS(precedent_policy_describe(policy, &info), PRECEDENT_OK);
  CHECK_TEXT(info.name, "tested");
  CHECK(info.generation == 7 && info.rule_count == 12 && info.class_count == 2);
  CHECK(info.fingerprint.size == 32 && info.lock_free);
  CHECK_STATUS(precedent_policy_close(policy), PRECEDENT_OK);
  CHECK_STATUS(precedent_policy_close(NULL), PRECEDENT_OK);

  snprintf(path, sizeof path, "%s/policies/fleet.txtpb", examples);
  CHECK_STATUS(precedent_policy_load_file(path, &policy, NULL), PRECEDENT_OK);
  CHECK_STATUS(precedent_policy_close(policy), PRECEDENT_OK);

  snprintf(path, sizeof path, "%s/policies/nonesuch", examples);
  CHECK_STATUS(precedent_policy_load_file(path, &policy, &issues), PRECEDENT_UNREADABLE);
  CHECK(policy == NULL && strstr(issues, "nonesuch: ") != NULL);
  precedent_free(issues);

  /* All that is wrong, at once. */
  {
    const char wrong[] =
        "stages { rules { id: \"a\" sett: 4 }\n"
        "         rules { id: \"b\" when { team { in_set: \"none\" } } } }\n";
    CHECK_STATUS(precedent_policy_load(wrong, sizeof wrong - 1, &policy, &issues),
                 PRECEDENT_INVALID_POLICY);
    CHECK(policy == NULL && strstr(issues, "policy:1:") != NULL && strstr(issues, "sett") != NULL &&
          strstr(issues, "policy:2:") != NULL && strstr(issues, "none") != NULL);
    precedent_free(issues);
  }
  CHECK(strcmp(precedent_version(), "0.1.0") == 0);
}

static void test_jobs(void) {
  precedent_policy *policy = load_policy();
  precedent_job job = production_job();
  precedent_label labels[2];
  precedent_metric metrics[1];
  precedent_decision decision;
  precedent_job unknown;

  CHECK(priority_of(policy, &job) == 1000 + 7 - 50);
  precedent_job_init(&unknown, sizeof unknown);
  CHECK(priority_of(policy, &unknown) == 500);

  /* Every part of a job is where the evaluator looks for it. */
  job.kind = precedent_c_string("Job");
  CHECK(priority_of(policy, &job) == 960);
  labels[0].key = precedent_c_string("other");
  labels[0].value = precedent_c_string("gold");
  labels[1].key = precedent_c_string("tier");
  labels[1].value = precedent_c_string("gold");
  job.labels = labels;
  job.label_count = 2;
  CHECK(priority_of(policy, &job) == 980);
  metrics[0].name = precedent_c_string("fair_share");
  metrics[0].value = 0.5;
  job.metrics = metrics;
  job.metric_count = 1;
  CHECK(priority_of(policy, &job) == 1030);
  job.lineage.failure_count = 3;
  CHECK(priority_of(policy, &job) == 1000);
  job.lineage.retry_of_preempted = true;
  CHECK(priority_of(policy, &job) == 1005);
  job.submitted = now - INT64_C(600000000);
  decision.struct_size = sizeof decision;
  CHECK_STATUS(precedent_evaluate(policy, &job, now, &decision), PRECEDENT_OK);
  CHECK(decision.priority == 1015 && decision.preemption_priority == 1005);
  CHECK_TEXT(decision.priority_class, "high");
  CHECK(decision.policy_fingerprint.size == 32);
  CHECK(decision.valid_until > now && decision.valid_until <= now + INT64_C(60000000));
  CHECK(decision.verdict == PRECEDENT_ALLOW && !decision.preemptible);
  job.user = precedent_c_string("mallory");
  CHECK_STATUS(precedent_evaluate(policy, &job, now, &decision), PRECEDENT_OK);
  CHECK(decision.verdict == PRECEDENT_DENY);
  CHECK_TEXT(decision.denial, "not you");
  job.preemptible = true;
  CHECK_STATUS(precedent_evaluate(policy, &job, now, &decision), PRECEDENT_OK);
  CHECK(decision.preemptible && decision.preemption_priority == 1);
  CHECK_TEXT(decision.priority_class, "low");

  /* Texts of every length, in UTF-8. */
  {
    char text[101];
    size_t n;
    precedent_policy *plain = load_plain_policy();
    memset(text, 'x', sizeof text);
    job = production_job();
    for (n = 0; n < sizeof text; ++n) {
      job.team.data = text;
      job.team.size = n;
      CHECK(priority_of(policy, &job) == 950);
      CHECK(priority_of(plain, &job) == 950);
    }
    job.team = precedent_c_string("Zo\xc3\xab");
    CHECK(priority_of(policy, &job) == 950);
    CHECK(priority_of(plain, &job) == 950);
    job.team = precedent_c_string("search");
    CHECK(priority_of(plain, &job) == 957);
    CHECK_STATUS(precedent_policy_close(plain), PRECEDENT_OK);
  }
  CHECK_STATUS(precedent_job_check(&job, NULL), PRECEDENT_OK);
  CHECK_STATUS(precedent_policy_close(policy), PRECEDENT_OK);
}

static void test_array(void) {
  precedent_policy *policy = load_policy();
  precedent_job jobs[5];
  precedent_decision decisions[5];
  size_t bad = 99;
  int i;
  for (i = 0; i < 5; ++i) {
    jobs[i] = production_job();
    jobs[i].gpu_count = i * 2;
    decisions[i].struct_size = sizeof decisions[i];
  }
  CHECK_STATUS(precedent_evaluate_array(policy, jobs, 5, now, decisions, &bad), PRECEDENT_OK);
  CHECK(bad == 5);
  for (i = 0; i < 5; ++i) CHECK(decisions[i].priority == (i * 2 > 4 ? 957 : 1007));

  /* One bad job spoils no other. */
  jobs[1].team.data = NULL;
  jobs[3].team.data = "\xff\xff\xff\xff\xff\xff";
  CHECK_STATUS(precedent_evaluate_array(policy, jobs, 5, now, decisions, &bad),
               PRECEDENT_NULL_ARGUMENT);
  CHECK(bad == 1);
  CHECK(decisions[0].priority == 1007 && decisions[2].priority == 1007 &&
        decisions[4].priority == 957);
  for (i = 1; i < 5; i += 2) {
    CHECK(decisions[i].priority == 42);
    CHECK(decisions[i].reason == PRECEDENT_FALLBACK_INVALID_INPUT);
  }
  CHECK_STATUS(precedent_evaluate_array(policy, NULL, 0, now, NULL, NULL), PRECEDENT_OK);
  CHECK_STATUS(precedent_policy_close(policy), PRECEDENT_OK);
}

static void test_bound(void) {
  precedent_policy *policy = load_policy();
  precedent_job job = production_job();
  precedent_decision decision;
  const size_t size = precedent_bound_size(policy);
  uint64_t *bound = malloc(size);
  uint64_t *copy = malloc(size);
  job.submitted = now;
  decision.struct_size = sizeof decision;
  CHECK(size != 0);
  CHECK_STATUS(precedent_bind(policy, &job, bound, size), PRECEDENT_OK);
  CHECK_STATUS(precedent_evaluate_bound(policy, bound, now, &decision), PRECEDENT_OK);
  CHECK(decision.priority == 957);
  memcpy(copy, bound, size);
  free(bound);
  CHECK_STATUS(precedent_evaluate_bound(policy, copy, now + INT64_C(300000000), &decision),
               PRECEDENT_OK);
  CHECK(decision.priority == 962);
  free(copy);
  CHECK_STATUS(precedent_policy_close(policy), PRECEDENT_OK);
}

static void test_explanation(void) {
  precedent_policy *policy = load_policy();
  precedent_job job = production_job();
  char *text;
  CHECK_STATUS(precedent_explain(policy, &job, now, true, &text), PRECEDENT_OK);
  CHECK(strstr(text, "+ production: set 1000") != NULL && strstr(text, "priority 957") != NULL &&
        strstr(text, "consent") != NULL);
  precedent_free(text);
  CHECK_STATUS(precedent_explain(policy, &job, now, false, &text), PRECEDENT_OK);
  CHECK(strstr(text, "+ production: set 1000") != NULL && strstr(text, "consent") == NULL);
  precedent_free(text);
  CHECK_STATUS(precedent_policy_close(policy), PRECEDENT_OK);
}

static void test_lineage(void) {
  precedent_graph *graph;
  precedent_submission submission;
  precedent_event event;
  precedent_applied applied;
  precedent_lineage facts;
  precedent_parent parent;
  char *error;
  int attempt;

  CHECK_STATUS(precedent_graph_open(NULL, &graph, &error), PRECEDENT_OK);
  precedent_submission_init(&submission, sizeof submission);
  submission.id = precedent_c_string("first");
  submission.owner = precedent_c_string("search");
  submission.submitted = now;
  CHECK_STATUS(precedent_graph_submit(graph, &submission, &applied, &error), PRECEDENT_OK);
  CHECK(applied == PRECEDENT_CHANGED && error == NULL);
  CHECK_STATUS(precedent_graph_submit(graph, &submission, &applied, NULL), PRECEDENT_OK);
  CHECK(applied == PRECEDENT_NOTHING_NEW);

  precedent_event_init(&event, sizeof event);
  event.job = precedent_c_string("first");
  for (attempt = 1; attempt <= 2; ++attempt) {
    event.attempt = attempt;
    event.kind = PRECEDENT_STARTED;
    event.time = now + attempt * 10;
    CHECK_STATUS(precedent_graph_apply(graph, &event, NULL, NULL), PRECEDENT_OK);
    event.kind = PRECEDENT_FAILED;
    event.cause = PRECEDENT_CAUSE_OWN;
    event.time = now + attempt * 10 + 5;
    CHECK_STATUS(precedent_graph_apply(graph, &event, NULL, NULL), PRECEDENT_OK);
  }
  parent.id = submission.id;
  parent.relation = PRECEDENT_RETRY_OF;
  submission.id = precedent_c_string("second");
  submission.submitted = now + 100;
  submission.parents = &parent;
  submission.parent_count = 1;
  CHECK_STATUS(precedent_graph_submit(graph, &submission, NULL, NULL), PRECEDENT_OK);
  CHECK_STATUS(precedent_graph_facts(graph, submission.id, &facts), PRECEDENT_OK);
  CHECK(facts.failure_count == 2 && facts.depth == 1);
  CHECK(facts.progress != facts.progress); /* NaN: absent */

  /* Another owner's parent. */
  submission.id = precedent_c_string("third");
  submission.owner = precedent_c_string("mallory");
  CHECK_STATUS(precedent_graph_submit(graph, &submission, NULL, &error),
               PRECEDENT_PERMISSION_DENIED);
  CHECK(error != NULL && strstr(error, "first") != NULL);
  precedent_free(error);
  CHECK_STATUS(precedent_graph_facts(graph, submission.id, &facts), PRECEDENT_NOT_FOUND);
  CHECK(facts.failure_count == 0);

  CHECK_STATUS(precedent_graph_advance(graph, now + INT64_C(31536000000000)), PRECEDENT_OK);
  CHECK_STATUS(precedent_graph_close(graph), PRECEDENT_OK);
}

static const char pod[] =
    "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\",\"namespace\":\"n\","
    "\"labels\":{\"team\":\"search\",\"environment\":\"production\",\"tier\":\"gold\"}},"
    "\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"i\",\"resources\":"
    "{\"limits\":{\"nvidia.com/gpu\":8}}}]}}";
static const char odd[] = "{\"apiVersion\":\"v1\",\"kind\":\"Odd\"}";
static const char request[] =
    "{\"jobName\":\"embed\",\"jobQueue\":\"gpus\",\"jobDefinition\":\"embed:3\","
    "\"containerOverrides\":{\"resourceRequirements\":[{\"type\":\"GPU\",\"value\":\"8\"}]},"
    "\"tags\":{\"team\":\"search\",\"environment\":\"production\"}}";

static void test_adapters(void) {
  precedent_policy *policy = load_policy();
  precedent_adapter *adapter;
  precedent_description *description;
  precedent_description_info info;
  char *error;
  char *answer;
  char review[1024];

  CHECK_STATUS(precedent_adapter_open("{}", 2, &adapter, &error), PRECEDENT_OK);
  CHECK_STATUS(precedent_adapter_close(adapter), PRECEDENT_OK);
  CHECK_STATUS(precedent_adapter_open("nonesuch: 1", 11, &adapter, &error),
               PRECEDENT_INVALID_INPUT);
  CHECK(adapter == NULL && strstr(error, "nonesuch") != NULL);
  precedent_free(error);
  CHECK_STATUS(precedent_adapter_open(NULL, 0, &adapter, &error), PRECEDENT_OK);

  CHECK_STATUS(precedent_describe_json(adapter, pod, sizeof pod - 1, &description, &error),
               PRECEDENT_OK);
  CHECK(priority_of(policy, precedent_description_job(description)) == 1000 + 7 - 50 + 20);
  info.struct_size = sizeof info;
  CHECK_STATUS(precedent_description_describe(description, &info), PRECEDENT_OK);
  CHECK_TEXT(info.name, "n/p");
  CHECK_TEXT(info.lineage_key, "n/Pod/p");
  CHECK(info.gang_pods == 1);
  CHECK_STATUS(precedent_description_close(description), PRECEDENT_OK);

  CHECK_STATUS(precedent_describe_json(adapter, request, sizeof request - 1, &description, &error),
               PRECEDENT_OK);
  CHECK(priority_of(policy, precedent_description_job(description)) == 957);
  CHECK_STATUS(precedent_description_close(description), PRECEDENT_OK);

  CHECK_STATUS(precedent_describe_json(adapter, pod, sizeof pod - 2, &description, &error),
               PRECEDENT_INVALID_INPUT);
  CHECK(description == NULL && error != NULL);
  precedent_free(error);
  CHECK_STATUS(precedent_describe_json(adapter, odd, sizeof odd - 1, &description, &error),
               PRECEDENT_UNSUPPORTED);
  CHECK(strstr(error, "Odd") != NULL);
  precedent_free(error);

  snprintf(review, sizeof review,
           "{\"apiVersion\":\"admission.k8s.io/v1\",\"kind\":\"AdmissionReview\",\"request\":"
           "{\"uid\":\"u-1\",\"operation\":\"CREATE\",\"kind\":{\"group\":\"\",\"version\":\"v1\","
           "\"kind\":\"Pod\"},\"namespace\":\"n\",\"object\":%s}}",
           pod);
  CHECK_STATUS(precedent_review(adapter, policy, review, strlen(review), now, &answer),
               PRECEDENT_OK);
  CHECK(strstr(answer, "\"uid\":\"u-1\"") != NULL && strstr(answer, "\"patch\":") != NULL);
  precedent_free(answer);
  CHECK_STATUS(precedent_review(adapter, NULL, "?", 1, now, &answer), PRECEDENT_OK);
  CHECK(strstr(answer, "AdmissionReview") != NULL);
  precedent_free(answer);
  CHECK_STATUS(precedent_adapter_close(adapter), PRECEDENT_OK);
  CHECK_STATUS(precedent_policy_close(policy), PRECEDENT_OK);
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  test_policies(argv[1]);
  test_jobs();
  test_array();
  test_bound();
  test_explanation();
  test_lineage();
  test_adapters();
  return check_failures != 0;
}
