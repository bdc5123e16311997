/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes one indented JSON document (RFC 8259) in the order of the calls.
 *
 *   struct cn_json_writer json = {.out = stdout};
 *   cn_json_out_open_bracket(&json, NULL, '{');
 *   cn_json_out_write_string(&json, "file", path);
 *   cn_json_out_open_bracket(&json, "records", '[');
 *   ...
 *   cn_json_out_close_bracket(&json);
 *   cn_json_out_close_bracket(&json);
 *
 * Names are null for the elements of an array. Numbers have up to 64 bits, so a reader that converts numbers to doubles
 * loses digits above 2^53.
 */
#ifndef CN_OBJECT_PRINT_JSON_OUT_H
#define CN_OBJECT_PRINT_JSON_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { CN_JSON_OUT_MAX_DEPTH = 16 };

struct cn_json_writer {
  FILE *out;
  unsigned depth, on_line; /* depth: number of open brackets; on_line: the depth whose contents are on one line, or 0 */
  bool is_not_first[CN_JSON_OUT_MAX_DEPTH];
  char closing[CN_JSON_OUT_MAX_DEPTH];
};

/* Open an object ('{') or an array ('['). on_line() writes the complete value on one line. Closing the last bracket
 * ends the document and its last line. */
void cn_json_out_open_bracket(struct cn_json_writer *json, const char *name, char bracket);
void cn_json_out_open_on_line(struct cn_json_writer *json, const char *name, char bracket);
void cn_json_out_close_bracket(struct cn_json_writer *json);

void cn_json_out_write_number(struct cn_json_writer *json, const char *name, uint64_t value);
void cn_json_out_write_signed(struct cn_json_writer *json, const char *name, int64_t value);
void cn_json_out_write_bool(struct cn_json_writer *json, const char *name, bool value);
void cn_json_out_write_null(struct cn_json_writer *json, const char *name);
/* Write a string, or null if `text` is null. Bytes outside UTF-8 become U+FFFD. */
void cn_json_out_write_string(struct cn_json_writer *json, const char *name, const char *text);

/* A member of an object. Several members are written by one call. */
struct cn_json_member {
  const char *name;
  enum { CN_JSON_NUMBER, CN_JSON_SIGNED, CN_JSON_BOOL, CN_JSON_STRING, CN_JSON_NULL, CN_JSON_OMITTED } kind;
  uint64_t number;
  const char *text;
};
#define CN_NUMBER(name, value) {name, CN_JSON_NUMBER, value, NULL}
#define CN_SIGNED(name, value) {name, CN_JSON_SIGNED, (uint64_t)(int64_t)(value), NULL}
#define CN_BOOL(name, value) {name, CN_JSON_BOOL, value, NULL}
#define CN_STRING(name, value) {name, CN_JSON_STRING, 0, value}
/* A number member, which is null if `known` is false. */
#define CN_NUMBER_IF(name, known, value) {name, (known) ? CN_JSON_NUMBER : CN_JSON_NULL, value, NULL}
/* A member that is omitted if its value is 0 or null. */
#define CN_NUMBER_OR_NOT(name, value) {name, (value) ? CN_JSON_NUMBER : CN_JSON_OMITTED, value, NULL}
#define CN_STRING_OR_NOT(name, value) {name, (value) ? CN_JSON_STRING : CN_JSON_OMITTED, 0, value}
void cn_json_out_write_members(struct cn_json_writer *json, const struct cn_json_member *members, size_t count);
#define CN_MEMBERS(json, ...) \
  cn_json_out_write_members(json, (const struct cn_json_member[]){__VA_ARGS__}, \
                            sizeof(const struct cn_json_member[]){__VA_ARGS__} / sizeof(struct cn_json_member))
/* Write an object with these members on one line. */
#define CN_ROW(json, name, ...) \
  do { \
    cn_json_out_open_on_line(json, name, '{'); \
    CN_MEMBERS(json, __VA_ARGS__); \
    cn_json_out_close_bracket(json); \
  } while (0)

/* Write only a quoted text, for callers that write other documents. */
void cn_json_out_write_text(FILE *out, const char *text);

#endif
