/* SPDX-License-Identifier: Apache-2.0
 *
 * The mappings of the process. Private to runtime/os.
 */
#ifndef CN_RUNTIME_OS_MAPS_H
#define CN_RUNTIME_OS_MAPS_H

#include <stdbool.h>
#include <stdint.h>

struct cn_mapping {
  uintptr_t start, end;
  bool may_read, may_write, may_execute;
  const char *file; /* null: no file, or too long a name; valid until the callback returns */
};

/* Call back for each mapping, in the order of addresses, until the callback returns true. False: no callback returned
 * true. Async-signal-safe. */
bool cn_os_visit_mappings(bool (*found)(void *env, const struct cn_mapping *mapping), void *env);

#endif
