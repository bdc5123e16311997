/* SPDX-License-Identifier: Apache-2.0
 *
 * Counts the stops of all threads that native code asks for. A test that includes this header also declares
 * __wrap_cn_native_stop_begin(), so that the build links it with --wrap (test/CMakeLists.txt).
 */
#ifndef TEST_UNIT_PATCH_COUNTED_STOPS_H
#define TEST_UNIT_PATCH_COUNTED_STOPS_H

#include <stdbool.h>
#include "runtime/threads/stop.h"

static unsigned stops;

bool __real_cn_native_stop_begin(void);
bool __wrap_cn_native_stop_begin(void)
{
  stops++;
  return __real_cn_native_stop_begin();
}

#endif
