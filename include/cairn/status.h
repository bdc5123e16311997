/* SPDX-License-Identifier: Apache-2.0
 *
 * Statuses: the only form of failure. A public function that can fail returns an enum cairn_status: CAIRN_OK, or one of
 * the negative values that its comment names. Results go through pointers; after a failure they are null or untouched,
 * as the comment says. The status's text names the kind of failure; details (a place, a name) come from the function
 * itself, in diagnostics or in a message.
 *
 *   enum cairn_status status = cairn_code_region_add(&manager, start, end, data);
 *   if (status != CAIRN_OK)
 *     fprintf(stderr, "region refused: %s\n", cairn_status_text(status));
 *
 * Compare with CAIRN_OK: it is 0, so `if (status)` tests for a failure.
 *
 * A function returns a bool if both answers are success: whether the walk is past its end, a further record follows, a
 * span is open. A function that returns neither always succeeds; if memory is exhausted and its comment lacks MEMORY,
 * the process ends with a message. In comments statuses stand without CAIRN_E_.
 */
#ifndef CAIRN_STATUS_H
#define CAIRN_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

enum cairn_status {
  CAIRN_OK = 0,
#define CAIRN_STATUS(name, value, text) CAIRN_E_##name = value,
#include <cairn/status.def>
#undef CAIRN_STATUS
};

/* A sentence minus its full stop; static text. Null for other values than statuses. Any thread, any phase, also in a
 * signal handler. */
static inline const char *cairn_status_text(enum cairn_status status)
{
  switch (status) {
  case CAIRN_OK:
    return "no error";
#define CAIRN_STATUS(name, value, text) \
  case CAIRN_E_##name: \
    return text;
#include <cairn/status.def>
#undef CAIRN_STATUS
  }
  return 0;
}

#ifdef __cplusplus
}
#endif

#endif
