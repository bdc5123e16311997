/* SPDX-License-Identifier: Apache-2.0
 *
 * Handlers that print the results of cairn_time_to_safepoint() for `cairn verify --time-to-safepoint`. `env` is the
 * path of the module.
 */
#ifndef CN_DRIVER_TOOL_VERIFY_TIME_H
#define CN_DRIVER_TOOL_VERIFY_TIME_H

#include <cairn/compile.h>

void cn_verify_print_time(void *env, const struct cairn_time *time);
void cn_verify_print_time_json(void *env, const struct cairn_time *time);

#endif
