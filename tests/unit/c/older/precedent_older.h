/* Frozen: what a program saw that was compiled before the last fields of each struct were
 * there. Not to be kept up to date with precedent/c.h. */
#ifndef PRECEDENT_OLDER_H_
#define PRECEDENT_OLDER_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef int precedent_status;
typedef struct precedent_policy precedent_policy;
typedef struct precedent_live precedent_live;
typedef struct precedent_graph precedent_graph;

typedef struct precedent_text {
  size_t size;
  const char *data;
} precedent_text;

typedef struct precedent_lineage {
  int64_t failure_count;
  int64_t preemption_count;
  int64_t infrastructure_failure_count;
  int64_t attempt;
  int64_t depth;
  int64_t step;
  double predecessor_runtime_seconds;
  double progress;
  double reported_priority;
  bool retry_of_preempted;
} precedent_lineage;

typedef struct precedent_job {
  uint64_t struct_size;
  const void *labels;
  size_t label_count;
  const void *metrics;
  size_t metric_count;
  int64_t submitted;
  uint32_t claimed;
  bool preemptible;
  double gpu_count;
  double pod_count;
  double dataset_bytes;
  double max_runtime_seconds;
  double checkpoint_interval_seconds;
  precedent_lineage lineage;
  precedent_text team;
  precedent_text workload_type;
  precedent_text environment;
  precedent_text namespace_name;
  precedent_text queue;
  precedent_text user;
  precedent_text image;
} precedent_job;

typedef struct precedent_decision {
  uint64_t struct_size;
  int32_t priority;
  int32_t preemption_priority;
  uint8_t reason;
  uint8_t verdict;
  bool preemptible;
  bool never_preempt_others;
  int32_t limit_runtime_seconds;
  uint32_t ignored_claims;
  precedent_text priority_class;
} precedent_decision;

typedef struct precedent_policy_info {
  uint64_t struct_size;
  int64_t generation;
} precedent_policy_info;

typedef struct precedent_live_options {
  uint64_t struct_size;
  precedent_text fallback_class;
  int32_t fallback_priority;
  uint32_t slots;
} precedent_live_options;

typedef struct precedent_live_counts {
  uint64_t struct_size;
  uint64_t published;
} precedent_live_counts;

typedef struct precedent_graph_options {
  uint64_t struct_size;
  uint64_t max_jobs;
} precedent_graph_options;

typedef struct precedent_submission {
  uint64_t struct_size;
  precedent_text id;
  precedent_text owner;
  precedent_text lineage_key;
  const void *parents;
  size_t parent_count;
  int64_t submitted;
} precedent_submission;

typedef struct precedent_event {
  uint64_t struct_size;
  precedent_text job;
  int32_t attempt;
  int32_t kind;
  int32_t cause;
  int64_t time;
} precedent_event;

typedef struct precedent_guard {
  uint64_t opaque[8];
} precedent_guard;

const char *precedent_status_text(precedent_status status);
void precedent_free(char *text);
precedent_text precedent_c_string(const char *string);
precedent_status precedent_job_init(precedent_job *job, size_t size);
precedent_status precedent_job_check(const precedent_job *job, char **error);
precedent_status precedent_policy_load(const char *bytes, size_t size, precedent_policy **policy,
                                       char **issues);
precedent_status precedent_policy_close(precedent_policy *policy);
precedent_status precedent_policy_describe(const precedent_policy *policy,
                                           precedent_policy_info *info);
precedent_status precedent_evaluate(const precedent_policy *policy, const precedent_job *job,
                                    int64_t now, precedent_decision *decision);
precedent_status precedent_evaluate_array(const precedent_policy *policy,
                                          const precedent_job *jobs, size_t count, int64_t now,
                                          precedent_decision *decisions, size_t *bad);
size_t precedent_bound_size(const precedent_policy *policy);
precedent_status precedent_bind(const precedent_policy *policy, const precedent_job *job,
                                void *storage, size_t size);
precedent_status precedent_evaluate_bound(const precedent_policy *policy, const void *bound,
                                          int64_t now, precedent_decision *decision);
precedent_status precedent_explain(const precedent_policy *policy, const precedent_job *job,
                                   int64_t now, bool all, char **text);
precedent_status precedent_live_open(const precedent_live_options *options, precedent_live **live,
                                     char **error);
precedent_status precedent_live_close(precedent_live *live);
precedent_status precedent_live_publish(precedent_live *live, const precedent_policy *policy,
                                        bool allow_older);
precedent_status precedent_live_count(const precedent_live *live, precedent_live_counts *counts);
precedent_status precedent_live_read(precedent_live *live, precedent_guard *guard);
precedent_status precedent_guard_release(precedent_guard *guard);
precedent_status precedent_guard_evaluate(const precedent_guard *guard, const precedent_job *job,
                                          int64_t now, precedent_decision *decision);
precedent_status precedent_graph_open(const precedent_graph_options *options,
                                      precedent_graph **graph, char **error);
precedent_status precedent_graph_close(precedent_graph *graph);
precedent_status precedent_submission_init(precedent_submission *submission, size_t size);
precedent_status precedent_event_init(precedent_event *event, size_t size);
precedent_status precedent_graph_submit(precedent_graph *graph,
                                        const precedent_submission *submission, int *applied,
                                        char **error);
precedent_status precedent_graph_apply(precedent_graph *graph, const precedent_event *event,
                                       int *applied, char **error);
precedent_status precedent_graph_facts(const precedent_graph *graph, precedent_text id,
                                       precedent_lineage *facts);

#endif /* PRECEDENT_OLDER_H_ */
