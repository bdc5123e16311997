/* SPDX-License-Identifier: Apache-2.0
 *
 * Notes about clang's and the linker's own errors. Clang speaks of address spaces, which `managed`
 * is made of; a note after each such error gives Cairn's rule and says what to write instead.
 *
 * Clang's messages stay as they are, colours included: its standard error is the user's. Only if
 * clang fails does it run again, for its messages alone; the notes follow the first run's messages.
 */
#include <stdlib.h>
#include <string.h>
#include "driver/cc/hints.h"
#include "driver/cc/process.h"

#define FROM_REFERENCE \
  "a reference cannot become an ordinary pointer, which nobody updates when the object moves " \
  "[reference-to-unmanaged]; make it a pointer to `managed`, or copy the data out with " \
  "cairn_copy_out()"
#define TO_REFERENCE \
  "an ordinary pointer is not the address of an object [unmanaged-to-reference]; allocate with " \
  "cairn_new() or cairn_new_array() instead of malloc(), and copy data of locals, literals and " \
  "native memory in with cairn_copy_in()"
#define MIXED \
  "a reference and an ordinary pointer never lead to the same object; make both pointers to " \
  "`managed`, or neither"
#define SAME_TYPES \
  "a reference and an ordinary pointer are not the same in a function's type or a declaration: " \
  "the collector updates the one and not the other; write `managed` in both"
#define NUMBER \
  "a reference is no number, since its object moves [reference-to-integer, " \
  "integer-to-reference]; keep the reference itself, or a number of your own in the object"
#define HEAP_ONLY \
  "`managed` says where what a pointer leads to lies: in the collector's heap, where objects " \
  "come from cairn_new() alone [managed-global]; write `TYPE managed *name`"

static const struct hint {
  const char *text, *note;
} hints[] = {
    {"changes address space of nested pointer",
     "memory that holds references is not like memory that holds ordinary pointers: the "
     "collector updates it; write `managed` in both types"},
    {"pointers to non-overlapping address spaces", MIXED},
    {"automatic variable qualified with an address space", HEAP_ONLY},
    {"parameter may not be qualified with an address space", HEAP_ONLY},
    {"field may not be qualified with an address space", HEAP_ONLY},
    {"compound literal in function scope may not be qualified with an address space", HEAP_ONLY},
    {"return type cannot be qualified with address space", HEAP_ONLY},
    {"multiple address spaces specified for type", "`managed` is there already"},
};

/* Errors that concern references only if a type that clang names has them. */
static const struct hint of_types[] = {
    {"incompatible function pointer types", SAME_TYPES},       {"with a different type: ", SAME_TYPES},
    {"typedef redefinition with different types", SAME_TYPES}, {"incompatible pointer to integer conversion", NUMBER},
    {"incompatible integer to pointer conversion", NUMBER},
};

static bool is_managed(const char *text, const char *end)
{
  static const char space[] = "address_space(1)";

  CN_ASSERT(text <= end);
  return memmem(text, (size_t)(end - text), space, sizeof space - 1) != NULL;
}

/* Which way does the conversion go that an error about two pointers reports? The first type named
 * is the source, except in initialisations. */
static const char *change_of(const char *text)
{
  static const char *const between[] = {"' with an expression of type '", "' to parameter of type '",
                                        "' from a function with result type '", "' to '"};
  const char *middle = NULL, *end = text + strlen(text);

  for (size_t i = 0; i < sizeof between / sizeof *between && !middle; i++)
    middle = strstr(text, between[i]);
  if (!middle) /* after a type in brackets */
    middle = strstr(text, ") with an expression of type ");
  for (const char *at = text; !middle && (at = strstr(at, ") ")) != NULL; at++)
    if (strncmp(at, ") to ", 5) == 0 || strncmp(at, ") from ", 7) == 0)
      middle = at;
  if (!middle)
    return MIXED;
  bool first = is_managed(text, middle), second = is_managed(middle, end);
  if (first == second)
    return "`managed` belongs to what a pointer leads to; here it is in two different places";
  bool source = strncmp(text, "initializing", 12) == 0 ? second : first;
  return source ? FROM_REFERENCE : TO_REFERENCE;
}

static const char *note_of(const char *text)
{
  for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
    if (strstr(text, hints[i].text))
      return hints[i].note;
  for (size_t i = 0; i < sizeof of_types / sizeof *of_types; i++)
    if (strstr(text, of_types[i].text) && is_managed(text, text + strlen(text)))
      return of_types[i].note;
  return strstr(text, "changes address space of pointer") ? change_of(text) : NULL;
}

/* Tell of a line of a command's messages. `seen`: names that were told of. */
typedef void explain_function(const char *line, struct cn_words *seen);

/* Run a command once more, and explain its messages. */
static void explain_all(const struct cn_words *words, explain_function *tell, struct cn_words *seen)
{
  const char *path = cn_temp_file("errors", ".txt");
  char *line = NULL;
  size_t room = 0;

  if (!path)
    return;
  cn_process_run_into(words, "/dev/null", path);
  FILE *errors = fopen(path, "r");
  while (errors && getline(&line, &room, errors) > 0)
    tell(line, seen);
  if (errors)
    fclose(errors);
  free(line);
}

/* Add a note to a line "FILE:LINE:COLUMN: error: TEXT". */
static void explain(const char *line, struct cn_words *seen)
{
  static const char mark[] = ": error: ";
  const char *at = strstr(line, mark);
  const char *note = at ? note_of(at + sizeof mark - 1) : NULL;

  (void)seen;
  if (note)
    fprintf(stderr, "%.*s: note: cairn: %s\n", (int)(at - line), line, note);
}

/* The same command, with its messages on one line each, without colours and warnings. */
static void ask_again(const struct cn_words *words, struct cn_words *out)
{
  static const char *const more[] = {"-fsyntax-only", "-w", "-fno-color-diagnostics", "-fno-caret-diagnostics",
                                     "-fdiagnostics-format=clang"};

  CN_CHECK(words->count > 2 && out->count == 0);
  size_t options = words->count - 1; /* the input comes last */

  options -= strcmp(words->at[options - 1], "--") == 0;
  for (size_t i = 0; i < words->count; i++) {
    for (size_t k = 0; i == options && k < sizeof more / sizeof *more; k++)
      cn_push(out, more[k]);
    if (strcmp(words->at[i], "-c") != 0)
      cn_push(out, words->at[i]);
  }
}

void cn_hints_explain(const struct cn_words *words)
{
  struct cn_words again = {0};

  ask_again(words, &again);
  explain_all(&again, explain, NULL);
  cn_free(&again);
}

/* ---- the linker's errors ---- */

/* What the linker cannot find where a call gives a reference to code that is not managed. */
static const char managed_code[] = "cairn.managed_code.";

static void explain_missing(const char *name, int length)
{
  fprintf(stderr,
          "cairn-cc: note: a call of `%.*s` passes or returns a reference, and no managed code is linked that "
          "defines it; if it is native code, no collector would find the reference there "
          "[reference-to-native]: give it a handle (<cairn/handle.h>) or the data, or declare it "
          "cairn_leaf if it never calls back and never collects; else compile it with cairn-cc, and have "
          "the version script of a shared object that defines it export %s%.*s, too\n",
          length, name, managed_code, length, name);
}

/* Was this name, a part of a line, told of before? From now on it was. */
static bool is_told(struct cn_words *seen, const char *name, size_t length)
{
  for (size_t i = 0; i < seen->count; i++)
    if (strlen(seen->at[i]) == length && memcmp(seen->at[i], name, length) == 0)
      return true;
  char *copy = strndup(name, length);
  if (copy)
    cn_push(seen, copy);
  return false;
}

static const struct {
  const char *symbol;
  void (*tell)(const struct cn_words *words);
} kinds[] = {
    {CN_KIND_OF_BARRIERS, cn_hints_barriers}, {CN_KIND_OF_WORDS, cn_hints_words}, {CN_KIND_OF_INLINE, cn_hints_inline}};

/* Print a note on the function that the linker's line is about; note that it is about kinds. */
static void explain_link(const char *line, struct cn_words *seen)
{
  const char *at = strstr(line, managed_code);

  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (strstr(line, kinds[i].symbol))
      is_told(seen, kinds[i].symbol, strlen(kinds[i].symbol));
  if (!at)
    return;
  at += sizeof managed_code - 1;
  CN_ASSERT(at <= line + strlen(line));
  size_t length = strcspn(at, "'`\" \t\n)");
  if (!is_told(seen, at, length))
    explain_missing(at, (int)length);
}

void cn_hints_link(const struct cn_words *words)
{
  struct cn_words seen = {0};

  explain_all(words, explain_link, &seen);
  for (size_t i = 0; i < seen.count; i++) {
    for (size_t n = 0; n < sizeof kinds / sizeof *kinds; n++)
      if (strcmp(seen.at[i], kinds[n].symbol) == 0)
        kinds[n].tell(words);
    free((char *)seen.at[i]);
  }
  cn_free(&seen);
}
