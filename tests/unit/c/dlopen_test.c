/* A program that loads the library, lets go of it and loads it again, as one with plugins
 * does. The argument is the library's file. */
#include <dlfcn.h>

#include "check.h"
#include "precedent/c.h"

/* ISO C knows no way from an object's pointer to a function's. */
static void find(void *library, const char *name, void *function) {
  void *found = dlsym(library, name);
  CHECK(found != NULL);
  memcpy(function, &found, sizeof found);
}

int main(int argc, char **argv) {
  static const char text[] = "stages { rules { id: \"a\" set: 7 } }";
  int i;
  if (argc != 2) return 2;
  for (i = 0; i < 3; ++i) {
    precedent_status (*load)(const char *, size_t, precedent_policy **, char **);
    precedent_status (*close)(precedent_policy *);
    precedent_policy *policy;
    void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
      printf("%s\n", dlerror());
      return 1;
    }
    find(library, "precedent_policy_load", &load);
    find(library, "precedent_policy_close", &close);
    CHECK(load(text, sizeof text - 1, &policy, NULL) == PRECEDENT_OK);
    CHECK(close(policy) == PRECEDENT_OK);
    CHECK(dlclose(library) == 0);
  }
  return check_failures != 0;
}
