/* SPDX-License-Identifier: Apache-2.0
 *
 * For tests of validators: plant an error and expect a message. After cmocka.h.
 */
#ifndef CN_TEST_PLANT_H
#define CN_TEST_PLANT_H

#include <string.h>

static inline void found(const char *wrong, const char *message)
{
  if (wrong == NULL || strcmp(wrong, message) != 0)
    fail_msg("expected \"%s\", found \"%s\"", message, wrong != NULL ? wrong : "nothing");
}

/* Plant the error, expect `message` of the validator, mend it. */
#define PLANT(place, value, wrong, message) \
  do { \
    __typeof__(place) was = (place); \
    assert_null(wrong); \
    (place) = (value); \
    found((wrong), (message)); \
    (place) = was; \
    assert_null(wrong); \
  } while (0)

#endif
