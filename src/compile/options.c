/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads compile options as text from the command lines of tools and plugin, so that an option has one name in all
 * programs. The file also sets the fixed options of the code generator, which are state of the process; the first call
 * sets them. Needs: nothing; this file reads no module. Provides: cairn_compile_set(), cairn_compile_init(); the names
 * of optimisations and of places of polls, with help. Breaks: nothing.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <llvm-c/Support.h>
#include <llvm-c/Target.h>
#include "base/check.h"
#include "base/vector.h"
#include "compile/core/convention.h"
#include "compile/core/pass.h"
#include "compile/core/words.h"
#include "compile/lower/live_outs.h"

static const char *const relocation_names_and_help[] = {
#define CAIRN_RELOCATION(constant, name, help) name, help,
#include <cairn/relocations.def>
#undef CAIRN_RELOCATION
    NULL};
static const char *const placement_names_and_help[] = {
#define CAIRN_PLACEMENT(constant, name, help) name, help,
#include <cairn/placements.def>
#undef CAIRN_PLACEMENT
    NULL};
static const char *const poll_names_and_help[] = {
#define CAIRN_POLLS_AT(constant, name, initially, help) name, help,
#include <cairn/polls.def>
#undef CAIRN_POLLS_AT
    NULL};

const char *const *cairn_compile_relocation_names(void)
{
  return relocation_names_and_help;
}

const char *const *cairn_compile_placement_names(void)
{
  return placement_names_and_help;
}

const char *const *cairn_compile_polls_names(void)
{
  return poll_names_and_help;
}

/* Read a decimal number up to `limit` at `text`; *end is the text after the number. False if `text` does not begin with
 * a number in this range. */
static bool parse_number(const char *text, unsigned long limit, unsigned *number, char **end)
{
  errno = 0;
  unsigned long n = *text >= '0' && *text <= '9' ? strtoul(text, end, 10) : limit + 1;
  *number = (unsigned)n;
  return !errno && n <= limit;
}

/* The index in `words` of `word`, which has `length` bytes; `count` if it is absent. */
static unsigned index_of_word(const char *word, size_t length, const char *const *words, unsigned count)
{
  unsigned i = 0;

  while (i < count && !(strlen(words[i]) == length && memcmp(words[i], word, length) == 0))
    i++;
  return i;
}

static char *set_slot_budget(struct cairn_compile_options *options, const char *value)
{
  char *end = NULL;
  unsigned budget;

  if (!parse_number(value, UINT32_MAX, &budget, &end) || *end)
    return cn_format("'%s' is not a number from 0 to 4294967295", value);
  options->slot_budget = budget;
  return NULL;
}

static char *format_unknown_word(const char *word, size_t length, const char *const *words, unsigned count)
{
  CN_CHECK(count > 0);
  char *list = cn_strdup(words[0]);

  for (unsigned i = 1; i < count; i++) {
    char *longer = cn_format("%s%s%s", list, i + 1 < count ? ", " : " or ", words[i]);
    free(list);
    list = longer;
  }
  char *message = cn_format("'%.*s' is not %s", (int)length, word, list);
  free(list);
  return message;
}

/* Write the words of a comma-separated list to *bits, one bit per word. */
static char *parse_word_list(const char *value, const char *const *words, unsigned count, unsigned *bits)
{
  unsigned taken = 0;

  CN_CHECK(count <= 32); /* bits of an unsigned */
  for (bool more = true; more;) {
    size_t length = strcspn(value, ",");
    unsigned found = index_of_word(value, length, words, count);
    if (found == count)
      return format_unknown_word(value, length, words, count);
    taken |= 1u << found;
    more = value[length] == ',';
    value += length + more;
  }
  *bits = taken;
  return NULL;
}

/* Turn off optimisations of relocation and of placement, which share one list of names. */
static char *disable_optimisations(struct cairn_compile_options *options, const char *value)
{
  enum { OPTIMISATION_COUNT = (int)CAIRN_RELOCATIONS + (int)CAIRN_PLACEMENTS };
  const char *names[OPTIMISATION_COUNT];
  unsigned off = 0;

  for (size_t i = 0; i < CAIRN_RELOCATIONS; i++)
    names[i] = relocation_names_and_help[2 * i];
  for (size_t i = 0; i < CAIRN_PLACEMENTS; i++)
    names[CAIRN_RELOCATIONS + i] = placement_names_and_help[2 * i];
  char *wrong = parse_word_list(value, names, OPTIMISATION_COUNT, &off);
  options->relocations_off |= off & ((1u << CAIRN_RELOCATIONS) - 1);
  options->placements_off |= off >> CAIRN_RELOCATIONS;
  return wrong;
}

/* The word for an empty set is valid only alone. */
static char *set_poll_places(struct cairn_compile_options *options, const char *value)
{
  const char *names[CAIRN_POLLS_PLACES];

  if (strcmp(value, "none") == 0) {
    options->polls = CAIRN_POLLS_NONE;
    return NULL;
  }
  for (size_t i = 0; i < CAIRN_POLLS_PLACES; i++)
    names[i] = poll_names_and_help[2 * i];
  return parse_word_list(value, names, CAIRN_POLLS_PLACES, &options->polls);
}

/* Cairn's own collectors, with the barriers that each needs. */
static const struct {
  const char *name;
  enum cairn_barriers barriers;
} collector_barriers[] = {{"semispace", CAIRN_BARRIERS_NONE}, {"generational", CAIRN_BARRIERS_CARDS}};

/* A collector with another name registers its needs when the program starts. */
static char *set_collector(struct cairn_compile_options *options, const char *value)
{
  if (!*value || strspn(value, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") != strlen(value))
    return cn_format("'%s' is not the name of a collector: letters, digits and _", value);
  for (size_t i = 0; i < sizeof collector_barriers / sizeof *collector_barriers; i++)
    if (strcmp(value, collector_barriers[i].name) == 0)
      options->barriers = collector_barriers[i].barriers;
  return NULL;
}

static char *set_poll_budget(struct cairn_compile_options *options, const char *value)
{
  enum { MAX_BUDGET_MICROSECONDS = 1000000 };
  char *end = NULL;
  unsigned budget;

  if (!parse_number(value, MAX_BUDGET_MICROSECONDS, &budget, &end) || *end || !budget)
    return cn_format("'%s' is not a number of microseconds from 1 to %d", value, MAX_BUDGET_MICROSECONDS);
  options->poll_budget = budget;
  return NULL;
}

/* The text "0" turns inline allocation off; a member that is 0 means the default. */
static char *set_inline_max(struct cairn_compile_options *options, const char *value)
{
  enum { INLINE_ALLOCATION_OFF = 1 };
  char *end = NULL;
  unsigned bytes;

  if (!parse_number(value, CAIRN_ABI_INLINE_ALLOC_MAX, &bytes, &end) || *end || bytes % CAIRN_ABI_OBJECT_ALIGN != 0)
    return cn_format("'%s' is not a multiple of %d from 0 to %d", value, CAIRN_ABI_OBJECT_ALIGN,
                     CAIRN_ABI_INLINE_ALLOC_MAX);
  options->inline_max = bytes ? bytes : INLINE_ALLOCATION_OFF;
  return NULL;
}

static char *set_address_spaces(struct cairn_compile_options *options, const char *value)
{
  CN_VECTOR(unsigned) spaces = {0};
  const char *at = value;
  bool ok = true, more = true;

  while (ok && more) {
    unsigned space = 0;
    char *end = NULL;
    ok = parse_number(at, CN_FIRST_TARGET_ADDRESS_SPACE - 1, &space, &end) && space && (!*end || *end == ',');
    for (size_t i = 0; ok && i < spaces.count; i++)
      ok = spaces.at[i] != space;
    if (ok) {
      cn_push(&spaces, space);
      more = *end == ',';
      at = end + more;
    }
  }
  if (!ok) {
    cn_free(&spaces);
    return cn_format("'%s' is no list of different numbers from 1 to %d, as in 1,2 (0 holds what "
                     "is not managed, others are the target's)",
                     value, CN_FIRST_TARGET_ADDRESS_SPACE - 1);
  }
  free((void *)options->address_spaces);
  options->address_spaces = spaces.at;
  options->address_space_count = spaces.count;
  return NULL;
}

/* Append the names to the list. A name of a strategy is any text without commas. */
static char *add_strategies(struct cairn_compile_options *options, const char *value)
{
  const char *before = options->strategies;
  size_t length = strlen(value);

  if (!length || value[0] == ',' || value[length - 1] == ',' || strstr(value, ",,"))
    return cn_format("'%s' is no list of names of gc strategies, as in a,b", value);
  options->strategies = before ? cn_format("%s,%s", before, value) : cn_strdup(value);
  free((void *)before);
  return NULL;
}

static char *set_tolerated(struct cairn_compile_options *options, const char *value)
{
  static const char *const names[] = {[CAIRN_TOLERATE_STACK_REFERENCES] = "stack-references"};

  return parse_word_list(value, names, CAIRN_TOLERANCES, &options->tolerated);
}

static char *set_word_kind(struct cairn_compile_options *options, const char *value)
{
  return cn_words_parse(value, &options->words);
}

/* The words for members of enum type, in the order of the enum's constants. */
static const char *const safepoints[] = {"late", "early", "none"}, *const slots[] = {"auto", "never", "always"},
                         *const roots[] = {"all", "pairs"}, *const poll[] = {"word", "stack"};
_Static_assert(CAIRN_SAFEPOINTS_LATE == 0 && CAIRN_SAFEPOINTS_EARLY == 1 && CAIRN_SAFEPOINTS_NONE == 2, "in order");
_Static_assert(CAIRN_SLOTS_AUTO == 0 && CAIRN_SLOTS_NEVER == 1 && CAIRN_SLOTS_ALWAYS == 2, "in order");
_Static_assert(CAIRN_ROOT_FORMS_ALL == 0 && CAIRN_ROOT_FORMS_PAIRS == 1, "in order");
_Static_assert(sizeof(enum cairn_safepoints) == sizeof(unsigned), "set as an unsigned");
_Static_assert(CAIRN_POLL_WORD == 0 && CAIRN_POLL_STACK == 1, "in order");

/* An option without `set` writes the member at offset `at`: an index into `words`, or a switch if `words` is null. */
static const struct option_setting {
  const char *name;
  char *(*set)(struct cairn_compile_options *options, const char *value);
  size_t at;
  const char *const *words;
  unsigned count;
} option_settings[] = {
#define WORD_OPTION(member, list) NULL, offsetof(struct cairn_compile_options, member), list, sizeof list / sizeof *list
#define SWITCH_OPTION(member) NULL, offsetof(struct cairn_compile_options, member), NULL, 0
    {"safepoints", WORD_OPTION(safepoints, safepoints)},
    {"without", disable_optimisations, 0, NULL, 0},
    {"slots", WORD_OPTION(slots, slots)},
    {"slot-budget", set_slot_budget, 0, NULL, 0},
    {"roots", WORD_OPTION(roots, roots)},
    {"barriers", NULL, offsetof(struct cairn_compile_options, barriers), cn_barrier_kind_names, CAIRN_BARRIERS_KINDS},
    {"collector", set_collector, 0, NULL, 0},
    {"inline-max", set_inline_max, 0, NULL, 0},
    {"note-stores", SWITCH_OPTION(note_stores)},
    {"address-spaces", set_address_spaces, 0, NULL, 0},
    {"words", set_word_kind, 0, NULL, 0},
    {"strategy", add_strategies, 0, NULL, 0},
    {"tolerate", set_tolerated, 0, NULL, 0},
    {"check-polls", SWITCH_OPTION(check_polls)},
    {"polls", set_poll_places, 0, NULL, 0},
    {"poll", WORD_OPTION(poll, poll)},
    {"poll-budget", set_poll_budget, 0, NULL, 0},
    {"manage-all", SWITCH_OPTION(manage_all)},
    {"shared", SWITCH_OPTION(shared)},
    {"report", SWITCH_OPTION(report)},
};

/* Set the option `s` of `options`. Returns null, or an error that the caller frees. */
static char *apply_option_value(struct cairn_compile_options *options, const struct option_setting *s,
                                const char *value)
{
  char *member = (char *)options + s->at;

  if (s->set)
    return s->set(options, value);
  if (!s->words) {
    *(bool *)member = true;
    return NULL;
  }
  unsigned found = index_of_word(value, strlen(value), s->words, s->count);
  if (found == s->count)
    return format_unknown_word(value, strlen(value), s->words, s->count);
  memcpy(member, &found, sizeof found);
  return NULL;
}

static enum cairn_status set_option(struct cairn_compile_options *options, const struct option_setting *s,
                                    const char *value, char **error)
{
  bool has_value = s->set || s->words;

  if (has_value != (value != NULL)) {
    *error = cn_format(has_value ? "%s needs a value" : "%s takes no value", s->name);
    return CAIRN_E_REFUSED;
  }
  char *wrong = apply_option_value(options, s, value);
  if (!wrong)
    return CAIRN_OK;
  *error = cn_format("%s: %s", s->name, wrong);
  free(wrong);
  return CAIRN_E_REFUSED;
}

enum cairn_status cairn_compile_set(struct cairn_compile_options *options, const char *name, const char *value,
                                    char **error)
{
  *error = NULL;
  for (size_t i = 0; i < sizeof option_settings / sizeof *option_settings; i++)
    if (strcmp(option_settings[i].name, name) == 0)
      return set_option(options, &option_settings[i], value, error);
  *error = cn_format("no option '%s'", name);
  return CAIRN_E_UNKNOWN;
}

static void set_llvm_options(void)
{
  /* References stay in registers over safepoints, also in callee-saved registers, which the frame-map walker recovers.
   * Slow paths are placed outside of their loops. Lists of live-out registers crash LLVM's code generator for some
   * inputs. Debug information follows registers, because LLVM's other way, by instructions, loses all variables of a
   * statepoint with a spilled reference. Loops have no scalable vectors, whose frames stack maps do not describe. LLVM
   * parses the options once per process. */
  static const char *const argv[] = {"cairn",
                                     "-max-registers-for-gc-values=256",
                                     "-fixup-allow-gcptr-in-csr=true",
                                     "-force-loop-cold-block",
                                     "-enable-patchpoint-liveness=false",
                                     "-experimental-debug-variable-locations=false",
                                     "-scalable-vectorization=off",
                                     "-disable-loop-idiom-vectorize-all"};

  cn_convention_init();
  LLVMParseCommandLineOptions((int)(sizeof argv / sizeof *argv), argv, NULL);
}

void cairn_compile_init(void)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;

  pthread_once(&once, set_llvm_options);
}

void cairn_compile_live_outs(bool wanted)
{
  const char *const argv[] = {"cairn",
                              wanted ? "-enable-patchpoint-liveness=true" : "-enable-patchpoint-liveness=false"};

  cairn_compile_init();
  cn_live_outs_set_wanted(wanted);
  LLVMParseCommandLineOptions((int)(sizeof argv / sizeof *argv), argv, NULL);
}
