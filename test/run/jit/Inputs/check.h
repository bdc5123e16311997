/* For programs with sessions: a failure that the test does not expect ends the program with its message. */
#include <stdio.h>
#include <stdlib.h>
#include <cairn/status.h>

static inline void check(enum cairn_status status, const char *error)
{
  if (status != CAIRN_OK) {
    fprintf(stderr, "error: %s (%s)\n", error, cairn_status_text(status));
    exit(1);
  }
}
