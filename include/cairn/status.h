/* SPDX-License-Identifier: Apache-2.0
 *
 * The one way to fail. A public function that can fail returns an enum cairn_status: CAIRN_OK, or
 * one of the negative values that its comment names; results go through pointers, and are null or
 * untouched after a failure, as the comment says. Its text names the kind; where there is more to
 * say (a place, a name), the function says it besides: in diagnostics, or in a message.
 *
 *   enum cairn_status status = cairn_code_region_add(&manager, start, end, data);
 *   if (status != CAIRN_OK)
 *     fprintf(stderr, "no region: %s\n", cairn_status_text(status));
 *
 * Compare with CAIRN_OK: it is 0, so a status must not be taken for a bool.
 *
 * A function returns a bool where "no" is no failure: is the walk past its end, is there a further
 * record, is a span open. A function with neither cannot fail; where memory is
 * exhausted and no MEMORY is named, the process ends with a message. In comments statuses stand
 * without CAIRN_E_.
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

/* One sentence without a full stop; static text. Null if it is no status. Any thread, any phase, a
 * signal handler's too. */
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
