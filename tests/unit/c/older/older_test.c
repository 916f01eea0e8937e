/* A program that was compiled with an older header, with the library of today: fields that
 * it does not have are absent, and nothing is written behind those that it has. */
#include <stdlib.h>

#include "../check.h"
#include "precedent_older.h"

static const int64_t now = INT64_C(1700000000000000);

static const char policy_text[] =
    "generation: 7\n"
    "stages {\n"
    "  rules { id: \"base\" set: 1000 }\n"
    "  rules { id: \"team\" when { team { in: \"search\" } } add: 7 }\n"
    "  rules { id: \"kind\" when { kind { present: true } } set: 9000 }\n"
    "  rules { id: \"class\" when { requested_class { present: true } } set: 9000 }\n"
    "  rules { id: \"accelerator\" when { accelerator { present: true } } set: 9000 }\n"
    "  rules { id: \"large\" when { gpu_count { above: 4 } } add: -50 }\n"
    "}\n"
    "priority_classes { name: \"all\" at_least: 0 }\n"
    "fallback { priority: 42 }\n";

#define CANARY UINT64_C(0x5a5a5a5a5a5a5a5a)

/* Each struct with what stands behind it in the program's memory. */
#define WITH_CANARY(type)    \
  struct {                   \
    type it;                 \
    uint64_t canary[16];     \
  }
#define PLANT(with) memset(&(with), 0x5a, sizeof(with))

static int is_alive(const uint64_t *canary) {
  int i;
  for (i = 0; i < 16; ++i)
    if (canary[i] != CANARY) return 0;
  return 1;
}
#define CHECK_CANARY(with) CHECK(is_alive((with).canary))

static void test_evaluation(const precedent_policy *policy) {
  WITH_CANARY(precedent_job) job;
  WITH_CANARY(precedent_decision) decision;
  WITH_CANARY(precedent_policy_info) info;
  uint64_t *bound = malloc(precedent_bound_size(policy));
  char *text;

  PLANT(job);
  PLANT(decision);
  PLANT(info);
  CHECK(precedent_job_init(&job.it, sizeof job.it) == 0);
  CHECK_CANARY(job);
  CHECK(job.it.struct_size == sizeof job.it && job.it.gpu_count != job.it.gpu_count);
  job.it.team = precedent_c_string("search");
  job.it.gpu_count = 8;
  decision.it.struct_size = sizeof decision.it;
  CHECK(precedent_evaluate(policy, &job.it, now, &decision.it) == 0);
  CHECK(decision.it.priority == 957 && decision.it.reason == 1);
  CHECK_TEXT(decision.it.priority_class, "all");
  CHECK_CANARY(decision);
  CHECK(precedent_bind(policy, &job.it, bound, precedent_bound_size(policy)) == 0);
  decision.it.priority = 0;
  CHECK(precedent_evaluate_bound(policy, bound, now, &decision.it) == 0);
  CHECK(decision.it.priority == 957);
  CHECK_CANARY(decision);
  free(bound);
  CHECK(precedent_explain(policy, &job.it, now, true, &text) == 0);
  CHECK(text != NULL && strstr(text, "priority 957") != NULL);
  precedent_free(text);
  CHECK(precedent_job_check(&job.it, NULL) == 0);
  job.it.team.data = "\xff\xff\xff\xff\xff\xff";
  CHECK(precedent_evaluate(policy, &job.it, now, &decision.it) == 3);
  CHECK(decision.it.priority == 42);
  CHECK_CANARY(decision);

  info.it.struct_size = sizeof info.it;
  CHECK(precedent_policy_describe(policy, &info.it) == 0);
  CHECK(info.it.generation == 7);
  CHECK_CANARY(info);
}

static void test_array(const precedent_policy *policy) {
  struct {
    precedent_job it[3];
  } jobs;
  struct {
    precedent_decision it[3];
    uint64_t canary[16];
  } decisions;
  int i;
  PLANT(decisions);
  for (i = 0; i < 3; ++i) {
    CHECK(precedent_job_init(&jobs.it[i], sizeof jobs.it[i]) == 0);
    jobs.it[i].gpu_count = i * 4;
    decisions.it[i].struct_size = sizeof decisions.it[i];
  }
  CHECK(precedent_evaluate_array(policy, jobs.it, 3, now, decisions.it, NULL) == 0);
  CHECK(decisions.it[0].priority == 1000 && decisions.it[1].priority == 1000 &&
        decisions.it[2].priority == 950);
  CHECK_CANARY(decisions);
}

static void test_live(const precedent_policy *policy) {
  WITH_CANARY(precedent_live_options) options;
  WITH_CANARY(precedent_live_counts) counts;
  WITH_CANARY(precedent_guard) guard;
  precedent_live *live;
  precedent_job job;
  precedent_decision decision;
  PLANT(options);
  PLANT(counts);
  PLANT(guard);
  memset(&options.it, 0, sizeof options.it);
  options.it.struct_size = sizeof options.it;
  counts.it.struct_size = sizeof counts.it;
  decision.struct_size = sizeof decision;
  precedent_job_init(&job, sizeof job);
  CHECK(precedent_live_open(&options.it, &live, NULL) == 0);
  CHECK(precedent_live_publish(live, policy, false) == 0);
  CHECK(precedent_live_read(live, &guard.it) == 0);
  CHECK_CANARY(guard);
  CHECK(precedent_guard_evaluate(&guard.it, &job, now, &decision) == 0);
  CHECK(decision.priority == 1000);
  CHECK(precedent_guard_release(&guard.it) == 0);
  CHECK(precedent_live_count(live, &counts.it) == 0);
  CHECK(counts.it.published == 1);
  CHECK_CANARY(counts);
  CHECK(precedent_live_close(live) == 0);
}

static void test_lineage(void) {
  WITH_CANARY(precedent_graph_options) options;
  WITH_CANARY(precedent_submission) submission;
  WITH_CANARY(precedent_event) event;
  WITH_CANARY(precedent_lineage) facts;
  precedent_graph *graph;
  PLANT(options);
  PLANT(submission);
  PLANT(event);
  PLANT(facts);
  options.it.struct_size = sizeof options.it;
  options.it.max_jobs = 100;
  CHECK(precedent_graph_open(&options.it, &graph, NULL) == 0);
  CHECK(precedent_submission_init(&submission.it, sizeof submission.it) == 0);
  CHECK_CANARY(submission);
  submission.it.id = precedent_c_string("job");
  submission.it.submitted = now;
  CHECK(precedent_graph_submit(graph, &submission.it, NULL, NULL) == 0);
  CHECK(precedent_event_init(&event.it, sizeof event.it) == 0);
  CHECK_CANARY(event);
  event.it.job = submission.it.id;
  event.it.attempt = 1;
  event.it.kind = 5;
  event.it.cause = 1;
  event.it.time = now + 1;
  CHECK(precedent_graph_apply(graph, &event.it, NULL, NULL) == 0);
  CHECK(precedent_graph_facts(graph, submission.it.id, &facts.it) == 0);
  CHECK(facts.it.failure_count == 1);
  CHECK_CANARY(facts);
  CHECK(precedent_graph_close(graph) == 0);
}

int main(void) {
  precedent_policy *policy;
  if (precedent_policy_load(policy_text, sizeof policy_text - 1, &policy, NULL) != 0) return 1;
  test_evaluation(policy);
  test_array(policy);
  test_live(policy);
  test_lineage();
  CHECK(precedent_policy_close(policy) == 0);
  return check_failures != 0;
}
