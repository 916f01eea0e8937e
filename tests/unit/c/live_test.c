/* Threads that evaluate while another publishes: every decision is made by one policy, and
 * names it; all that is replaced is freed. */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>

#include "check.h"
#include "precedent/c.h"

enum { READERS = 4, PUBLICATIONS = 2000, READS = 2000 };

static precedent_live *live;
static precedent_policy *policies[2];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int done = 0;
static int reads = 0;

/* Counts `more` reads, and tells whether it is over. */
static int is_done(int more, int *total) {
  int result;
  pthread_mutex_lock(&mutex);
  reads += more;
  if (total != NULL) *total = reads;
  result = done;
  pthread_mutex_unlock(&mutex);
  return result;
}

static precedent_policy *load(const char *text) {
  precedent_policy *policy;
  CHECK_STATUS(precedent_policy_load(text, strlen(text), &policy, NULL), PRECEDENT_OK);
  return policy;
}

/* Returns how many decisions were wrong. */
static void *evaluate(void *argument) {
  precedent_job job;
  precedent_decision decision;
  precedent_policy_info info;
  intptr_t wrong = 0;
  (void)argument;
  precedent_job_init(&job, sizeof job);
  decision.struct_size = sizeof decision;
  info.struct_size = sizeof info;
  while (!is_done(1, NULL)) {
    precedent_guard guard;
    int i;
    if (precedent_live_read(live, &guard) != PRECEDENT_OK ||
        precedent_policy_describe(precedent_guard_policy(&guard), &info) != PRECEDENT_OK)
      return (void *)(intptr_t)-1;
    for (i = 0; i < 8; ++i) {
      if (precedent_guard_evaluate(&guard, &job, i, &decision) != PRECEDENT_OK ||
          decision.priority != info.generation ||
          decision.policy_fingerprint.data != info.fingerprint.data ||
          memcmp(decision.policy_fingerprint.data, info.fingerprint.data, 32) != 0)
        ++wrong;
    }
    if (precedent_guard_release(&guard) != PRECEDENT_OK) ++wrong;
  }
  return (void *)wrong;
}

static void test_threads(void) {
  pthread_t threads[READERS];
  precedent_live_counts counts;
  int i;
  int total = 0;
  counts.struct_size = sizeof counts;
  CHECK_STATUS(precedent_live_publish(live, policies[0], true), PRECEDENT_OK);
  for (i = 0; i < READERS; ++i) CHECK(pthread_create(&threads[i], NULL, evaluate, NULL) == 0);
  for (i = 0; i < PUBLICATIONS || total < READS; ++i) {
    const precedent_status status = precedent_live_publish(live, policies[i % 2], true);
    CHECK(status == PRECEDENT_OK || status == PRECEDENT_EXHAUSTED);
    is_done(0, &total);
  }
  pthread_mutex_lock(&mutex);
  done = 1;
  pthread_mutex_unlock(&mutex);
  for (i = 0; i < READERS; ++i) {
    void *wrong = NULL;
    CHECK(pthread_join(threads[i], &wrong) == 0);
    CHECK((intptr_t)wrong == 0);
  }
  CHECK_STATUS(precedent_live_synchronize(live, INT64_C(60000000)), PRECEDENT_OK);
  CHECK_STATUS(precedent_live_count(live, &counts), PRECEDENT_OK);
  CHECK(counts.retired == 0 && counts.freed == counts.published - 1);
}

static void test_generations(void) {
  precedent_live_options options;
  precedent_live *other;
  precedent_guard guard;
  precedent_job job;
  precedent_decision decision;
  precedent_live_counts counts;
  char *error;

  memset(&options, 0, sizeof options);
  options.struct_size = sizeof options;
  options.fallback_priority = 123;
  options.fallback_class = precedent_c_string("standard");
  CHECK_STATUS(precedent_live_open(&options, &other, &error), PRECEDENT_OK);
  precedent_job_init(&job, sizeof job);
  decision.struct_size = sizeof decision;
  counts.struct_size = sizeof counts;

  CHECK_STATUS(precedent_live_read(other, &guard), PRECEDENT_OK);
  CHECK(precedent_guard_policy(&guard) == NULL);
  CHECK_STATUS(precedent_guard_evaluate(&guard, &job, 0, &decision), PRECEDENT_OK);
  CHECK(decision.priority == 123 && decision.reason == PRECEDENT_FALLBACK_NO_POLICY);
  CHECK_TEXT(decision.priority_class, "standard");
  CHECK_STATUS(precedent_guard_release(&guard), PRECEDENT_OK);

  CHECK_STATUS(precedent_live_publish(other, policies[1], false), PRECEDENT_OK);
  CHECK_STATUS(precedent_live_publish(other, policies[0], false), PRECEDENT_OLDER_GENERATION);
  CHECK_STATUS(precedent_live_read(other, &guard), PRECEDENT_OK);
  CHECK_STATUS(precedent_live_publish(other, policies[0], true), PRECEDENT_OK);
  /* The guard keeps what it read. */
  CHECK_STATUS(precedent_live_synchronize(other, 0), PRECEDENT_TIMED_OUT);
  CHECK_STATUS(precedent_guard_evaluate(&guard, &job, 0, &decision), PRECEDENT_OK);
  CHECK(decision.priority == 222);
  CHECK_STATUS(precedent_guard_release(&guard), PRECEDENT_OK);
  CHECK_STATUS(precedent_live_synchronize(other, 0), PRECEDENT_OK);
  CHECK_STATUS(precedent_live_count(other, &counts), PRECEDENT_OK);
  CHECK(counts.published == 2 && counts.refused_older == 1 && counts.freed == 1);
  CHECK_STATUS(precedent_live_close(other), PRECEDENT_OK);

  options.max_retired = 1;
  CHECK_STATUS(precedent_live_open(&options, &other, NULL), PRECEDENT_OK);
  CHECK_STATUS(precedent_live_publish(other, policies[0], true), PRECEDENT_OK);
  CHECK_STATUS(precedent_live_read(other, &guard), PRECEDENT_OK);
  CHECK_STATUS(precedent_live_publish(other, policies[1], true), PRECEDENT_OK);
  CHECK_STATUS(precedent_live_publish(other, policies[0], true), PRECEDENT_EXHAUSTED);
  CHECK_STATUS(precedent_guard_release(&guard), PRECEDENT_OK);
  CHECK_STATUS(precedent_live_close(other), PRECEDENT_OK);
}

int main(void) {
  policies[0] = load("generation: 111 stages { rules { id: \"a\" set: 111 } }");
  policies[1] = load("generation: 222 stages { rules { id: \"a\" set: 222 } }");
  CHECK_STATUS(precedent_live_open(NULL, &live, NULL), PRECEDENT_OK);
  test_generations();
  test_threads();
  CHECK_STATUS(precedent_live_close(live), PRECEDENT_OK);
  CHECK_STATUS(precedent_policy_close(policies[0]), PRECEDENT_OK);
  CHECK_STATUS(precedent_policy_close(policies[1]), PRECEDENT_OK);
  return check_failures != 0;
}
