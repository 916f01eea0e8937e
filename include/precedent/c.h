/* precedent from C, and from whatever calls C: one shared library, libprecedent.
 *
 *   precedent_policy *policy;
 *   char *issues;
 *   precedent_status status = precedent_policy_load_file("policy.txtpb", &policy, &issues);
 *   if (issues != NULL) fputs(issues, stderr);
 *   precedent_free(issues);
 *   ...
 *   precedent_job job;
 *   precedent_decision decision;
 *   precedent_job_init(&job, sizeof job);
 *   job.team = precedent_c_string("search");
 *   job.gpu_count = 8;
 *   decision.struct_size = sizeof decision;
 *   status = precedent_evaluate(policy, &job, now, &decision);
 *
 * ERRORS. Functions that can fail return a precedent_status; no call throws, prints, ends
 * the process or sets errno on purpose. `char **error` (may be NULL) gets a sentence that
 * says what is wrong, where, and what to do, or NULL on success and where there is no
 * memory for it; precedent_free frees it. Out parameters are set in every case: a handle to
 * NULL on errors. Evaluation needs no memory; what loads, describes or reviews stands on
 * libraries that end the process where memory ends.
 *
 * STRUCTS carry their size, so that a program and a library of different releases work
 * together: fields are only ever added at the end. The library takes what a shorter struct
 * lacks as absent, writes no more than the struct holds, and refuses a longer one only
 * where it says something that this library does not know.
 *
 * MEMORY. What the caller passes is borrowed for the call. What is returned as a view
 * (precedent_text, const pointers) belongs to the handle that the comment names.
 *
 * THREADS. Handles are for any number of threads at once, but nobody may use a handle
 * while or after it is closed. In a debug build (without NDEBUG) of the library a closed
 * handle gives PRECEDENT_CLOSED; otherwise it is undefined, as is any wild pointer.
 *
 * One process holds one copy of precedent's messages: do not link precedent::proto, or what
 * needs it, into a program that loads this library as well. precedent::evaluator is fine.
 */
#ifndef PRECEDENT_C_H_
#define PRECEDENT_C_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define PRECEDENT_API __attribute__((visibility("default")))
#else
#define PRECEDENT_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef enum precedent_status {
  PRECEDENT_OK = 0,
  PRECEDENT_NULL_ARGUMENT = 1,       /* a pointer that must not be NULL is */
  PRECEDENT_WRONG_SIZE = 2,          /* struct_size, a count or a length cannot be */
  PRECEDENT_NOT_UTF8 = 3,            /* a text is not UTF-8 */
  PRECEDENT_CLOSED = 4,              /* a handle that is closed, or of another kind */
  PRECEDENT_NO_MEMORY = 5,
  PRECEDENT_INVALID_POLICY = 6,      /* the issues say why */
  PRECEDENT_UNREADABLE = 7,          /* a file is missing, too large, not regular, forbidden */
  PRECEDENT_INVALID_INPUT = 8,       /* JSON, options, submission or event: the error says why */
  PRECEDENT_UNSUPPORTED = 9,         /* an object of a kind that no adapter knows */
  PRECEDENT_NOT_FOUND = 10,          /* unknown job or parent */
  PRECEDENT_PERMISSION_DENIED = 11,  /* a parent of another owner */
  PRECEDENT_ALREADY_EXISTS = 12,     /* the job, with other facts */
  PRECEDENT_EXHAUSTED = 13,          /* a limit is reached: the error, or the function, says which */
  PRECEDENT_OLDER_GENERATION = 14,   /* below the live policy's, and not told that this is meant */
  PRECEDENT_TIMED_OUT = 15,
  PRECEDENT_INTERNAL = 16            /* a fault of the library */
} precedent_status;

/* A sentence for people; static. An int, since any number is fine. */
PRECEDENT_API const char *precedent_status_text(int status);

/* The library's version, such as `0.1.0`; static. */
PRECEDENT_API const char *precedent_version(void);

/* Frees a text that a function of this library allocated. NULL is fine. */
PRECEDENT_API void precedent_free(char *text);

/* `size` bytes from `data`, not terminated. size 0: absent, whatever `data` is. */
typedef struct precedent_text {
  size_t size;
  const char *data;
} precedent_text;

/* A view of a terminated string; NULL becomes the absent text. */
PRECEDENT_API precedent_text precedent_c_string(const char *string);

/* ---- Jobs: what a rule may see. Meanings, units and limits: job_descriptor.h. ---- */

/* Microseconds since 1970-01-01 00:00 UTC; the library never asks for the time. */
#define PRECEDENT_NO_TIME INT64_MIN /* an absent time */
#define PRECEDENT_FOREVER INT64_MAX /* of valid_until: always */

/* Bits of precedent_job.claimed and precedent_decision.ignored_claims: 1 << PRECEDENT_TEAM, ... */
enum precedent_attribute {
  PRECEDENT_TEAM = 1,
  PRECEDENT_WORKLOAD_TYPE = 2,
  PRECEDENT_ENVIRONMENT = 3,
  PRECEDENT_NAMESPACE = 4,
  PRECEDENT_QUEUE = 5,
  PRECEDENT_USER = 6,
  PRECEDENT_IMAGE = 7,
  PRECEDENT_ACCELERATOR = 8,
  PRECEDENT_REQUESTED_CLASS = 9,
  PRECEDENT_KIND = 10,
  PRECEDENT_GPU_COUNT = 11,
  PRECEDENT_POD_COUNT = 12,
  PRECEDENT_DATASET_BYTES = 13,
  PRECEDENT_MAX_RUNTIME_SECONDS = 14,
  PRECEDENT_CHECKPOINT_INTERVAL_SECONDS = 15,
  PRECEDENT_WAIT_SECONDS = 16,
  PRECEDENT_PREEMPTIBLE = 17,
  PRECEDENT_LINEAGE = 18,
  PRECEDENT_LABELS = 19,
  PRECEDENT_METRICS = 20
};

typedef struct precedent_label {
  precedent_text key;
  precedent_text value; /* present even where empty */
} precedent_label;

typedef struct precedent_metric {
  precedent_text name;
  double value; /* NaN: absent */
} precedent_metric;

/* What came before a job. Counts are never negative. A part of precedent_job: it keeps its
 * size for ever. */
typedef struct precedent_lineage {
  int64_t failure_count;
  int64_t preemption_count;
  int64_t infrastructure_failure_count;
  int64_t attempt;
  int64_t depth;
  int64_t step;
  double predecessor_runtime_seconds; /* NaN: absent */
  double progress;                    /* 0 to 1; NaN: absent */
  double reported_priority;           /* NaN: absent */
  bool retry_of_preempted;
} precedent_lineage;

/* Fill it by precedent_job_init first: an absent number is a NaN, and 0 is a number. Texts
 * are UTF-8; labels and metrics may stand in any order, of duplicates the first counts. */
typedef struct precedent_job {
  uint64_t struct_size;
  const precedent_label *labels;
  size_t label_count;
  const precedent_metric *metrics;
  size_t metric_count;
  int64_t submitted; /* PRECEDENT_NO_TIME: absent */
  uint32_t claimed;  /* attributes whose values nobody verified */
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
  precedent_text accelerator;
  precedent_text requested_class;
  precedent_text kind;
} precedent_job;

/* Makes `*job` the job of which nothing is known. `size`: sizeof(precedent_job) of the
 * caller. WRONG_SIZE below 16 bytes, and above 64 KiB. */
PRECEDENT_API precedent_status precedent_job_init(precedent_job *job, size_t size);

/* Looks at every pointer, length and byte of the job's texts, and names the first that is
 * wrong. Linear in them. For finding out why an evaluation gave an error. */
PRECEDENT_API precedent_status precedent_job_check(const precedent_job *job, char **error);

/* ---- Policies ---- */

typedef struct precedent_policy precedent_policy;

/* Reads, checks and compiles a policy: text format, JSON, YAML or binary, by content. The
 * bytes need not outlive the call. `*issues` (NULL: not wanted) gets all that there is to
 * say, one line each with place and hint, errors, warnings and notes, or NULL. With errors
 * INVALID_POLICY: nothing half-valid is ever made. Linear in the policy. `*policy` is the
 * caller's, for precedent_policy_close. */
PRECEDENT_API precedent_status precedent_policy_load(const char *bytes, size_t size,
                                                     precedent_policy **policy, char **issues);

/* The same for a file. UNREADABLE, and why in `*issues`. A path has at most 4095 bytes. */
PRECEDENT_API precedent_status precedent_policy_load_file(const char *path,
                                                          precedent_policy **policy,
                                                          char **issues);

/* Frees the policy, and all views of it with it; a live policy made of it stays. NULL is
 * fine. */
PRECEDENT_API precedent_status precedent_policy_close(precedent_policy *policy);

/* Set struct_size; texts belong to the policy. */
typedef struct precedent_policy_info {
  uint64_t struct_size;
  int64_t generation;
  precedent_text name;
  precedent_text fingerprint; /* 32 hexadecimal digits */
  uint32_t rule_count;
  uint32_t class_count;
  bool lock_free; /* no pattern that needs RE2, which takes a lock and may allocate */
} precedent_policy_info;

PRECEDENT_API precedent_status precedent_policy_describe(const precedent_policy *policy,
                                                         precedent_policy_info *info);

/* ---- Decisions. Meanings: decision.h. ---- */

enum precedent_reason {
  PRECEDENT_DERIVED = 1,
  PRECEDENT_FALLBACK_NO_POLICY = 2,
  PRECEDENT_FALLBACK_INVALID_INPUT = 3
};

enum precedent_verdict { PRECEDENT_ALLOW = 1, PRECEDENT_DENY = 2 };

/* Set struct_size. Texts belong to the policy (or the guard, or the live policy). */
typedef struct precedent_decision {
  uint64_t struct_size;
  int32_t priority;
  int32_t preemption_priority;
  uint8_t reason;  /* enum precedent_reason */
  uint8_t verdict; /* enum precedent_verdict */
  bool preemptible;
  bool never_preempt_others;
  int32_t limit_runtime_seconds; /* 0: no limit */
  uint32_t ignored_claims;
  precedent_text priority_class;
  precedent_text share_identifier;
  precedent_text denial;
  int64_t valid_until; /* the same decision before this time */
  precedent_text policy_fingerprint;
} precedent_decision;

/* Decides about one job at `now`. Takes no lock and allocates nothing where the policy is
 * lock_free. Impossible numbers are no error: the decision is the policy's fallback with
 * FALLBACK_INVALID_INPUT.
 *
 * NULL_ARGUMENT, WRONG_SIZE (also a text above 2^40 bytes, a bool that is neither 0 nor 1),
 * NOT_UTF8: `*decision`, if there is one, is that same fallback; precedent_job_check says
 * what is wrong. Texts that no rule of the policy looks at are not looked at here either. */
PRECEDENT_API precedent_status precedent_evaluate(const precedent_policy *policy,
                                                  const precedent_job *job, int64_t now,
                                                  precedent_decision *decision);

/* The same for `count` jobs that stand struct_size bytes apart, which is the same for all;
 * likewise the decisions. One that is bad spoils no other: its decision is the fallback, and
 * the first such status is returned when all are done. `*bad` (may be NULL): its index, or
 * `count`. */
PRECEDENT_API precedent_status precedent_evaluate_array(const precedent_policy *policy,
                                                        const precedent_job *jobs, size_t count,
                                                        int64_t now, precedent_decision *decisions,
                                                        size_t *bad);

/* A job bound to one policy: its texts and numbers turned into what the rules ask for, so
 * that evaluating it again as time passes costs a fraction. `storage` is the caller's, at
 * least precedent_bound_size bytes, aligned to 8; it keeps nothing of the job and may be
 * copied. Errors as precedent_evaluate, and then `storage` is bound to nothing. */
PRECEDENT_API size_t precedent_bound_size(const precedent_policy *policy); /* 0: no policy */
PRECEDENT_API precedent_status precedent_bind(const precedent_policy *policy,
                                              const precedent_job *job, void *storage,
                                              size_t size);
/* CLOSED where `bound` is not bound to this very policy. */
PRECEDENT_API precedent_status precedent_evaluate_bound(const precedent_policy *policy,
                                                        const void *bound, int64_t now,
                                                        precedent_decision *decision);

/* Why: the story of the decision as lines of text, in `*text`, which the caller frees.
 * `all`: also the rules that did not apply. Allocates; linear in the policy. Errors as
 * precedent_evaluate, and NO_MEMORY. */
PRECEDENT_API precedent_status precedent_explain(const precedent_policy *policy,
                                                 const precedent_job *job, int64_t now, bool all,
                                                 char **text);

/* ---- A policy that is replaced while others evaluate with it: live_evaluator.h. ---- */

typedef struct precedent_live precedent_live;

/* Set struct_size, and zeros for what is to be as by default. */
typedef struct precedent_live_options {
  uint64_t struct_size;
  precedent_text fallback_class; /* of decisions while no policy is live; copied */
  int32_t fallback_priority;     /* likewise; there is no default: NULL options give 500 */
  uint32_t slots;                /* guards held at once before reads take a slower way */
  uint64_t max_retired;          /* replaced policies that may wait for their readers; 64 */
} precedent_live_options;

/* No policy is live yet. `options` may be NULL. `*live` is the caller's, for
 * precedent_live_close, before which all guards are released. */
PRECEDENT_API precedent_status precedent_live_open(const precedent_live_options *options,
                                                   precedent_live **live, char **error);
PRECEDENT_API precedent_status precedent_live_close(precedent_live *live);

/* Makes `policy` the live one for every read that begins after the return; the handle stays
 * the caller's, and may be closed at once. OLDER_GENERATION unless `allow_older`; EXHAUSTED
 * where too many replaced policies are still being read. Then nothing changed. Waits for
 * other publishers only. */
PRECEDENT_API precedent_status precedent_live_publish(precedent_live *live,
                                                      const precedent_policy *policy,
                                                      bool allow_older);

/* Waits until nobody reads a policy that was replaced before the call; TIMED_OUT after
 * `microseconds`. The caller must hold no guard on such a policy. */
PRECEDENT_API precedent_status precedent_live_synchronize(precedent_live *live,
                                                          int64_t microseconds);

/* Set struct_size. */
typedef struct precedent_live_counts {
  uint64_t struct_size;
  uint64_t published;
  uint64_t refused_older;
  uint64_t refused_exhausted;
  uint64_t retired;   /* replaced and not yet freed */
  uint64_t freed;
  uint64_t overflows; /* reads that found no free slot */
} precedent_live_counts;
PRECEDENT_API precedent_status precedent_live_count(const precedent_live *live,
                                                    precedent_live_counts *counts);

/* The policy that was live when the guard was taken, kept as it is until the guard is
 * released. The caller's memory, on the stack mostly; used by one thread at a time, neither
 * copied nor moved. Keep it only for as long as the work. */
typedef struct precedent_guard {
  uint64_t opaque[8];
} precedent_guard;

/* Wait-free: takes no lock, allocates nothing. Whatever stood in `*guard` is overwritten. */
PRECEDENT_API precedent_status precedent_live_read(precedent_live *live, precedent_guard *guard);
/* Ends it, and all views of its policy. CLOSED if it is released already, or a copy. */
PRECEDENT_API precedent_status precedent_guard_release(precedent_guard *guard);
/* The policy, as any function takes it; the guard's: not to be closed. NULL: none was live. */
PRECEDENT_API const precedent_policy *precedent_guard_policy(const precedent_guard *guard);
/* As precedent_evaluate; where no policy was live the fallback with FALLBACK_NO_POLICY. */
PRECEDENT_API precedent_status precedent_guard_evaluate(const precedent_guard *guard,
                                                        const precedent_job *job, int64_t now,
                                                        precedent_decision *decision);

/* ---- Lineage: what came before each job. Rules and limits: lineage.h. ---- */

typedef struct precedent_graph precedent_graph;

/* Set struct_size, and zeros for what is to be as by default. */
typedef struct precedent_graph_options {
  uint64_t struct_size;
  uint64_t max_jobs;             /* living and remembered together; 2^20 */
  int64_t retention_seconds;     /* of ended jobs; 7 days */
  int64_t retry_window_seconds;  /* in which a resubmission is a retry; 7 days */
} precedent_graph_options;

/* `options` may be NULL. `*graph` is the caller's, for precedent_graph_close. */
PRECEDENT_API precedent_status precedent_graph_open(const precedent_graph_options *options,
                                                    precedent_graph **graph, char **error);
PRECEDENT_API precedent_status precedent_graph_close(precedent_graph *graph);

enum precedent_relation {
  PRECEDENT_RETRY_OF = 1,
  PRECEDENT_DEPENDS_ON = 2,
  PRECEDENT_STEP_OF = 3
};

typedef struct precedent_parent {
  precedent_text id;
  int32_t relation; /* enum precedent_relation */
} precedent_parent;

/* Fill it by precedent_submission_init first. */
typedef struct precedent_submission {
  uint64_t struct_size;
  precedent_text id;          /* required; at most 512 bytes */
  precedent_text owner;       /* verified; at most 512 bytes */
  precedent_text lineage_key; /* by which resubmissions are found; absent: none */
  const precedent_parent *parents;
  size_t parent_count;
  int64_t submitted;          /* required */
  precedent_lineage carried;  /* what travelled with the job; zeros and NaN: nothing */
} precedent_submission;

enum precedent_event_kind {
  PRECEDENT_STARTED = 1,
  PRECEDENT_CHECKPOINTED = 2,
  PRECEDENT_PROGRESS = 3,
  PRECEDENT_SUCCEEDED = 4,
  PRECEDENT_FAILED = 5,
  PRECEDENT_PREEMPTED = 6,
  PRECEDENT_CANCELLED = 7
};

enum precedent_cause {
  PRECEDENT_CAUSE_UNKNOWN = 0,
  PRECEDENT_CAUSE_OWN = 1,
  PRECEDENT_CAUSE_INFRASTRUCTURE = 2
};

/* Fill it by precedent_event_init first. */
typedef struct precedent_event {
  uint64_t struct_size;
  precedent_text job;
  int32_t attempt; /* from 1; 0: the newest one known */
  int32_t kind;    /* enum precedent_event_kind */
  int32_t cause;   /* enum precedent_cause */
  int64_t time;    /* required */
  int64_t step;    /* below 0: not reported */
  double progress; /* 0 to 1; NaN: not reported */
  double reported_priority;
} precedent_event;

/* As precedent_job_init. */
PRECEDENT_API precedent_status precedent_submission_init(precedent_submission *submission,
                                                         size_t size);
PRECEDENT_API precedent_status precedent_event_init(precedent_event *event, size_t size);

typedef enum precedent_applied {
  PRECEDENT_CHANGED = 0,
  PRECEDENT_NOTHING_NEW = 1, /* a repetition, or about an attempt long superseded */
  PRECEDENT_KEPT = 2         /* about a job that is not known yet: applied when it is */
} precedent_applied;

/* Errors change nothing. `applied` may be NULL. INVALID_INPUT, NOT_FOUND,
 * PERMISSION_DENIED, ALREADY_EXISTS, EXHAUSTED as LineageGraph::Submit and Apply say. They
 * take one mutex. */
PRECEDENT_API precedent_status precedent_graph_submit(precedent_graph *graph,
                                                      const precedent_submission *submission,
                                                      precedent_applied *applied, char **error);
PRECEDENT_API precedent_status precedent_graph_apply(precedent_graph *graph,
                                                     const precedent_event *event,
                                                     precedent_applied *applied, char **error);
/* Moves the clock (never back) and forgets what is due. */
PRECEDENT_API precedent_status precedent_graph_advance(precedent_graph *graph, int64_t now);
/* What precedent_job.lineage takes. NOT_FOUND: the job is not known, and `*facts` are those
 * of a job that nothing came before. Wait-free; allocates nothing. */
PRECEDENT_API precedent_status precedent_graph_facts(const precedent_graph *graph,
                                                     precedent_text id,
                                                     precedent_lineage *facts);

/* ---- Adapters: Kubernetes objects and AWS Batch documents. kubernetes.h, aws_batch.h. ---- */

typedef struct precedent_adapter precedent_adapter;

/* `options`: precedent.v1.AdapterOptions as text, JSON or YAML; size 0: the defaults.
 * `*adapter` is the caller's, for precedent_adapter_close. */
PRECEDENT_API precedent_status precedent_adapter_open(const char *options, size_t size,
                                                      precedent_adapter **adapter, char **error);
PRECEDENT_API precedent_status precedent_adapter_close(precedent_adapter *adapter);

/* The answer of a mutating webhook to the body of an AdmissionReview request, one line of
 * JSON in `*answer`, which the caller frees. There is one to every body. `policy` NULL: the
 * options' fallback decides. Linear in the body, of which 7 MiB are read. */
PRECEDENT_API precedent_status precedent_review(const precedent_adapter *adapter,
                                                const precedent_policy *policy, const char *body,
                                                size_t size, int64_t now, char **answer);

typedef struct precedent_description precedent_description;

/* What a policy may see of the job that a document tells: a Kubernetes object or review, or
 * a request, job or event of AWS Batch about one job, as JSON. INVALID_INPUT names the path
 * of what is wrong; UNSUPPORTED the kind. Copies what it needs. `*description` is the
 * caller's, for precedent_description_close. */
PRECEDENT_API precedent_status precedent_describe_json(const precedent_adapter *adapter,
                                                       const char *json, size_t size,
                                                       precedent_description **description,
                                                       char **error);
PRECEDENT_API precedent_status precedent_description_close(precedent_description *description);

/* The job, with all that it borrows the description's; copy the struct to change it. NULL
 * for no description. */
PRECEDENT_API const precedent_job *precedent_description_job(
    const precedent_description *description);

/* Set struct_size; texts belong to the description. */
typedef struct precedent_description_info {
  uint64_t struct_size;
  precedent_text name;        /* for people, such as `namespace/name` */
  precedent_text id;          /* that the platform gave; absent before creation */
  precedent_text lineage_key;
  precedent_text remarks;     /* what a person should know, one line each */
  int64_t gang_pods;          /* pods of use only together; 1: each for itself */
} precedent_description_info;
PRECEDENT_API precedent_status precedent_description_describe(
    const precedent_description *description, precedent_description_info *info);

#ifdef __cplusplus
}
#endif

#endif /* PRECEDENT_C_H_ */
