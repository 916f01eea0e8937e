/* Bad jobs, sizes and pointers: a defined error for each, and never a higher priority. */
#include "check.h"
#include "policy.h"

static const int64_t now = INT64_C(1700000000000000);

static precedent_job good_job(void) {
  precedent_job job;
  precedent_job_init(&job, sizeof job);
  job.environment = precedent_c_string("production");
  return job;
}

/* The evaluation gives `expected`, and the policy's fallback. */
static void refused(const precedent_policy *policy, const precedent_job *job,
                    precedent_status expected) {
  precedent_decision decision;
  const size_t size = precedent_bound_size(policy);
  uint64_t *bound = malloc(size);
  char *text;
  decision.struct_size = sizeof decision;
  decision.priority = 9999;
  CHECK_STATUS(precedent_evaluate(policy, job, now, &decision), expected);
  CHECK(decision.priority == 42);
  CHECK(decision.reason == PRECEDENT_FALLBACK_INVALID_INPUT);
  CHECK_STATUS(precedent_bind(policy, job, bound, size), expected);
  CHECK_STATUS(precedent_evaluate_bound(policy, bound, now, &decision), PRECEDENT_CLOSED);
  CHECK(decision.priority == 42);
  free(bound);
  CHECK_STATUS(precedent_explain(policy, job, now, true, &text), expected);
  CHECK(text == NULL);
}

/* And precedent_job_check says that it is `what`. */
static void refused_by_name(const precedent_policy *policy, const precedent_job *job,
                            precedent_status expected, const char *what) {
  char *error;
  refused(policy, job, expected);
  CHECK_STATUS(precedent_job_check(job, &error), expected);
  if (error == NULL || strncmp(error, what, strlen(what)) != 0) {
    printf("%s: the error is %s\n", what, error == NULL ? "NULL" : error);
    ++check_failures;
  }
  precedent_free(error);
}

static void test_null(const precedent_policy *policy) {
  precedent_job job = good_job();
  precedent_policy *loaded = (precedent_policy *)&job;
  precedent_decision decision;
  precedent_lineage facts;
  char *error;
  size_t bad = 9;

  decision.struct_size = sizeof decision;
  refused(policy, NULL, PRECEDENT_NULL_ARGUMENT);
  CHECK_STATUS(precedent_evaluate(policy, &job, now, NULL), PRECEDENT_NULL_ARGUMENT);
  CHECK_STATUS(precedent_evaluate(NULL, &job, now, &decision), PRECEDENT_NULL_ARGUMENT);
  CHECK(decision.reason == PRECEDENT_FALLBACK_NO_POLICY && decision.priority == 500);
  CHECK_STATUS(precedent_evaluate_bound(policy, NULL, now, &decision), PRECEDENT_NULL_ARGUMENT);
  CHECK_STATUS(precedent_evaluate_bound(policy, &job, now, NULL), PRECEDENT_NULL_ARGUMENT);
  CHECK_STATUS(precedent_evaluate_bound(NULL, &job, now, &decision), PRECEDENT_NULL_ARGUMENT);
  CHECK_STATUS(precedent_evaluate_array(policy, NULL, 1, now, &decision, &bad),
               PRECEDENT_NULL_ARGUMENT);
  CHECK(bad == 0);
  CHECK_STATUS(precedent_evaluate_array(policy, &job, 1, now, NULL, NULL),
               PRECEDENT_NULL_ARGUMENT);
  CHECK_STATUS(precedent_evaluate_array(NULL, &job, 1, now, &decision, NULL),
               PRECEDENT_NULL_ARGUMENT);
  CHECK_STATUS(precedent_explain(policy, &job, now, true, NULL), PRECEDENT_NULL_ARGUMENT);
  CHECK_STATUS(precedent_explain(NULL, &job, now, true, &error), PRECEDENT_NULL_ARGUMENT);
  CHECK(error == NULL);
  CHECK_STATUS(precedent_bind(policy, &job, NULL, 1000), PRECEDENT_NULL_ARGUMENT);
  CHECK(precedent_bound_size(NULL) == 0);
  CHECK_STATUS(precedent_job_init(NULL, sizeof job), PRECEDENT_NULL_ARGUMENT);
  CHECK_STATUS(precedent_job_check(NULL, &error), PRECEDENT_NULL_ARGUMENT);
  precedent_free(error);

  CHECK_STATUS(precedent_policy_load(NULL, 4, &loaded, &error), PRECEDENT_NULL_ARGUMENT);
  CHECK(loaded == NULL && strcmp(error, "bytes: is NULL") == 0);
  precedent_free(error);
  CHECK_STATUS(precedent_policy_load("", 0, NULL, NULL), PRECEDENT_NULL_ARGUMENT);
  CHECK_STATUS(precedent_policy_load(NULL, 0, &loaded, NULL), PRECEDENT_INVALID_POLICY);
  CHECK_STATUS(precedent_policy_load_file(NULL, &loaded, NULL), PRECEDENT_NULL_ARGUMENT);
  CHECK_STATUS(precedent_policy_load_file("x", NULL, NULL), PRECEDENT_NULL_ARGUMENT);
  CHECK_STATUS(precedent_policy_describe(policy, NULL), PRECEDENT_NULL_ARGUMENT);

  CHECK_STATUS(precedent_live_open(NULL, NULL, NULL), PRECEDENT_NULL_ARGUMENT);
  CHECK_STATUS(precedent_live_publish(NULL, policy, false), PRECEDENT_NULL_ARGUMENT);
  CHECK_STATUS(precedent_live_read(NULL, NULL), PRECEDENT_NULL_ARGUMENT);
  CHECK_STATUS(precedent_live_synchronize(NULL, 1), PRECEDENT_NULL_ARGUMENT);
  CHECK_STATUS(precedent_live_count(NULL, NULL), PRECEDENT_NULL_ARGUMENT);
  CHECK_STATUS(precedent_guard_release(NULL), PRECEDENT_NULL_ARGUMENT);
  CHECK(precedent_guard_policy(NULL) == NULL);
  CHECK_STATUS(precedent_guard_evaluate(NULL, &job, now, &decision), PRECEDENT_NULL_ARGUMENT);
  CHECK_STATUS(precedent_guard_evaluate(NULL, &job, now, NULL), PRECEDENT_NULL_ARGUMENT);

  CHECK_STATUS(precedent_graph_open(NULL, NULL, NULL), PRECEDENT_NULL_ARGUMENT);
  CHECK_STATUS(precedent_graph_submit(NULL, NULL, NULL, NULL), PRECEDENT_NULL_ARGUMENT);
  CHECK_STATUS(precedent_graph_apply(NULL, NULL, NULL, NULL), PRECEDENT_NULL_ARGUMENT);
  CHECK_STATUS(precedent_graph_advance(NULL, now), PRECEDENT_NULL_ARGUMENT);
  CHECK_STATUS(precedent_graph_facts(NULL, job.environment, &facts), PRECEDENT_NULL_ARGUMENT);
  CHECK_STATUS(precedent_graph_facts(NULL, job.environment, NULL), PRECEDENT_NULL_ARGUMENT);

  CHECK_STATUS(precedent_adapter_open(NULL, 1, NULL, NULL), PRECEDENT_NULL_ARGUMENT);
  CHECK_STATUS(precedent_review(NULL, NULL, "", 0, now, &error), PRECEDENT_NULL_ARGUMENT);
  CHECK_STATUS(precedent_review(NULL, NULL, "", 0, now, NULL), PRECEDENT_NULL_ARGUMENT);
  CHECK_STATUS(precedent_describe_json(NULL, "", 0, NULL, NULL), PRECEDENT_NULL_ARGUMENT);
  CHECK(precedent_description_job(NULL) == NULL);
  CHECK_STATUS(precedent_description_describe(NULL, NULL), PRECEDENT_NULL_ARGUMENT);
  precedent_free(NULL);
  CHECK(precedent_c_string(NULL).size == 0);
  CHECK(strcmp(precedent_status_text(99), "unknown status") == 0);
}

static void test_texts(const precedent_policy *policy) {
  static const char *const bad[] = {"\xff",         "\x80",             "a\xc3",
                                    "abcd\xff",     "\377abcdefg",   "abcdefgh\xffij",
                                    "abcdefghijkl\xff", "\xed\xa0\x80", "\xc0\xaf",
                                    "a text of more than sixteen characters \xf4\x90\x80\x80",
                                    "\xff and more than sixteen characters"};
  precedent_job job;
  size_t i;

  for (i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
    job = good_job();
    job.team = precedent_c_string(bad[i]);
    refused_by_name(policy, &job, PRECEDENT_NOT_UTF8, "team: byte ");
  }
  /* Wherever in it. */
  {
    precedent_decision decision;
    char text[40];
    decision.struct_size = sizeof decision;
    job = good_job();
    job.team.data = text;
    for (job.team.size = 1; job.team.size <= sizeof text; ++job.team.size) {
      for (i = 0; i < job.team.size; ++i) {
        memset(text, 'a', sizeof text);
        text[i] = '\377';
        CHECK_STATUS(precedent_evaluate(policy, &job, now, &decision), PRECEDENT_NOT_UTF8);
      }
    }
  }
  /* A text that goes on behind the end of its length is as long as its length says. */
  job = good_job();
  job.environment.data = "productions";
  job.environment.size = 10;
  CHECK_STATUS(precedent_job_check(&job, NULL), PRECEDENT_OK);

  job = good_job();
  job.user.size = 5;
  refused_by_name(policy, &job, PRECEDENT_NULL_ARGUMENT, "user: data is NULL and size is 5");
  job = good_job();
  job.kind.data = "Job";
  job.kind.size = (size_t)-1;
  refused_by_name(policy, &job, PRECEDENT_WRONG_SIZE, "kind: size ");

  job = good_job();
  memset(&job.preemptible, 2, 1);
  refused_by_name(policy, &job, PRECEDENT_WRONG_SIZE, "preemptible: 2 is neither");
  job = good_job();
  memset(&job.lineage.retry_of_preempted, 255, 1);
  refused_by_name(policy, &job, PRECEDENT_WRONG_SIZE, "lineage.retry_of_preempted: 255");
}

/* The same of what lists hold. A policy that looks at no label does not look at bad ones. */
static void test_lists(const precedent_policy *policy, const precedent_policy *plain) {
  precedent_job job = good_job();
  precedent_label label;
  precedent_metric metric;
  precedent_decision decision;

  job.label_count = 1;
  refused_by_name(policy, &job, PRECEDENT_NULL_ARGUMENT, "labels: is NULL");
  job.labels = &label;
  job.label_count = (size_t)1 << 40;
  refused_by_name(policy, &job, PRECEDENT_WRONG_SIZE, "labels: ");
  job.label_count = 1;
  label.key = precedent_c_string("tier");
  label.value = precedent_c_string("\xff");
  refused_by_name(policy, &job, PRECEDENT_NOT_UTF8, "labels[0].value: byte 0");
  label.value = label.key;
  label.key.data = NULL;
  refused_by_name(policy, &job, PRECEDENT_NULL_ARGUMENT, "labels[0].key: ");

  job = good_job();
  job.metric_count = 1;
  refused_by_name(policy, &job, PRECEDENT_NULL_ARGUMENT, "metrics: is NULL");
  job.metrics = &metric;
  metric.name = precedent_c_string("a\x80");
  metric.value = 1;
  refused_by_name(policy, &job, PRECEDENT_NOT_UTF8, "metrics[0].name: byte 1");
  job.metric_count = (size_t)-1;
  refused_by_name(policy, &job, PRECEDENT_WRONG_SIZE, "metrics: ");
  refused(plain, &job, PRECEDENT_WRONG_SIZE);

  job = good_job();
  job.label_count = 1;
  decision.struct_size = sizeof decision;
  CHECK_STATUS(precedent_evaluate(plain, &job, now, &decision), PRECEDENT_OK);
  CHECK(decision.priority == 1000);
  job.label_count = 0;
  job.metric_count = 1;
  refused(plain, &job, PRECEDENT_NULL_ARGUMENT);
}

static void test_sizes(const precedent_policy *policy) {
  static const uint64_t sizes[] = {0, 1, 8, 15, 100, 65537, UINT64_MAX};
  precedent_job job;
  precedent_decision decision;
  precedent_policy_info info;
  uint64_t bound[4];
  size_t i;

  for (i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
    job = good_job();
    job.struct_size = sizes[i];
    refused_by_name(policy, &job, PRECEDENT_WRONG_SIZE, "struct_size: ");
    CHECK_STATUS(precedent_job_init(&job, (size_t)sizes[i]), PRECEDENT_WRONG_SIZE);
    job = good_job();
    memset(&decision, 0x5a, sizeof decision);
    decision.struct_size = sizes[i];
    CHECK_STATUS(precedent_evaluate(policy, &job, now, &decision), PRECEDENT_WRONG_SIZE);
    CHECK(decision.priority == 0x5a5a5a5a);
    CHECK_STATUS(precedent_evaluate_array(policy, &job, 1, now, &decision, NULL),
                 PRECEDENT_WRONG_SIZE);
    info.struct_size = sizes[i];
    CHECK_STATUS(precedent_policy_describe(policy, &info), PRECEDENT_WRONG_SIZE);
  }
  /* Of an array, where the sizes say that the elements are not where they should be. */
  {
    precedent_job jobs[3];
    precedent_decision decisions[3];
    size_t bad;
    for (i = 0; i < 3; ++i) {
      jobs[i] = good_job();
      decisions[i].struct_size = sizeof decisions[i];
      decisions[i].priority = -1;
    }
    jobs[1].struct_size = sizeof jobs[1] - 16;
    decisions[2].struct_size = sizeof decisions[2] + 64;
    CHECK_STATUS(precedent_evaluate_array(policy, jobs, 3, now, decisions, &bad),
                 PRECEDENT_WRONG_SIZE);
    CHECK(bad == 1);
    CHECK(decisions[0].priority == 1000 && decisions[1].priority == 42 &&
          decisions[2].priority == -1);
    CHECK_STATUS(precedent_evaluate_array(policy, jobs, (size_t)-1, now, decisions, &bad),
                 PRECEDENT_WRONG_SIZE);
  }
  job = good_job();
  decision.struct_size = sizeof decision;
  CHECK_STATUS(precedent_bind(policy, &job, bound, 7), PRECEDENT_WRONG_SIZE);
  CHECK_STATUS(precedent_bind(policy, &job, bound, 8), PRECEDENT_WRONG_SIZE);
  CHECK_STATUS(precedent_bind(policy, &job, (char *)bound + 1, sizeof bound - 1),
               PRECEDENT_WRONG_SIZE);
  CHECK_STATUS(precedent_evaluate_bound(policy, (char *)bound + 1, now, &decision),
               PRECEDENT_WRONG_SIZE);

  /* A path that does not end. */
  {
    static char path[8192];
    precedent_policy *loaded;
    char *error;
    memset(path, 'p', sizeof path - 1);
    CHECK_STATUS(precedent_policy_load_file(path, &loaded, &error), PRECEDENT_WRONG_SIZE);
    CHECK(loaded == NULL && strstr(error, "path: ") == error);
    precedent_free(error);
    CHECK_STATUS(precedent_policy_load("", (size_t)-1, &loaded, NULL), PRECEDENT_WRONG_SIZE);
  }
}

/* A program of a later release: what it does not use does not matter, what it uses and this
 * library does not know is refused. */
static void test_newer(const precedent_policy *policy) {
  struct {
    precedent_job job;
    precedent_text more;
    double much_more;
  } newer;
  struct {
    precedent_decision decision;
    uint64_t more[3];
  } decision;
  CHECK_STATUS(precedent_job_init(&newer.job, sizeof newer), PRECEDENT_OK);
  newer.job.environment = precedent_c_string("production");
  memset(&decision, 0x5a, sizeof decision);
  decision.decision.struct_size = sizeof decision;
  CHECK_STATUS(precedent_evaluate(policy, &newer.job, now, &decision.decision), PRECEDENT_OK);
  CHECK(decision.decision.priority == 1000);
  CHECK(decision.more[0] == 0 && decision.more[1] == 0 && decision.more[2] == 0);
  newer.much_more = 1;
  refused_by_name(policy, &newer.job, PRECEDENT_WRONG_SIZE, "struct_size: ");
}

/* Impossible numbers are no error: the decision says what they are. */
static void test_numbers(const precedent_policy *policy) {
  const double infinity = 1e308 * 10;
  precedent_job jobs[4];
  precedent_decision decision;
  int i;
  for (i = 0; i < 4; ++i) jobs[i] = good_job();
  jobs[0].gpu_count = -1;
  jobs[1].gpu_count = infinity;
  jobs[2].lineage.failure_count = -1;
  jobs[3].lineage.progress = -infinity;
  decision.struct_size = sizeof decision;
  for (i = 0; i < 4; ++i) {
    CHECK_STATUS(precedent_evaluate(policy, &jobs[i], now, &decision), PRECEDENT_OK);
    CHECK(decision.priority == 42 && decision.reason == PRECEDENT_FALLBACK_INVALID_INPUT);
  }
  /* And times as far apart as they can be. */
  jobs[0] = good_job();
  jobs[0].submitted = INT64_MIN + 1;
  CHECK_STATUS(precedent_evaluate(policy, &jobs[0], INT64_MAX, &decision), PRECEDENT_OK);
  CHECK(decision.priority == 1030);
  jobs[0].submitted = INT64_MAX;
  CHECK_STATUS(precedent_evaluate(policy, &jobs[0], INT64_MIN, &decision), PRECEDENT_OK);
  CHECK(decision.priority == 1000);
}

int main(void) {
  precedent_policy *policies[2];
  int i;
  policies[0] = load_policy();
  policies[1] = load_plain_policy();
  for (i = 0; i < 2; ++i) {
    test_null(policies[i]);
    test_texts(policies[i]);
    test_sizes(policies[i]);
    test_newer(policies[i]);
    test_numbers(policies[i]);
  }
  test_lists(policies[0], policies[1]);
  for (i = 0; i < 2; ++i) CHECK_STATUS(precedent_policy_close(policies[i]), PRECEDENT_OK);
  return check_failures != 0;
}
