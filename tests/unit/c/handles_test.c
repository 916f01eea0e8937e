/* Handles that are closed, released, copied or another's, and bad news for a graph. */
#include "check.h"
#include "policy.h"

static const int64_t now = INT64_C(1700000000000000);

static precedent_job good_job(void) {
  precedent_job job;
  precedent_job_init(&job, sizeof job);
  job.environment = precedent_c_string("production");
  return job;
}

static void test_lineage(void) {
  precedent_graph *graph;
  precedent_graph_options options = {sizeof options, 0, -1, 0};
  precedent_submission submission;
  precedent_event event;
  precedent_parent parent;
  precedent_lineage facts;
  char *error;

  CHECK_STATUS(precedent_graph_open(&options, &graph, &error), PRECEDENT_INVALID_INPUT);
  CHECK(graph == NULL && strstr(error, "retention_seconds: -1") == error);
  precedent_free(error);
  options.retention_seconds = 0;
  options.max_jobs = UINT64_MAX;
  CHECK_STATUS(precedent_graph_open(&options, &graph, NULL), PRECEDENT_INVALID_INPUT);
  options.max_jobs = 0;
  options.struct_size = 3;
  CHECK_STATUS(precedent_graph_open(&options, &graph, NULL), PRECEDENT_WRONG_SIZE);
  options.struct_size = sizeof options;
  CHECK_STATUS(precedent_graph_open(&options, &graph, NULL), PRECEDENT_OK);

  precedent_submission_init(&submission, sizeof submission);
  CHECK_STATUS(precedent_graph_submit(graph, &submission, NULL, &error), PRECEDENT_INVALID_INPUT);
  CHECK(error != NULL);
  precedent_free(error);
  submission.id = precedent_c_string("\xff");
  submission.submitted = now;
  CHECK_STATUS(precedent_graph_submit(graph, &submission, NULL, &error), PRECEDENT_NOT_UTF8);
  CHECK(strstr(error, "id: byte 0") == error);
  precedent_free(error);
  CHECK_STATUS(precedent_graph_facts(graph, submission.id, &facts), PRECEDENT_NOT_UTF8);
  submission.id = precedent_c_string("job");
  submission.parent_count = 1;
  CHECK_STATUS(precedent_graph_submit(graph, &submission, NULL, NULL), PRECEDENT_NULL_ARGUMENT);
  submission.parents = &parent;
  parent.id = precedent_c_string("other");
  parent.relation = 4;
  CHECK_STATUS(precedent_graph_submit(graph, &submission, NULL, &error), PRECEDENT_INVALID_INPUT);
  CHECK(strstr(error, "parents[0].relation: 4") == error);
  precedent_free(error);
  parent.relation = PRECEDENT_DEPENDS_ON;
  CHECK_STATUS(precedent_graph_submit(graph, &submission, NULL, NULL), PRECEDENT_NOT_FOUND);
  submission.parent_count = (size_t)-1;
  CHECK_STATUS(precedent_graph_submit(graph, &submission, NULL, NULL), PRECEDENT_WRONG_SIZE);
  submission.parent_count = 0;
  memset(&submission.carried.retry_of_preempted, 3, 1);
  CHECK_STATUS(precedent_graph_submit(graph, &submission, NULL, NULL), PRECEDENT_WRONG_SIZE);
  submission.carried.retry_of_preempted = false;
  submission.struct_size = 12;
  CHECK_STATUS(precedent_graph_submit(graph, &submission, NULL, NULL), PRECEDENT_WRONG_SIZE);
  CHECK_STATUS(precedent_graph_submit(graph, NULL, NULL, NULL), PRECEDENT_NULL_ARGUMENT);

  precedent_event_init(&event, sizeof event);
  event.job = precedent_c_string("job");
  event.time = now;
  event.kind = 8;
  CHECK_STATUS(precedent_graph_apply(graph, &event, NULL, &error), PRECEDENT_INVALID_INPUT);
  CHECK(strstr(error, "kind: 8") == error);
  precedent_free(error);
  event.kind = PRECEDENT_FAILED;
  event.cause = -1;
  CHECK_STATUS(precedent_graph_apply(graph, &event, NULL, NULL), PRECEDENT_INVALID_INPUT);
  event.cause = PRECEDENT_CAUSE_OWN;
  event.progress = 1e308 * 10;
  CHECK_STATUS(precedent_graph_apply(graph, &event, NULL, NULL), PRECEDENT_INVALID_INPUT);
  CHECK_STATUS(precedent_graph_apply(graph, NULL, NULL, NULL), PRECEDENT_NULL_ARGUMENT);
  CHECK_STATUS(precedent_submission_init(NULL, 100), PRECEDENT_NULL_ARGUMENT);
  CHECK_STATUS(precedent_event_init(&event, 9), PRECEDENT_WRONG_SIZE);
  CHECK_STATUS(precedent_graph_close(graph), PRECEDENT_OK);
}

static void test_guards(const precedent_policy *policy) {
  precedent_live *live;
  precedent_guard guard;
  precedent_guard copy;
  precedent_decision decision;
  precedent_job job = good_job();

  CHECK_STATUS(precedent_live_open(NULL, &live, NULL), PRECEDENT_OK);
  CHECK_STATUS(precedent_live_publish(live, policy, false), PRECEDENT_OK);
  memset(&guard, 0x5a, sizeof guard);
  decision.struct_size = sizeof decision;
  CHECK_STATUS(precedent_guard_release(&guard), PRECEDENT_CLOSED);
  CHECK_STATUS(precedent_live_read(live, &guard), PRECEDENT_OK);
  copy = guard;
  CHECK_STATUS(precedent_guard_release(&copy), PRECEDENT_CLOSED);
  CHECK(precedent_guard_policy(&copy) == NULL);
  CHECK_STATUS(precedent_guard_evaluate(&copy, &job, now, &decision), PRECEDENT_CLOSED);
  CHECK(decision.priority == 500 && decision.reason == PRECEDENT_FALLBACK_NO_POLICY);
  CHECK_STATUS(precedent_guard_evaluate(&guard, &job, now, &decision), PRECEDENT_OK);
  CHECK(decision.priority == 1000);
  CHECK_STATUS(precedent_guard_evaluate(&guard, NULL, now, &decision), PRECEDENT_NULL_ARGUMENT);
  CHECK(decision.priority == 42);
  CHECK_STATUS(precedent_guard_release(&guard), PRECEDENT_OK);
  CHECK_STATUS(precedent_guard_release(&guard), PRECEDENT_CLOSED);
  CHECK(precedent_guard_policy(&guard) == NULL);
  CHECK_STATUS(precedent_live_close(live), PRECEDENT_OK);
}

/* Bytes bound to one policy are not another's. */
static void test_other_policy(const precedent_policy *policy) {
  precedent_policy *other = load_plain_policy();
  precedent_job job = good_job();
  precedent_decision decision;
  const size_t size = precedent_bound_size(policy) + precedent_bound_size(other);
  uint64_t *bound = calloc(1, size);
  decision.struct_size = sizeof decision;
  CHECK_STATUS(precedent_evaluate_bound(policy, bound, now, &decision), PRECEDENT_CLOSED);
  CHECK_STATUS(precedent_bind(other, &job, bound, size), PRECEDENT_OK);
  CHECK_STATUS(precedent_evaluate_bound(policy, bound, now, &decision), PRECEDENT_CLOSED);
  CHECK(decision.priority == 42);
  free(bound);
  CHECK_STATUS(precedent_policy_close(other), PRECEDENT_OK);
}

#ifndef NDEBUG
/* Only a debug build of the library looks; this one is of the same kind. */
static void test_closed(void) {
  static const char pod[] =
      "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\"},"
      "\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}";
  precedent_policy *policy = load_policy();
  precedent_live *live;
  precedent_graph *graph;
  precedent_adapter *adapter;
  precedent_description *description;
  precedent_guard guard;
  precedent_lineage facts;
  precedent_decision decision;
  precedent_policy_info info;
  precedent_job job = good_job();
  char *text;

  decision.struct_size = sizeof decision;
  info.struct_size = sizeof info;
  CHECK_STATUS(precedent_live_open(NULL, &live, NULL), PRECEDENT_OK);
  CHECK_STATUS(precedent_graph_open(NULL, &graph, NULL), PRECEDENT_OK);
  CHECK_STATUS(precedent_adapter_open(NULL, 0, &adapter, NULL), PRECEDENT_OK);
  CHECK_STATUS(precedent_describe_json(adapter, pod, sizeof pod - 1, &description, NULL),
               PRECEDENT_OK);
  CHECK_STATUS(precedent_policy_close(policy), PRECEDENT_OK);
  CHECK_STATUS(precedent_live_close(live), PRECEDENT_OK);
  CHECK_STATUS(precedent_graph_close(graph), PRECEDENT_OK);
  CHECK_STATUS(precedent_description_close(description), PRECEDENT_OK);
  CHECK_STATUS(precedent_adapter_close(adapter), PRECEDENT_OK);

  CHECK_STATUS(precedent_evaluate(policy, &job, now, &decision), PRECEDENT_CLOSED);
  CHECK(decision.priority == 500);
  CHECK_STATUS(precedent_policy_describe(policy, &info), PRECEDENT_CLOSED);
  CHECK_STATUS(precedent_explain(policy, &job, now, true, &text), PRECEDENT_CLOSED);
  CHECK_STATUS(precedent_policy_close(policy), PRECEDENT_CLOSED);
  CHECK_STATUS(precedent_live_read(live, &guard), PRECEDENT_CLOSED);
  CHECK_STATUS(precedent_live_close(live), PRECEDENT_CLOSED);
  CHECK_STATUS(precedent_graph_facts(graph, job.environment, &facts), PRECEDENT_CLOSED);
  CHECK_STATUS(precedent_graph_close(graph), PRECEDENT_CLOSED);
  CHECK_STATUS(precedent_review(adapter, NULL, "{}", 2, now, &text), PRECEDENT_CLOSED);
  CHECK_STATUS(precedent_adapter_close(adapter), PRECEDENT_CLOSED);
  CHECK(precedent_description_job(description) == NULL);
  CHECK_STATUS(precedent_description_close(description), PRECEDENT_CLOSED);
  /* A handle of another kind. */
  CHECK_STATUS(precedent_live_open(NULL, &live, NULL), PRECEDENT_OK);
  CHECK_STATUS(precedent_evaluate((precedent_policy *)live, &job, now, &decision),
               PRECEDENT_CLOSED);
  CHECK_STATUS(precedent_live_close(live), PRECEDENT_OK);
}
#endif

int main(void) {
  precedent_policy *policy = load_policy();
  test_lineage();
  test_guards(policy);
  test_other_policy(policy);
#ifndef NDEBUG
  test_closed();
#endif
  CHECK_STATUS(precedent_policy_close(policy), PRECEDENT_OK);
  return check_failures != 0;
}
