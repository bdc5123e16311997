/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes one JSON document (RFC 8259), indented, in the order of the calls.
 *
 *   struct cn_json_writer json = {.out = stdout};
 *   cn_json_out_open_bracket(&json, NULL, '{');
 *   cn_json_out_write_string(&json, "file", path);
 *   cn_json_out_open_bracket(&json, "records", '[');
 *   ...
 *   cn_json_out_close_bracket(&json);
 *   cn_json_out_close_bracket(&json);
 *
 * Names are null for the elements of an array. Numbers of 64 bits are written as they are: readers that take numbers
 * for doubles lose digits above 2^53.
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
  unsigned depth, on_line; /* the open brackets; the depth from where on all is on one line, or 0 */
  bool is_not_first[CN_JSON_OUT_MAX_DEPTH];
  char closing[CN_JSON_OUT_MAX_DEPTH];
};

/* Open an object ('{') or an array ('['); on_line() puts all of it on one line. Closing the last
 * one ends the document and its last line. */
void cn_json_out_open_bracket(struct cn_json_writer *json, const char *name, char bracket);
void cn_json_out_open_on_line(struct cn_json_writer *json, const char *name, char bracket);
void cn_json_out_close_bracket(struct cn_json_writer *json);

void cn_json_out_write_number(struct cn_json_writer *json, const char *name, uint64_t value);
void cn_json_out_write_signed(struct cn_json_writer *json, const char *name, int64_t value);
void cn_json_out_write_bool(struct cn_json_writer *json, const char *name, bool value);
void cn_json_out_write_null(struct cn_json_writer *json, const char *name);
/* Null `text` is null. Bytes outside UTF-8 become U+FFFD. */
void cn_json_out_write_string(struct cn_json_writer *json, const char *name, const char *text);

/* Several members at once; they follow the names of their kinds. */
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
/* A number, or null if it is unknown. */
#define CN_NUMBER_IF(name, known, value) {name, (known) ? CN_JSON_NUMBER : CN_JSON_NULL, value, NULL}
/* Left out if it is 0, or null. */
#define CN_NUMBER_OR_NOT(name, value) {name, (value) ? CN_JSON_NUMBER : CN_JSON_OMITTED, value, NULL}
#define CN_STRING_OR_NOT(name, value) {name, (value) ? CN_JSON_STRING : CN_JSON_OMITTED, 0, value}
void cn_json_out_write_members(struct cn_json_writer *json, const struct cn_json_member *members, size_t count);
#define CN_MEMBERS(json, ...) \
  cn_json_out_write_members(json, (const struct cn_json_member[]){__VA_ARGS__}, \
                            sizeof(const struct cn_json_member[]){__VA_ARGS__} / sizeof(struct cn_json_member))
/* An object of these members, on one line. */
#define CN_ROW(json, name, ...) \
  do { \
    cn_json_out_open_on_line(json, name, '{'); \
    CN_MEMBERS(json, __VA_ARGS__); \
    cn_json_out_close_bracket(json); \
  } while (0)

/* Write only the text and its quotes, for callers whose output is another kind of document. */
void cn_json_out_write_text(FILE *out, const char *text);

#endif
