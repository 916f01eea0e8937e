/* The priority of jobs that are told as JSON, in C.
 *
 *   cc -std=c99 derive.c $(pkg-config --cflags --libs precedent-c) -o derive
 *   ./derive POLICY FILE...
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "precedent/c.h"

/* The caller frees what is returned; NULL: the file cannot be read. */
static char *read_file(const char *name, size_t *size) {
  enum { STEP = 1 << 16 };
  FILE *file = fopen(name, "rb");
  char *bytes = NULL;
  char *more = NULL;
  *size = 0;
  if (file == NULL) return NULL;
  while ((more = realloc(bytes, *size + STEP)) != NULL) {
    size_t n;
    bytes = more;
    n = fread(bytes + *size, 1, STEP, file);
    *size += n;
    if (n < STEP) break;
  }
  if (more == NULL || ferror(file)) {
    free(bytes);
    bytes = NULL;
  }
  fclose(file);
  return bytes;
}

/* Says what is wrong, and frees it. */
static int fail(const char *name, precedent_status status, char *error) {
  fprintf(stderr, "%s: %s\n", name, error != NULL ? error : precedent_status_text(status));
  precedent_free(error);
  return 1;
}

static int derive(const precedent_policy *policy, const precedent_adapter *adapter,
                  const char *name) {
  size_t size;
  char *json = read_file(name, &size);
  char *error;
  precedent_description *described;
  precedent_description_info info;
  precedent_decision decision;
  precedent_status status;

  if (json == NULL) return fail(name, PRECEDENT_UNREADABLE, NULL);
  status = precedent_describe_json(adapter, json, size, &described, &error);
  free(json);
  if (status != PRECEDENT_OK) return fail(name, status, error);

  info.struct_size = sizeof info;
  decision.struct_size = sizeof decision;
  precedent_description_describe(described, &info);
  status = precedent_evaluate(policy, precedent_description_job(described),
                              (int64_t)time(NULL) * 1000000, &decision);
  if (status == PRECEDENT_OK)
    printf("%.*s: priority %d, class `%.*s`\n", (int)info.name.size, info.name.data,
           (int)decision.priority, (int)decision.priority_class.size,
           decision.priority_class.data);
  else
    fail(name, status, NULL);
  precedent_description_close(described);
  return status != PRECEDENT_OK;
}

int main(int argc, char **argv) {
  precedent_policy *policy;
  precedent_adapter *adapter;
  precedent_status status;
  char *text;
  int failed = 0;
  int i;

  if (argc < 3) {
    fprintf(stderr, "usage: derive POLICY FILE...\n");
    return 2;
  }
  status = precedent_policy_load_file(argv[1], &policy, &text);
  if (status != PRECEDENT_OK) {
    fail(argv[1], status, text);
    return 2;
  }
  if (text != NULL) fputs(text, stderr); /* warnings and notes */
  precedent_free(text);
  status = precedent_adapter_open(NULL, 0, &adapter, &text);
  if (status != PRECEDENT_OK) return fail("adapter", status, text);
  for (i = 2; i < argc; ++i) failed |= derive(policy, adapter, argv[i]);
  precedent_adapter_close(adapter);
  precedent_policy_close(policy);
  return failed;
}
