/* For the tests in C: a check that says where it failed and goes on. */
#ifndef PRECEDENT_TESTS_UNIT_C_CHECK_H_
#define PRECEDENT_TESTS_UNIT_C_CHECK_H_

#include <stdio.h>
#include <string.h>

static int check_failures = 0;

#define CHECK(condition)                                                       \
  do {                                                                         \
    if (!(condition)) {                                                        \
      printf("%s:%d: failed: %s\n", __FILE__, __LINE__, #condition);           \
      ++check_failures;                                                        \
    }                                                                          \
  } while (0)

#define CHECK_STATUS(call, expected)                                           \
  do {                                                                         \
    const int check_status_ = (int)(call);                                     \
    if (check_status_ != (int)(expected)) {                                    \
      printf("%s:%d: %s gave %d (%s)\n", __FILE__, __LINE__, #call,            \
             check_status_, precedent_status_text(check_status_));                   \
      ++check_failures;                                                        \
    }                                                                          \
  } while (0)

#define CHECK_TEXT(text, expected)                                             \
  do {                                                                         \
    const precedent_text check_text_ = (text);                                 \
    if (check_text_.size != strlen(expected) ||                                \
        (check_text_.size != 0 &&                                              \
         memcmp(check_text_.data, expected, check_text_.size) != 0)) {         \
      printf("%s:%d: %s is `%.*s`\n", __FILE__, __LINE__, #text,               \
             (int)check_text_.size, check_text_.size == 0 ? "" : check_text_.data); \
      ++check_failures;                                                        \
    }                                                                          \
  } while (0)

#endif /* PRECEDENT_TESTS_UNIT_C_CHECK_H_ */
