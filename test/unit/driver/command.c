/* SPDX-License-Identifier: Apache-2.0
 *
 * The command line of cairn-cc: what is an input, what takes an argument, what is asked for. A word
 * taken for an input that is an option's argument would be compiled or linked; the other way round
 * it would be lost.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "driver/cc/command.h"
#include "driver/cc/cc_options.h"
#include "driver/cc/units.h"
#include "driver/tool.h"
#include "driver/tool/arguments.h"

static struct cn_command command;

/* Parse words that are separated by single spaces. */
static bool parse(const char *line)
{
  char *text = strdup(line);

  command = (struct cn_command){0};
  for (char *word = strtok(text, " "); word; word = strtok(NULL, " "))
    cn_push(&command.args, cn_command_format_string("%s", word));
  free(text);
  return cn_command_parse(&command);
}

/* The inputs, separated by spaces. */
static const char *inputs(void)
{
  static char text[256];

  text[0] = 0;
  for (size_t i = 0; i < command.items.count; i++) {
    if (!command.items.at[i].input)
      continue;
    strcat(text, *text ? " " : "");
    strcat(text, command.items.at[i].words[0]);
  }
  return text;
}

static void test_inputs(void **state)
{
  static const char *const lines[][2] = {
      {"-c a.c -o b.c", "a.c"},
      {"-ob.c a.c -I c.c -D d.c -include e.c", "a.c"},
      {"-Xclang a.c -Xlinker b.c -mllvm c.c -MF d.c -MT e.c -MQ f.c g.c", "g.c"},
      {"-isystem a -idirafter b -iquote c -L d -l e -u f -z g -T h -target i --sysroot j k.o", "k.o"},
      {"-x c a -xnone b.o -", "a b.o -"},
      {"-- -a.c -b", "-a.c -b"},
      {"-O2 -g -Wall -lm -L. -Wl,x a.c", "a.c"},
      {"-o", ""},
  };

  (void)state;
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
    assert_true(parse(lines[i][0]));
    assert_string_equal(inputs(), lines[i][1]);
    cn_command_free(&command);
  }
}

static enum cn_language language(const char *line)
{
  assert_true(parse(line));
  assert_int_equal(command.items.at[command.items.count - 1].input, true);
  enum cn_language found = command.items.at[command.items.count - 1].language;
  cn_command_free(&command);
  return found;
}

static void test_languages(void **state)
{
  (void)state;
  assert_int_equal(language("a.c"), CN_LANG_C);
  assert_int_equal(language("d.x/a.i"), CN_LANG_C);
  assert_int_equal(language("a.ll"), CN_LANG_IR);
  assert_int_equal(language("a.bc"), CN_LANG_IR);
  assert_int_equal(language("a.S"), CN_LANG_ASM);
  assert_int_equal(language("a.cc"), CN_LANG_FOREIGN);
  assert_int_equal(language("a.C"), CN_LANG_FOREIGN);
  assert_int_equal(language("a.h"), CN_LANG_HEADER);
  assert_int_equal(language("a.so.1"), CN_LANG_FOR_LINKER);
  assert_int_equal(language("dir.c/object"), CN_LANG_FOR_LINKER);
  assert_int_equal(language("-x ir -"), CN_LANG_IR);
  assert_int_equal(language("-x c a.cc"), CN_LANG_C);
  assert_int_equal(language("-x c -x none a.cc"), CN_LANG_FOREIGN);
  assert_int_equal(language("-x rust a.rs"), CN_LANG_FOREIGN);
}

static enum cn_mode mode(const char *line)
{
  assert_true(parse(line));
  cn_command_free(&command);
  return command.mode;
}

static void test_modes(void **state)
{
  (void)state;
  assert_int_equal(mode("a.c"), CN_MODE_LINK);
  assert_int_equal(mode("-c a.c"), CN_MODE_OBJECT);
  assert_int_equal(mode("-S a.c"), CN_MODE_ASSEMBLY);
  /* Not the last one: the earliest phase. */
  assert_int_equal(mode("-S -c a.c"), CN_MODE_ASSEMBLY);
  assert_int_equal(mode("-c -S a.c"), CN_MODE_ASSEMBLY);
  assert_int_equal(mode("-E -c a.c"), CN_MODE_CLANG_ALONE);
  assert_int_equal(mode("-c -MM a.c"), CN_MODE_CLANG_ALONE);
  assert_int_equal(mode("-fsyntax-only a.c -S"), CN_MODE_CLANG_ALONE);
}

static void check_level(const char *line, unsigned opt, unsigned size)
{
  assert_true(parse(line));
  assert_int_equal(command.compile.opt_level, opt);
  assert_int_equal(command.compile.size_level, size);
  cn_command_free(&command);
}

static void test_levels(void **state)
{
  (void)state;
  check_level("a.c", 0, 0);
  check_level("-O a.c", 1, 0);
  check_level("-O2 -O0 a.c", 0, 0);
  check_level("-O1 -Os a.c", 2, 1);
  check_level("-Oz a.c", 2, 2);
  check_level("-Os -O3 a.c", 3, 0);
  check_level("-Og a.c", 1, 0);
  check_level("-Ofast a.c", 3, 0);
  check_level("-O9 a.c", 3, 0);
}

static enum cn_debug debug(const char *line)
{
  assert_true(parse(line));
  cn_command_free(&command);
  return command.debug;
}

static void test_debug(void **state)
{
  (void)state;
  assert_int_equal(debug("a.c"), CN_DEBUG_NONE);
  assert_int_equal(debug("-g a.c"), CN_DEBUG_FULL);
  assert_int_equal(debug("-g -g0 a.c"), CN_DEBUG_NONE);
  assert_int_equal(debug("-g1 a.c"), CN_DEBUG_LINES);
  assert_int_equal(debug("-gdwarf-5 a.c"), CN_DEBUG_FULL);
  assert_int_equal(debug("-gline-tables-only a.c"), CN_DEBUG_LINES);
  assert_int_equal(debug("-gz -gsplit-dwarf -gno-column-info a.c"), CN_DEBUG_NONE);
}

static void test_own(void **state)
{
  (void)state;
  assert_true(parse("-fcairn-safepoints=early a.c"));
  assert_int_equal(command.compile.safepoints, CAIRN_SAFEPOINTS_EARLY);
  assert_true(command.compile.manage_all && command.native_units);
  cn_command_free(&command);
  assert_true(parse("-fcairn-manage=all a.c"));
  assert_true(command.compile.manage_all && !command.native_units);
  cn_command_free(&command);
  assert_true(parse("-fcairn-manage=marked a.c"));
  assert_false(command.compile.manage_all || command.native_units);
  cn_command_free(&command);

  assert_int_equal(dup2(fileno(tmpfile()), STDERR_FILENO), STDERR_FILENO); /* messages are tested elsewhere */
  assert_false(parse("-fcairn-safepoints=late2 a.c"));
  cn_command_free(&command);
  assert_false(parse("-fcairn-unheard-of a.c"));
  cn_command_free(&command);
}

/* ---- response files ---- */

static void write_file(const char *path, const char *text)
{
  FILE *file = fopen(path, "w");

  assert_non_null(file);
  fputs(text, file);
  assert_int_equal(fclose(file), 0);
}

static void check_response(const char *text, const char *const *expected, size_t count)
{
  char path[] = "cairn-unit-XXXXXX"; /* in the working directory */
  struct cn_words words = {0};

  close(mkstemp(path));
  write_file(path, text);
  cn_response_expand_arguments(2, (char *[]){(char *)"cairn-cc", (char *)cn_command_format_string("@%s", path)},
                               &words);
  unlink(path);
  assert_int_equal(words.count, count);
  for (size_t i = 0; i < count; i++) {
    assert_string_equal(words.at[i], expected[i]);
  }
  cn_free(&words);
}

static void test_response(void **state)
{
  (void)state;
  check_response("", NULL, 0);
  check_response("  \n\t ", NULL, 0);
  check_response("a 'b c' \"d \\\" e\"\nf\\ g 'h\\i' \"\" j'k'l\\\\",
                 (const char *const[]){"a", "b c", "d \" e", "f g", "h\\i", "", "jkl\\"}, 7);
  check_response("'open", (const char *const[]){"open"}, 1);
  check_response("end\\", (const char *const[]){"end\\"}, 1);
  check_response("@/no/such/file", (const char *const[]){"@/no/such/file"}, 1);
}

/* ---- validators ---- */

/* PLANT: does the validator find it if `place` has this value? */
#define PLANT(place, value, wrong) \
  do { \
    __typeof__(place) before = (place); \
    assert_null(wrong); \
    (place) = (value); \
    assert_non_null(wrong); \
    (place) = before; \
  } while (0)

static void test_command_validator(void **state)
{
  (void)state;
  assert_true(parse("-fPIC -o out a.c b.o"));
  struct cn_command_item *option = &command.items.at[1], *input = &command.items.at[2];
  PLANT(option->count, 3, cn_command_wrong(&command));
  PLANT(option->words, option->words - 1, cn_command_wrong(&command));
  PLANT(input->count, 0, cn_command_wrong(&command));
  PLANT(input->to_link, true, cn_command_wrong(&command));
  PLANT(input->input, false, cn_command_wrong(&command));
  PLANT(command.args.count, 3, cn_command_wrong(&command));
  PLANT(command.no_pic, true, cn_command_wrong(&command));
  command.lto = true;
  PLANT(command.refused_lto, "-flto=thin", cn_command_wrong(&command));
  cn_command_free(&command);
}

static void test_options_validator(void **state)
{
  struct cn_option rows[] = {{"-fcairn-", CN_SHAPE_PREFIX, CN_EFFECT_OWN},
                             {"-ab", CN_SHAPE_FLAG, CN_EFFECT_KEEP},
                             {"-a", CN_SHAPE_PREFIX, CN_EFFECT_KEEP}};

  (void)state;
  PLANT(rows[1].name, "ab", cn_options_wrong(rows, 3));
  PLANT(rows[1].name, "-", cn_options_wrong(rows, 3));
  PLANT(rows[1].name, "-fcairn-a", cn_options_wrong(rows, 3));
  PLANT(rows[0].shape, CN_SHAPE_FLAG, cn_options_wrong(rows, 3));
}

static void test_unit_validator(void **state)
{
  struct cn_unit unit;

  (void)state;
  assert_true(parse("-c a.c"));
  assert_true(cn_unit_plan(&command, &command.items.at[1], &unit));
  PLANT(unit.item, &command.items.at[0], cn_unit_wrong(&unit));
  PLANT(unit.language, CN_LANG_ASM, cn_unit_wrong(&unit));
  PLANT(unit.output, NULL, cn_unit_wrong(&unit));
  PLANT(unit.bitcode, NULL, cn_unit_wrong(&unit));
  PLANT(unit.front_end.at[unit.front_end.count - 1], "b.c", cn_unit_wrong(&unit));
  PLANT(unit.native.at[unit.native.count - 1], "b.c", cn_unit_wrong(&unit));
  PLANT(unit.front_end.count, 0, cn_unit_wrong(&unit));
  cn_unit_free(&unit);
  cn_command_free(&command);
}

/* ---- arguments of subcommands ---- */

static void test_arguments_validator(void **state)
{
  struct option options[] = {
      {"json", no_argument, NULL, 'j'}, {"out", required_argument, NULL, 'o'}, CN_ARGUMENTS_COMMON};
  struct cn_arguments arguments = {
      .help = "usage: x [--json] -o FILE\n  --help, --version\n", .letters = "ho:", .options = options};

  (void)state;
  PLANT(options[0].name, "jso", cn_arguments_wrong(&arguments));
  PLANT(options[1].val, 'q', cn_arguments_wrong(&arguments));
  PLANT(arguments.letters, "o:", cn_arguments_wrong(&arguments));
  PLANT(arguments.help, "usage: x --json -o FILE --help", cn_arguments_wrong(&arguments));
  PLANT(options[3].val, 'x', cn_arguments_wrong(&arguments));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_inputs),
      cmocka_unit_test(test_languages),
      cmocka_unit_test(test_modes),
      cmocka_unit_test(test_levels),
      cmocka_unit_test(test_debug),
      cmocka_unit_test(test_own),
      cmocka_unit_test(test_response),
      cmocka_unit_test(test_command_validator),
      cmocka_unit_test(test_options_validator),
      cmocka_unit_test(test_unit_validator),
      cmocka_unit_test(test_arguments_validator),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
