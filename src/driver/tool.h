/* SPDX-License-Identifier: Apache-2.0
 *
 * What the drivers share.
 */
#ifndef CN_DRIVER_TOOL_H
#define CN_DRIVER_TOOL_H

#include <cairn/compile.h>

/* A diagnostics handler that prints "file:line:col: error: message [rule]" to stderr as clang does. */
void cn_tool_diagnose(void *env, const struct cairn_diagnostic *diagnostic);

#endif
