/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads the command line of cairn-cc, with one function for each group of options' effects. Also tells whether managed
 * code supports the options, and warns of options without effect. Reading precedes all steps; prints errors and
 * warnings on stderr, and changes only the command. Owns the formatted strings of the process, and the flag that the
 * warnings were printed.
 */
#include "driver/cc/command.h"

#include <stdarg.h>
#include <string.h>
#include "base/nearest.h"
#include "driver/cc/cc_options.h"
#include "driver/tool.h"

/* ---- effects ---- */

/* Set the level of an option -O, as clang defines it: -O and -Og are -O1; -O4 and above are -O3. */
static void set_optimisation_level(struct cairn_compile_options *compile, const char *level)
{
  char c = *level ? *level : '1';

  compile->size_level = c == 's' ? 1 : c == 'z' ? 2 : 0;
  if (c == 's' || c == 'z')
    compile->opt_level = 2;
  else if (c >= '0' && c <= '9')
    compile->opt_level = c < '3' ? (unsigned)(c - '0') : 3;
  else
    compile->opt_level = c == 'g' ? 1 : 3; /* -Ofast */
  CN_CHECK(compile->opt_level <= 3 && compile->size_level <= 2);
}

/* Set the amount of debug information from an option -g. Other options with this prefix have no effect. */
static void set_debug_level(enum cn_debug *debug, const char *kind)
{
  static const char *const full[] = {"", "2", "3", "gdb", "gdb2", "gdb3", "lldb", "sce", "full", "used", "N"};
  static const char *const lines[] = {"1", "gdb1", "line-tables-only", "line-directives-only", "mlt"};

  if (strcmp(kind, "0") == 0 || strcmp(kind, "gdb0") == 0)
    *debug = CN_DEBUG_NONE;
  if (strcmp(kind, "dwarf") == 0 || strncmp(kind, "dwarf-", 6) == 0)
    *debug = CN_DEBUG_FULL;
  for (size_t i = 0; i < sizeof full / sizeof *full; i++)
    if (strcmp(kind, full[i]) == 0)
      *debug = CN_DEBUG_FULL;
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
    if (strcmp(kind, lines[i]) == 0)
      *debug = CN_DEBUG_LINES;
}

/* ---- Cairn's own options ---- */

#define OWN_PREFIX "-fcairn-"
enum { OWN_PREFIX_LENGTH = sizeof OWN_PREFIX - 1 };

static bool set_manage_option(struct cn_command *command, const char *word, const char *what)
{
  bool marked = strcmp(what, "marked") == 0;

  command->compile.manage_all = !marked;
  command->native_units = strcmp(what, "references") == 0;
  command->compile.native_functions = command->native_units;
  if (command->native_units || marked || strcmp(what, "all") == 0)
    return true;
  cn_tool_error("invalid value '%s' in '%s' (references, all or marked)", what, word);
  return false;
}

static bool set_safepoints_option(struct cn_command *command, const char *word, const char *when)
{
  char *wrong;

  if (cairn_compile_set(&command->compile, "safepoints", when, &wrong) == CAIRN_OK)
    return true;
  free(wrong);
  cn_tool_error("invalid value '%s' in '%s' (late, early or none)", when, word);
  return false;
}

static bool add_import(struct cn_command *command, const char *word, const char *file)
{
  (void)word;
  cn_push(&command->imports, file);
  return true;
}

static bool set_report_option(struct cn_command *command, const char *word, const char *file)
{
  (void)word;
  command->report = file ? file : "";
  command->compile.report = true;
  return true;
}

static bool set_times_option(struct cn_command *command, const char *word, const char *value)
{
  (void)word;
  (void)value;
  command->compile.timer = cn_times_add_run;
  command->compile.timer_env = &command->times;
  return true;
}

enum own_value { NO_VALUE, ANY_VALUE, NAME_VALUE, OPTIONAL_NAME }; /* a name is not empty */

/* An option applies its function, sets the member at `flag`, or is an option of cairn_compile_set(). */
static const struct own_option {
  const char *name;
  enum own_value value;
  bool (*set)(struct cn_command *command, const char *word, const char *value);
  size_t flag;
} own_options[] = {
    {"safepoints", ANY_VALUE, set_safepoints_option, 0},
    {"manage", ANY_VALUE, set_manage_option, 0},
    {"slots", ANY_VALUE, NULL, 0},
    {"slot-budget", ANY_VALUE, NULL, 0},
    {"roots", ANY_VALUE, NULL, 0},
    {"barriers", ANY_VALUE, NULL, 0},
    {"collector", ANY_VALUE, NULL, 0},
    {"inline-max", ANY_VALUE, NULL, 0},
    {"note-stores", NO_VALUE, NULL, offsetof(struct cn_command, compile.note_stores)},
    {"live-outs", NO_VALUE, NULL, offsetof(struct cn_command, live_outs)},
    {"words", ANY_VALUE, NULL, 0},
    {"strategy", ANY_VALUE, NULL, 0},
    {"without", ANY_VALUE, NULL, 0},
    {"polls", ANY_VALUE, NULL, 0},
    {"poll", ANY_VALUE, NULL, 0},
    {"poll-budget", ANY_VALUE, NULL, 0},
    {"import", NAME_VALUE, add_import, 0},
    {"remarks", NO_VALUE, NULL, offsetof(struct cn_command, remarks)},
    {"report", OPTIONAL_NAME, set_report_option, 0},
    {"times", NO_VALUE, set_times_option, 0},
};
enum { OWN_OPTION_COUNT = sizeof own_options / sizeof *own_options };

static bool is_value_valid(enum own_value kind, const char *value)
{
  if (!value)
    return kind == NO_VALUE || kind == OPTIONAL_NAME;
  return kind == ANY_VALUE || (kind != NO_VALUE && *value);
}

static bool set_own_option(struct cn_command *command, const struct own_option *option, const char *word,
                           const char *value)
{
  char *wrong;

  if (option->set)
    return option->set(command, word, value);
  if (option->value == NO_VALUE) {
    *(bool *)((char *)command + option->flag) = true;
    return true;
  }
  bool ok = cairn_compile_set(&command->compile, option->name, value, &wrong) == CAIRN_OK;
  if (!ok)
    cn_tool_error(OWN_PREFIX "%s", wrong);
  free(wrong);
  if (strcmp(option->name, "barriers") == 0)
    command->barriers = value;
  if (strcmp(option->name, "collector") == 0)
    command->collector = value;
  return ok;
}

/* Print the error for `word`, where `name` is the word after its prefix. */
static void refuse_own_option(const char *word, const char *name)
{
  struct cn_nearest nearest = cn_nearest_to(name, strcspn(name, "="));

  for (size_t i = 0; i < OWN_OPTION_COUNT; i++)
    cn_nearest_offer(&nearest, own_options[i].name, strlen(own_options[i].name));
  cn_tool_error("unknown argument: '%s'%s%s%s (cairn-cc --help lists the " OWN_PREFIX " options)", word,
                nearest.name ? "; did you mean '" OWN_PREFIX : "", nearest.name ? nearest.name : "",
                nearest.name ? "'?" : "");
}

/* -fcairn-... */
static bool set_cairn_option(struct cn_command *command, const char *word)
{
  const char *name = word + OWN_PREFIX_LENGTH, *equals = strchr(name, '=');
  size_t length = equals ? (size_t)(equals - name) : strlen(name);

  CN_ASSERT(strncmp(word, OWN_PREFIX, OWN_PREFIX_LENGTH) == 0);
  for (size_t i = 0; i < OWN_OPTION_COUNT; i++)
    if (strlen(own_options[i].name) == length && memcmp(own_options[i].name, name, length) == 0 &&
        is_value_valid(own_options[i].value, equals ? equals + 1 : NULL))
      return set_own_option(command, &own_options[i], word, equals ? equals + 1 : NULL);
  refuse_own_option(word, name);
  return false;
}

/* True if the word begins with -fcairn- except for one mistyped byte, and so is an option neither of Cairn nor of
 * clang. The options -l, -I, -L, -D and -W may have arguments that begin with "cairn-", such as -lcairn-jit. */
static bool is_prefix_mistyped(const char *word, const char **name)
{
  const char *dash = strlen(word) > 2 ? strchr(word + 2, '-') : NULL;
  size_t length = dash ? (size_t)(dash + 1 - word) : 0;

  *name = word + length;
  return length > 0 && length <= OWN_PREFIX_LENGTH + 1 && word[length > 2 && word[1] == '-' ? 2 : 1] == 'f' &&
         cn_edit_distance(word, length, OWN_PREFIX, OWN_PREFIX_LENGTH) == 1;
}

/* ---- options of clang ---- */

/* The first sanitizer of a list that Cairn refuses, or null. Cairn refuses sanitizers that are LLVM passes over shadow
 * memory, because they ignore moved objects and Cairn's heap. Sanitizers that clang expands in its IR give ordinary
 * code. */
static const char *find_refused_sanitizer(const char *list)
{
  static const char *const passes[] = {
      "address",       "kernel-address", "hwaddress",  "kernel-hwaddress",  "thread", "memory",
      "kernel-memory", "dataflow",       "safe-stack", "shadow-call-stack", "cfi",    "kcfi",
      "memtag",        "fuzzer",         "realtime",   "numerical",         "type"};

  while (*list) {
    size_t length = strcspn(list, ",");
    for (size_t i = 0; i < sizeof passes / sizeof *passes; i++) {
      size_t own = strlen(passes[i]);
      if (strncmp(list, passes[i], own) == 0 && (own == length || list[own] == '-'))
        return passes[i];
    }
    list += length + (list[length] == ',');
  }
  return NULL;
}

/* Pass the file to LLVM's sample loader by an option. The loader's inlining is off, because Cairn's rules and the
 * optimiser decide which calls are inlined. */
static void add_sample_profile(struct cn_command *command, const char *file)
{
  command->compile.samples = true;
  cn_push(&command->llvm_options, "-sample-profile-file");
  cn_push(&command->llvm_options, file);
  cn_push(&command->llvm_options, "-disable-sample-loader-inlining");
}

/* True if the option `word`, with one dash or two, makes LLVM split functions. Cairn refuses to split functions,
 * because a stack map's offsets are distances within one section. */
static bool splits_functions(const char *word)
{
  static const char *const names[] = {"enable-split-machine-functions", "basic-block-sections"};

  while (*word == '-')
    word++;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    size_t length = strlen(names[i]);
    const char *value = word + length + 1;
    if (strncmp(word, names[i], length) == 0)
      return !word[length] || (word[length] == '=' && strcmp(value, "false") && strcmp(value, "none"));
  }
  return false;
}

static void apply_flag_effect(struct cn_command *command, enum cn_effect effect)
{
  static const struct {
    enum cn_effect effect;
    bool value;
    size_t member;
  } flags[] = {
#define FLAG_EFFECT(effect, value, member) {CN_EFFECT_##effect, value, offsetof(struct cn_command, member)}
      FLAG_EFFECT(EMIT_LLVM, true, emit_llvm),
      FLAG_EFFECT(DRY_RUN, true, dry_run),
      FLAG_EFFECT(PREPROCESS, true, preprocess),
      FLAG_EFFECT(VERBOSE, true, verbose),
      FLAG_EFFECT(VERSION, true, version),
      FLAG_EFFECT(HELP, true, help),
      FLAG_EFFECT(SHARED, true, shared),
      FLAG_EFFECT(SHARED_RUNTIME, true, shared_runtime),
      FLAG_EFFECT(STATIC_RUNTIME, false, shared_runtime),
      FLAG_EFFECT(RELOCATABLE, true, relocatable),
      FLAG_EFFECT(NO_LIBRARIES, true, no_default_libraries),
      FLAG_EFFECT(FUNCTION_SECTIONS, true, function_sections),
      FLAG_EFFECT(NO_FUNCTION_SECTIONS, false, function_sections),
      FLAG_EFFECT(DATA_SECTIONS, true, data_sections),
      FLAG_EFFECT(NO_DATA_SECTIONS, false, data_sections),
      FLAG_EFFECT(DEPENDENCIES, true, dependencies),
      FLAG_EFFECT(DEPENDENCY_FILE, true, dependency_file),
      FLAG_EFFECT(DEPENDENCY_TARGET, true, dependency_target),
  };

  for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
    if (flags[i].effect == effect)
      *(bool *)((char *)command + flags[i].member) = flags[i].value;
}

static void apply_code_effect(struct cn_command *command, enum cn_effect effect, const char *value)
{
  switch (effect) {
  case CN_EFFECT_OPTIMISE:
    command->level_asked = true;
    set_optimisation_level(&command->compile, value);
    break;
  case CN_EFFECT_DEBUG_INFO:
    set_debug_level(&command->debug, value);
    break;
  case CN_EFFECT_PIC:
  case CN_EFFECT_PIE:
  case CN_EFFECT_NO_PIC:
    command->no_pic = effect == CN_EFFECT_NO_PIC;
    command->pie = effect == CN_EFFECT_PIE;
    command->pic_asked = effect == CN_EFFECT_PIC;
    break;
  case CN_EFFECT_CPU:
    command->cpu = value;
    break;
  case CN_EFFECT_MCPU:
    command->mcpu = value;
    break;
  case CN_EFFECT_TARGET:
    command->target = value;
    break;
  case CN_EFFECT_LLVM_OPTION:
    cn_push(&command->llvm_options, value);
    if (splits_functions(value))
      command->refused_llvm = value;
    break;
  case CN_EFFECT_SAMPLES:
    add_sample_profile(command, value);
    break;
  default:
    break;
  }
}

static void apply_mode_effect(struct cn_command *command, enum cn_effect effect, const char *value)
{
  switch (effect) {
  case CN_EFFECT_OUTPUT:
    command->output = value;
    break;
  case CN_EFFECT_CLANG_ONLY:
  case CN_EFFECT_PREPROCESS:
    command->mode = CN_MODE_CLANG_ALONE;
    break;
  case CN_EFFECT_EXPLAIN:
    command->explain = value;
    break;
  case CN_EFFECT_DIAGNOSTICS_FORMAT:
    command->sarif = strcmp(value, "sarif") == 0;
    break;
  case CN_EFFECT_STOP_AT_ASSEMBLY: /* overrides -c; CN_MODE_CLANG_ALONE overrides it */
    command->mode = command->mode == CN_MODE_CLANG_ALONE ? CN_MODE_CLANG_ALONE : CN_MODE_ASSEMBLY;
    break;
  case CN_EFFECT_STOP_AT_OBJECT:
    command->mode = command->mode == CN_MODE_LINK ? CN_MODE_OBJECT : command->mode;
    break;
  case CN_EFFECT_SAVE_TEMPS:
    command->save_temps = true;
    command->save_temps_obj = strcmp(value, "obj") == 0;
    break;
  case CN_EFFECT_LINKER:
    if (strstr(value, "defs") || strstr(value, "no-undefined"))
      command->no_undefined = true;
    break;
  default:
    break;
  }
}

/* Apply options of link-time optimisation, and options that Cairn refuses. */
static void apply_lto_or_refusal(struct cn_command *command, enum cn_effect effect, const char *word, const char *value)
{
  switch (effect) {
  case CN_EFFECT_PREPROCESSOR: /* clang treats -Wp,-MD,FILE as -MD -MF FILE */
    if (strncmp(value, "-MD,", 4) == 0 || strncmp(value, "-MMD,", 5) == 0)
      command->dependencies = command->dependency_file = true;
    break;
  case CN_EFFECT_LTO:
    command->lto = !*value || strcmp(value, "full") == 0 || strcmp(value, "auto") == 0;
    command->refused_lto = command->lto ? NULL : word;
    break;
  case CN_EFFECT_NO_LTO:
    command->lto = false;
    command->refused_lto = NULL;
    break;
  case CN_EFFECT_REFUSED:
    command->refused = word;
    break;
  case CN_EFFECT_SANITIZE:
    if (find_refused_sanitizer(value))
      command->refused = word;
    break;
  default:
    break;
  }
}

static void route_option(struct cn_command_item *item, enum cn_effect effect)
{
  switch (effect) {
  case CN_EFFECT_OWN:
  case CN_EFFECT_SHARED_RUNTIME:
  case CN_EFFECT_STATIC_RUNTIME:
  case CN_EFFECT_OUTPUT:
  case CN_EFFECT_LANGUAGE:
  case CN_EFFECT_DRY_RUN:
  case CN_EFFECT_SAVE_TEMPS:
  case CN_EFFECT_EMIT_LLVM:
  case CN_EFFECT_STOP_AT_OBJECT:
  case CN_EFFECT_STOP_AT_ASSEMBLY:
  case CN_EFFECT_LTO:
  case CN_EFFECT_NO_LTO:
    item->to_compile = item->to_link = false;
    break;
  case CN_EFFECT_DEPENDENCIES:
  case CN_EFFECT_DEPENDENCY_FILE:
  case CN_EFFECT_DEPENDENCY_TARGET:
  case CN_EFFECT_DEPENDENCY_OTHER:
    item->to_link = false;
    break;
  case CN_EFFECT_ASSEMBLER: /* an option of the assembler, which clang ignores for C */
    item->to_compile = false;
    break;
  default:
    break;
  }
}

/* ---- the walk over the words ---- */

static void add_input_item(struct cn_command *command, size_t at, const char *forced)
{
  CN_CHECK(at < command->args.count);
  struct cn_command_item item = {.words = command->args.at + at, .count = 1, .input = true, .forced = forced};

  CN_CHECK(at < command->args.count);
  item.language = cn_languages_find(item.words[0], forced);
  cn_push(&command->items, item);
}

/* Add the option at args[at]. Returns its number of words, or 0 after a message. */
static size_t add_option_item(struct cn_command *command, size_t at, const char **forced)
{
  CN_CHECK(at < command->args.count);
  const char *word = command->args.at[at];
  const struct cn_option *row = cn_options_find(word);
  struct cn_command_item item = {.words = command->args.at + at, .count = 1, .to_compile = true, .to_link = true};
  const char *value = row ? word + strlen(row->name) : "";

  if (row && (row->shape == CN_SHAPE_SEPARATE || (row->shape == CN_SHAPE_BOTH && !*value))) {
    command->incomplete = at + 1 == command->args.count;
    item.count = command->incomplete ? 1 : 2;
    value = command->incomplete ? "" : command->args.at[at + 1];
  }
  if (!row && is_prefix_mistyped(word, &value)) {
    refuse_own_option(word, value);
    return 0;
  }
  if (row) {
    if (row->effect == CN_EFFECT_OWN && !set_cairn_option(command, word))
      return 0;
    if (row->effect == CN_EFFECT_LANGUAGE)
      *forced = strcmp(value, "none") == 0 ? NULL : value;
    apply_flag_effect(command, row->effect);
    apply_code_effect(command, row->effect, value);
    apply_mode_effect(command, row->effect, value);
    apply_lto_or_refusal(command, row->effect, word, value);
    route_option(&item, row->effect);
  }
  CN_CHECK(at + item.count <= command->args.count);
  cn_push(&command->items, item);
  return item.count;
}

static const char *item_wrong(const struct cn_command_item *item)
{
  if (item->count == 0 || item->count > 2)
    return "command: an item has no word, or more than an option and its argument";
  if (item->input ? item->count != 1 || item->to_compile || item->to_link : item->forced || item->words[0][0] != '-')
    return "command: an item is neither an input nor an option";
  return NULL;
}

const char *cn_command_wrong(const struct cn_command *command)
{
  const char *const *next = command->args.at, *const *end = next + command->args.count;

  for (size_t i = 0; i < command->items.count; i++) {
    const struct cn_command_item *item = &command->items.at[i];
    const char *wrong = item_wrong(item);
    if (wrong)
      return wrong;
    if (item->words != next && (item->words != next + 1 || strcmp(*next, "--") != 0))
      return "command: a word belongs to no item, or to two";
    next = item->words + item->count;
  }
  if (next != end && (next + 1 != end || strcmp(*next, "--") != 0))
    return "command: items have too few words or too many";
  if (command->no_pic + command->pie + command->pic_asked > 1)
    return "command: two kinds of position independence";
  return command->lto && command->refused_lto ? "command: link-time optimisation is both on and off" : NULL;
}

/* True if -fcairn-collector and -fcairn-barriers agree, in either order. */
static bool check_barriers_agree(const struct cn_command *command)
{
  struct cairn_compile_options both = command->compile;
  char *wrong = NULL;

  if (!command->collector || !command->barriers)
    return true;
  cairn_compile_set(&both, "barriers", command->barriers, &wrong);
  enum cairn_barriers asked = both.barriers;
  cairn_compile_set(&both, "collector", command->collector, &wrong);
  CN_CHECK(wrong == NULL);
  if (both.barriers == asked)
    return true;
  cn_tool_error("'-fcairn-barriers=%s' contradicts '-fcairn-collector=%s', which needs barriers of "
                "another kind: leave it out",
                command->barriers, command->collector);
  return false;
}

bool cn_command_parse(struct cn_command *command)
{
  const char *forced = NULL;
  bool options_end = false;
  size_t rows;
  const struct cn_option *table = cn_options_table(&rows);

  CN_ASSERT_VALID(cn_options_wrong(table, rows));
  CN_CHECK(command->items.count == 0 && command->mode == CN_MODE_LINK);
  command->compile.manage_all = command->compile.native_functions = true;
  command->native_units = true;
  for (size_t i = 0; i < command->args.count;) {
    const char *word = command->args.at[i];
    if (!options_end && strcmp(word, "--") == 0) {
      options_end = true;
      i++;
    } else if (options_end || word[0] != '-' || !word[1]) {
      add_input_item(command, i++, forced);
    } else {
      size_t taken = add_option_item(command, i, &forced);
      if (!taken)
        return false;
      i += taken;
    }
  }
  CN_ASSERT_VALID(cn_command_wrong(command));
  return check_barriers_agree(command);
}

bool cn_command_can_manage(const struct cn_command *command)
{
  if (command->refused)
    cn_tool_error("not supported yet with managed code: '%s'", command->refused);
  return !command->refused;
}

bool cn_command_can_generate_code(const struct cn_command *command)
{
  if (command->refused_llvm)
    cn_tool_error("managed functions are not split: '-mllvm %s'", command->refused_llvm);
  return !command->refused_llvm;
}

/* True if -fno-NAME follows -fNAME, or -fNAME follows -fno-NAME. */
static bool is_reversed_later(const struct cn_command *command, size_t at)
{
  const char *word = command->items.at[at].words[0];
  bool negative = strncmp(word, "-fno-", 5) == 0;
  const char *name = word + (negative ? 5 : 2), *contrary = negative ? "-f" : "-fno-";
  size_t length = strlen(contrary);

  for (size_t i = at + 1; i < command->items.count; i++) {
    const char *later = command->items.at[i].words[0];
    if (strncmp(later, contrary, length) == 0 && strcmp(later + length, name) == 0)
      return true;
  }
  return false;
}

/* True if managed code fulfils each of the assembler's options, which commas separate, without the option. */
static bool are_assembler_options_idle(const char *list)
{
  static const char *const idle[] = {"--noexecstack", "--64", "-W", "--no-warn", "--fatal-warnings"};

  for (size_t length; *list; list += length + (list[length] == ',')) {
    bool known = false;
    length = strcspn(list, ",");
    for (size_t i = 0; i < sizeof idle / sizeof *idle && !known; i++)
      known = strlen(idle[i]) == length && memcmp(list, idle[i], length) == 0;
    if (!known)
      return false;
  }
  return true;
}

static bool is_ineffective_option(const struct cn_command *command, size_t at)
{
  const struct cn_command_item *item = &command->items.at[at];
  const struct cn_option *row = item->input ? NULL : cn_options_find(item->words[0]);

  if (!row || (row->effect != CN_EFFECT_NO_EFFECT && row->effect != CN_EFFECT_ASSEMBLER))
    return false;
  if (row->effect == CN_EFFECT_NO_EFFECT)
    return !is_reversed_later(command, at);
  return !are_assembler_options_idle(item->count > 1 ? item->words[1] : item->words[0] + strlen(row->name));
}

void cn_command_warn_of_idle_options(const struct cn_command *command)
{
  static bool done;
  bool quiet = done;

  done = true;
  for (size_t i = 0; i < command->items.count; i++)
    quiet |= strcmp(command->items.at[i].words[0], "-w") == 0 ||
             strcmp(command->items.at[i].words[0], "-Qunused-arguments") == 0;
  for (size_t i = 0; i < command->items.count && !quiet; i++)
    if (is_ineffective_option(command, i)) {
      const struct cn_command_item *item = &command->items.at[i];
      cn_tool_warning("'%s%s%s' has no effect on managed code", item->words[0], item->count > 1 ? " " : "",
                      item->count > 1 ? item->words[1] : "");
    }
}

void cn_command_free(struct cn_command *command)
{
  cn_free(&command->items);
  cn_free(&command->llvm_options);
  cn_free(&command->imports);
  cn_free(&command->args);
  cn_times_free(&command->times);
}

const char *cn_command_format_string(const char *format, ...)
{
  static struct cn_words kept; /* stays reachable for leak checkers */
  va_list args;
  char *text;

  va_start(args, format);
  CN_CHECK(vasprintf(&text, format, args) >= 0);
  va_end(args);
  cn_push(&kept, text);
  return text;
}
