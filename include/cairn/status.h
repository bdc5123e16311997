/* SPDX-License-Identifier: Apache-2.0
 *
 * Statuses: the only form of failure. A public function that can fail returns an enum cairn_status: CAIRN_OK, or one of
 * the negative values that its comment names. Functions store results through pointers; after a failure the results are
 * null or unchanged, as the comment says. The status's text names the kind of failure; the function itself reports
 * details, such as a place or a name, in diagnostics or in a message.
 *
 *   enum cairn_status status = cairn_code_region_add(&manager, start, end, data);
 *   if (status != CAIRN_OK)
 *     fprintf(stderr, "region refused: %s\n", cairn_status_text(status));
 *
 * CAIRN_OK is 0, so `if (status)` tests for a failure.
 *
 * A function returns a bool if both answers are success, for instance whether a walk is past its end or whether a
 * further record follows. A function that returns neither a status nor a bool always succeeds. If memory is exhausted
 * in a function whose comment lacks MEMORY, the process ends with a message. Comments name statuses without the prefix
 * CAIRN_E_.
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

/* The text of a status, a static sentence without its full stop; null for values that are not statuses. Any thread, any
 * phase, also in a signal handler. */
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
