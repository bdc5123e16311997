/* SPDX-License-Identifier: Apache-2.0
 *
 * Owns the runtime's options (`cn_options`), and parses them from the environment and from the program's limits. The
 * main thread parses in phase INIT; afterwards the options are constant, and any thread reads them without a lock. An
 * unknown name or a bad value is an error.
 */
#include "runtime/core/options.h"

#include <stdio.h>
#include <string.h>
#include "base/check.h"
#include "base/nearest.h"
#include "runtime/core/messages.h"
#include "runtime/os/os.h"

#define VARIABLE_PREFIX "CAIRN_"
enum { VARIABLE_PREFIX_LENGTH = sizeof VARIABLE_PREFIX - 1 }; /* each option's variable begins with the prefix */

struct cn_options cn_options;

enum kind { SIZE, COUNT, TIME, FLAG, TEXT, SET };

static const struct option_entry {
  const char *variable;
  enum kind kind;
  size_t offset, initial;
  const char *help;
} option_table[] = {
#define CN_OPTION(field_of_option, variable, kind, initial, help) \
  {variable, kind, offsetof(struct cn_options, field_of_option), initial, help},
#define CN_OPTION_WORDS(...)
#include "runtime/core/options.def"
#undef CN_OPTION
#undef CN_OPTION_WORDS
};
enum { OPTION_COUNT = sizeof option_table / sizeof *option_table };

/* The values of each SET: the variable, the noun that messages use, the accepted words. */
static const char *const option_words[][8] = {
#define CN_OPTION(...)
#define CN_OPTION_WORDS(...) {__VA_ARGS__},
#include "runtime/core/options.def"
#undef CN_OPTION
#undef CN_OPTION_WORDS
};

_Static_assert(sizeof option_words[0] / sizeof option_words[0][0] <= 8 * sizeof(size_t), "a bit for each word");

/* Returns the noun that messages use for a SET, followed by the accepted words. */
static const char *const *option_words_of(const char *variable)
{
  size_t i = 0;

  while (strcmp(option_words[i][0], variable) != 0) {
    i++;
    CN_CHECK(i < sizeof option_words / sizeof *option_words); /* fails if `option_words` lacks a SET of options.def */
  }
  return &option_words[i][1];
}

static size_t *field_of_option(struct cn_options *options, const struct option_entry *option)
{
  CN_ASSERT(option->offset % sizeof(size_t) == 0 && option->offset < sizeof *options);
  return (size_t *)((char *)options + option->offset);
}

static unsigned suffix_shift_of(char c)
{
  switch (c | 0x20) {
  case 'k':
    return 10;
  case 'm':
    return 20;
  case 'g':
    return 30;
  default:
    return 0;
  }
}

static bool parse_word_set(const char *const *known, const char *text, size_t *value)
{
  for (*value = 0;; text++) {
    size_t length = strcspn(text, ","), i = 0;
    while (known[i] != NULL && (strlen(known[i]) != length || memcmp(known[i], text, length) != 0))
      i++;
    if (known[i] == NULL)
      return false;
    *value |= (size_t)1 << i;
    text += length;
    if (*text == 0)
      return true;
  }
}

/* The number of nanoseconds in the unit that `text` names; 0: `text` is not a unit. */
static size_t nanoseconds_of_unit(const char *text)
{
  static const struct {
    const char *name;
    size_t nanoseconds;
  } units[] = {{"us", 1000}, {"ms", 1000000}, {"s", 1000000000}};

  for (size_t i = 0; i < sizeof units / sizeof *units; i++)
    if (strcmp(text, units[i].name) == 0)
      return units[i].nanoseconds;
  return 0;
}

static bool parse_number(enum kind kind, const char *text, size_t *value)
{
  size_t number = 0;
  const char *p = text;

  for (; *p >= '0' && *p <= '9'; p++)
    if (__builtin_mul_overflow(number, 10u, &number) || __builtin_add_overflow(number, (size_t)(*p - '0'), &number))
      return false;
  if (p == text)
    return false;
  if (kind == SIZE && suffix_shift_of(*p) != 0) {
    unsigned shift = suffix_shift_of(*p++);
    if (number > SIZE_MAX >> shift)
      return false;
    number <<= shift;
  }
  if (kind == TIME && (number != 0 || *p != 0)) {
    if (__builtin_mul_overflow(number, nanoseconds_of_unit(p), &number) || nanoseconds_of_unit(p) == 0)
      return false;
    p += strlen(p);
  }
  *value = number;
  return *p == 0 && (kind != FLAG || number <= 1);
}

/* Refuses the values of a switch as a file name, because they show that the user mistook the option. */
static bool parse_text(const char *text, size_t *value)
{
  *value = (size_t)text;
  return *text != 0 && strcmp(text, "0") != 0 && strcmp(text, "1") != 0;
}

static bool parse_value(const struct option_entry *option, const char *text, size_t *value)
{
  CN_ASSERT(option->kind <= SET);
  switch (option->kind) {
  case SET:
    return parse_word_set(option_words_of(option->variable) + 1, text, value);
  case TEXT:
    return parse_text(text, value);
  default:
    return parse_number(option->kind, text, value);
  }
}

static const char *expected_text_of(const struct option_entry *option)
{
  switch (option->kind) {
  case SET:
    return option_words_of(option->variable)[0];
  case SIZE:
    return "a number of bytes, as in 64m";
  case COUNT:
    return "a number";
  case TIME:
    return "a time, as in 3ms, 500us or 1s, or 0";
  case FLAG:
    return "0 or 1";
  case TEXT:
    return "the name of a file (CAIRN_LOG=gc,arrivals prints lines instead)";
  }
  CN_UNREACHABLE();
}

/* Writes the message for a variable, of `length` bytes, whose name is unknown. */
static void refuse_variable(const char *variable, size_t length, char *message, size_t size)
{
  struct cn_nearest nearest = cn_nearest_to(variable + VARIABLE_PREFIX_LENGTH, length - VARIABLE_PREFIX_LENGTH);

  CN_ASSERT(length >= VARIABLE_PREFIX_LENGTH);
  for (size_t i = 0; i < OPTION_COUNT; i++)
    cn_nearest_offer(&nearest, option_table[i].variable + VARIABLE_PREFIX_LENGTH,
                     strlen(option_table[i].variable) - VARIABLE_PREFIX_LENGTH);
  snprintf(message, size, "unknown option %.*s%s%s%s (CAIRN_HELP=1 lists the options)", (int)length, variable,
           nearest.name != NULL ? "; did you mean " VARIABLE_PREFIX : "", nearest.name != NULL ? nearest.name : "",
           nearest.name != NULL ? "?" : "");
}

static bool set_option(struct cn_options *options, const char *setting, char *message, size_t size)
{
  size_t length = strcspn(setting, "=");

  for (size_t i = 0; i < OPTION_COUNT; i++) {
    const struct option_entry *option = &option_table[i];
    if (strlen(option->variable) != length || memcmp(option->variable, setting, length) != 0)
      continue;
    const char *text = setting[length] == '=' ? setting + length + 1 : setting + length;
    if (parse_value(option, text, field_of_option(options, option)))
      return true;
    snprintf(message, size, "%s=%s: expected %s", option->variable, text, expected_text_of(option));
    return false;
  }
  refuse_variable(setting, length, message, size);
  return false;
}

/* Half of the memory, and at most an eighth of the process's limit, since the heap reserves more addresses than it
 * uses. A collector that copies all of the heap gets half of this value (heap.c). */
static size_t default_heap_maximum(void)
{
  size_t memory = cn_os_memory_bytes() / 2, limit = cn_os_address_space_limit() / 8;

  return memory < limit ? memory : limit;
}

static size_t default_worker_count(void)
{
  size_t processors = cn_os_processor_count();

  return processors < CN_WORKERS_MAX_DEFAULT ? processors : CN_WORKERS_MAX_DEFAULT;
}

/* False: the limits are impossible. */
static bool set_heap_limits(struct cn_options *options, const struct cairn_heap_limits *limits, char *message,
                            size_t size)
{
  bool known = limits->size >= sizeof *limits;

  if (!known || (limits->maximum != 0 && limits->maximum < CN_HEAP_MIN_BYTES)) {
    snprintf(message, size, "cairn_heap_limits has %s %zu: expected at least %zu bytes",
             known ? "the maximum" : "the size", known ? limits->maximum : limits->size,
             known ? (size_t)CN_HEAP_MIN_BYTES : sizeof *limits);
    return false;
  }
  options->heap_max = limits->maximum;
  options->heap_soft = limits->soft;
  if (limits->initial != 0)
    options->heap_initial = limits->initial;
  return true;
}

/* If two limits conflict, lower the greater limit. */
static void fit_heap_limits(struct cn_options *options)
{
  options->heap_usual = options->heap_max == 0;
  if (options->heap_usual)
    options->heap_max = default_heap_maximum();
  if (options->heap_soft > options->heap_max)
    options->heap_soft = options->heap_max;
  if (options->heap_initial > options->heap_max)
    options->heap_initial = options->heap_max;
  if (options->heap_soft != 0 && options->heap_initial > options->heap_soft)
    options->heap_initial = options->heap_soft;
}

static bool is_cairn_variable(const char *variable)
{
  return strncmp(variable, VARIABLE_PREFIX, VARIABLE_PREFIX_LENGTH) == 0;
}

bool cn_options_parse(struct cn_options *options, const struct cairn_heap_limits *limits, char *const *environment,
                      char *message, size_t size)
{
  for (size_t i = 0; i < OPTION_COUNT; i++)
    *field_of_option(options, &option_table[i]) = option_table[i].initial;
  if (limits != NULL && !set_heap_limits(options, limits, message, size))
    return false;
  for (; environment != NULL && *environment != NULL; environment++)
    if (is_cairn_variable(*environment) && !set_option(options, *environment, message, size))
      return false;
  if (options->workers > CN_WORKERS_MAX) {
    snprintf(message, size, "CAIRN_WORKERS=%zu: expected at most %d", options->workers, CN_WORKERS_MAX);
    return false;
  }
  if (options->workers == 0)
    options->workers = default_worker_count();
  if (options->heap_growth < CN_HEAP_GROWTH_MIN || options->heap_growth > CN_HEAP_GROWTH_MAX) {
    snprintf(message, size, "CAIRN_HEAP_GROWTH=%zu: expected %d to %d percent", options->heap_growth,
             CN_HEAP_GROWTH_MIN, CN_HEAP_GROWTH_MAX);
    return false;
  }
  if (options->heap_max != 0 && options->heap_max < CN_HEAP_MIN_BYTES) {
    snprintf(message, size, "CAIRN_HEAP_MAX=%zu: expected at least %d bytes", options->heap_max, CN_HEAP_MIN_BYTES);
    return false;
  }
  fit_heap_limits(options);
  if (options->pause == CN_PAUSE_UNSET)
    options->pause = 0;
  else
    options->pause_full = options->pause;
  if ((options->verify & CN_VERIFY_STORES) != 0)
    options->verify |= CN_VERIFY_HEAP;
  return true;
}

void cn_options_drop_variables(char **environment)
{
  char **kept = environment;

  for (; environment != NULL && *environment != NULL; environment++)
    if (!is_cairn_variable(*environment))
      *kept++ = *environment;
  if (kept != NULL)
    *kept = NULL;
}

static const char *placeholder_of(const struct option_entry *option)
{
  switch (option->kind) {
  case SIZE:
    return "SIZE";
  case COUNT:
    return "N";
  case TIME:
    return "TIME";
  case FLAG:
    return "0|1";
  case TEXT:
    return "FILE";
  case SET:
    return option_words_of(option->variable)[0];
  }
  CN_UNREACHABLE();
}

void cn_options_print_help(void)
{
  for (size_t i = 0; i < OPTION_COUNT; i++)
    cn_report_print_text("%s=%s\n    %s\n", option_table[i].variable, placeholder_of(&option_table[i]),
                         option_table[i].help);
}
