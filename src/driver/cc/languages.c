/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the language of an input, by -x or by the suffix of its name, and tells whether clang preprocesses the input.
 * Runs while the command is read and units are planned. Changes and prints nothing; the tables of names are constant.
 */
#include <string.h>
#include "driver/cc/command.h"

static const struct language_name {
  const char *name;
  enum cn_language language;
} suffix_languages[] = {{"c", CN_LANG_C},         {"i", CN_LANG_C},         {"ll", CN_LANG_IR},
                        {"bc", CN_LANG_IR},       {"s", CN_LANG_ASM},       {"S", CN_LANG_ASM},
                        {"sx", CN_LANG_ASM},      {"asm", CN_LANG_ASM},     {"cc", CN_LANG_FOREIGN},
                        {"cp", CN_LANG_FOREIGN},  {"cxx", CN_LANG_FOREIGN}, {"cpp", CN_LANG_FOREIGN},
                        {"CPP", CN_LANG_FOREIGN}, {"c++", CN_LANG_FOREIGN}, {"C", CN_LANG_FOREIGN},
                        {"CC", CN_LANG_FOREIGN},  {"CXX", CN_LANG_FOREIGN}, {"ii", CN_LANG_FOREIGN},
                        {"m", CN_LANG_FOREIGN},   {"mm", CN_LANG_FOREIGN},  {"M", CN_LANG_FOREIGN},
                        {"mi", CN_LANG_FOREIGN},  {"mii", CN_LANG_FOREIGN}, {"cu", CN_LANG_FOREIGN},
                        {"hip", CN_LANG_FOREIGN}, {"cl", CN_LANG_FOREIGN},  {"f", CN_LANG_FOREIGN},
                        {"f90", CN_LANG_FOREIGN}, {"F90", CN_LANG_FOREIGN}, {"cppm", CN_LANG_FOREIGN},
                        {"h", CN_LANG_HEADER},    {"H", CN_LANG_HEADER},    {"hh", CN_LANG_HEADER},
                        {"hpp", CN_LANG_HEADER},  {"hxx", CN_LANG_HEADER},  {"pcm", CN_LANG_HEADER},
                        {"pch", CN_LANG_HEADER}},
  x_option_languages[] = {{"c", CN_LANG_C},
                          {"cpp-output", CN_LANG_C},
                          {"ir", CN_LANG_IR},
                          {"assembler", CN_LANG_ASM},
                          {"assembler-with-cpp", CN_LANG_ASM},
                          {"c-header", CN_LANG_HEADER},
                          {"c++-header", CN_LANG_HEADER}};

static enum cn_language look_up_language(const struct language_name *names, size_t count, const char *name,
                                         enum cn_language otherwise)
{
  for (size_t i = 0; i < count; i++)
    if (strcmp(names[i].name, name) == 0)
      return names[i].language;
  return otherwise;
}

enum cn_language cn_languages_find(const char *path, const char *forced)
{
  if (forced)
    return look_up_language(x_option_languages, sizeof x_option_languages / sizeof *x_option_languages, forced,
                            CN_LANG_FOREIGN);
  const char *slash = strrchr(path, '/');
  const char *dot = strrchr(slash ? slash : path, '.');
  if (!dot)
    return CN_LANG_FOR_LINKER;
  return look_up_language(suffix_languages, sizeof suffix_languages / sizeof *suffix_languages, dot + 1,
                          CN_LANG_FOR_LINKER);
}

static bool ends_with(const char *text, const char *end)
{
  size_t length = strlen(text), own = strlen(end);

  return length >= own && strcmp(text + length - own, end) == 0;
}

bool cn_languages_needs_preprocessor(const struct cn_command_item *input)
{
  const char *path = input->words[0], *forced = input->forced;

  switch (input->language) {
  case CN_LANG_C:
    return forced ? strcmp(forced, "c") == 0 : !ends_with(path, ".i");
  case CN_LANG_ASM:
    return forced ? strcmp(forced, "assembler") != 0 : !ends_with(path, ".s");
  case CN_LANG_HEADER:
    return forced ? strcmp(forced, "c-header") == 0 : ends_with(path, ".h");
  case CN_LANG_FOR_LINKER: /* -E - */
    return strcmp(path, "-") == 0;
  case CN_LANG_IR:
  case CN_LANG_FOREIGN:
    return false;
  }
  return false;
}
