/* SPDX-License-Identifier: Apache-2.0
 *
 * The JSON writer: layout, and text that is no UTF-8, which names of symbols may be.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "object/print/json_out.h"

static void assert_text(const char *text, const char *written)
{
  char *bytes = NULL;
  size_t size;
  struct cn_json_writer json = {.out = open_memstream(&bytes, &size)};

  cn_json_out_open_on_line(&json, NULL, '[');
  cn_json_out_write_string(&json, NULL, text);
  cn_json_out_close_bracket(&json);
  fclose(json.out);
  assert_string_equal(bytes, written);
  free(bytes);
}

static void strings(void **state)
{
  (void)state;
  assert_text("plain", "[\"plain\"]\n");
  assert_text(NULL, "[null]\n");
  assert_text("\" \\ \n \x01 \x7f", "[\"\\\" \\\\ \\u000a \\u0001 \x7f\"]\n");
  assert_text("\xc3\xbc \xe2\x82\xac \xf0\x9f\x98\x80", "[\"\xc3\xbc \xe2\x82\xac \xf0\x9f\x98\x80\"]\n");
  /* A byte that begins nothing, a sequence cut off, an overlong one, half of a surrogate pair, one
   * beyond the last character. */
  assert_text("a\xff", "[\"a\\ufffd\"]\n");
  assert_text("\xe2\x82", "[\"\\ufffd\\ufffd\"]\n");
  assert_text("\xc0\x80", "[\"\\ufffd\\ufffd\"]\n");
  assert_text("\xed\xa0\x80", "[\"\\ufffd\\ufffd\\ufffd\"]\n");
  assert_text("\xf4\x90\x80\x80", "[\"\\ufffd\\ufffd\\ufffd\\ufffd\"]\n");
}

static void layout(void **state)
{
  char *bytes = NULL;
  size_t size;
  struct cn_json_writer json = {.out = open_memstream(&bytes, &size)};

  (void)state;
  cn_json_out_open_bracket(&json, NULL, '{');
  cn_json_out_open_bracket(&json, "empty", '[');
  cn_json_out_close_bracket(&json);
  cn_json_out_open_on_line(&json, "line", '{');
  cn_json_out_write_number(&json, "n", UINT64_MAX);
  cn_json_out_open_bracket(&json, "deep", '[');
  cn_json_out_write_signed(&json, NULL, INT64_MIN);
  cn_json_out_write_bool(&json, NULL, true);
  cn_json_out_close_bracket(&json);
  cn_json_out_write_null(&json, "nothing");
  cn_json_out_close_bracket(&json);
  cn_json_out_open_bracket(&json, "list", '[');
  cn_json_out_write_number(&json, NULL, 1);
  cn_json_out_write_number(&json, NULL, 2);
  cn_json_out_close_bracket(&json);
  cn_json_out_close_bracket(&json);
  fclose(json.out);
  assert_string_equal(bytes, "{\n"
                             "  \"empty\": [],\n"
                             "  \"line\": {\"n\": 18446744073709551615, "
                             "\"deep\": [-9223372036854775808, true], \"nothing\": null},\n"
                             "  \"list\": [\n"
                             "    1,\n"
                             "    2\n"
                             "  ]\n"
                             "}\n");
  free(bytes);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(strings), cmocka_unit_test(layout)};

  return cmocka_run_group_tests(tests, NULL, NULL);
}
