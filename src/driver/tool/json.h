/* SPDX-License-Identifier: Apache-2.0
 *
 * JSON on standard output.
 */
#ifndef CN_DRIVER_TOOL_JSON_H
#define CN_DRIVER_TOOL_JSON_H

/* Print a string with its quotes; bytes that are not UTF-8 become U+FFFD. */
void cn_json_string(const char *text);

/* Print `, "name": "value"`; nothing if the value is null. */
void cn_json_field(const char *name, const char *value);

#endif
