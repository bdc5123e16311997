/* SPDX-License-Identifier: Apache-2.0
 *
 * JSON on standard output.
 */
#ifndef CN_DRIVER_TOOL_JSON_H
#define CN_DRIVER_TOOL_JSON_H

/* A string with its quotes; what is no UTF-8 in it becomes U+FFFD. */
void cn_json_string(const char *text);

/* `, "name": "value"`; nothing if the value is null. */
void cn_json_field(const char *name, const char *value);

#endif
