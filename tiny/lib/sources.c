/* SPDX-License-Identifier: Apache-2.0
 *
 * The sources of the library that are written in tiny. Native code, stateless.
 */
#include "tiny/lib/library.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const char json[] = {
#embed "json.tiny"
    , 0};

static const char prelude[] = {
#embed "prelude.tiny"
    , 0};

const struct tiny_library_source tiny_library_sources[] = {
    {"json", json, sizeof json - 1},
    {"prelude", prelude, sizeof prelude - 1},
    {NULL, NULL, 0},
};
