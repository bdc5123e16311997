/* SPDX-License-Identifier: Apache-2.0
 *
 * The shell of tiny on a terminal: runs each input, and prints its value or its exception. All inputs are one module,
 * so that names stay. libedit edits lines, keeps the history in ~/.tiny_history, and completes names of the program's
 * tables. Managed C; the state is the main thread's program.
 */
#include <editline/readline.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>

#include "tiny/core/object.h"
#include "tiny/front/syntax.h"
#include "tiny/program/modules.h"
#include "tiny/shell/repl.h"

#define MODULE "(shell)"

enum { HISTORY_LINES = 1000 };

static char *history_file;
static volatile sig_atomic_t is_interrupted; /* Ctrl-C has ended the last line */

/* ---- completion ---- */

/* The next completion of `text` among keywords and symbols; `state` is 0 for the first. */
static char *complete(const char *text, int state)
{
  static uint32_t at;
  size_t length = strlen(text);

  at = state ? at : 0;
  while (at < (uint32_t)TOKEN_COUNT + tiny_tables->symbols.count) {
    uint32_t number = at++;
    bool is_keyword = number < TOKEN_COUNT;
    if (is_keyword ? number < TOKEN_LET : number == TOKEN_COUNT)
      continue;
    const char *name = is_keyword ? tiny_token_rows[number].text : tiny_symbol_at(number - TOKEN_COUNT)->bytes;
    bool is_name = is_keyword || strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") ==
                                     tiny_symbol_at(number - TOKEN_COUNT)->length;
    if (is_name && !strncmp(name, text, length))
      return strdup(name);
  }
  return NULL;
}

static char **completions(const char *text, int start, int end)
{
  (void)start;
  (void)end;
  return *text ? rl_completion_matches(text, complete) : NULL;
}

/* ---- input ---- */

/* Also the library's exit() keeps the history. */
static void save_history(void)
{
  if (history_file)
    write_history(history_file);
}

static void begin_lines(void)
{
  const char *home = getenv("HOME");

  setlocale(LC_CTYPE, "C.UTF-8"); /* libedit drops characters that the locale lacks */
  rl_readline_name = (char *)"tiny";
  rl_initialize();
  rl_attempted_completion_function = completions;
  using_history();
  stifle_history(HISTORY_LINES);
  if (home && asprintf(&history_file, "%s/.tiny_history", home) > 0)
    read_history(history_file);
  atexit(save_history);
}

/* True if the text ends within brackets, or within a comment. */
static bool is_unfinished(const char *text, size_t length)
{
  unsigned parts[TINY_MAX_NESTING], part_count = 0;
  struct tiny_error error = {0};
  struct tiny_lexer lexer;

  for (tiny_lexer_begin(&lexer, text, length, &error); lexer.token != TOKEN_END; tiny_lexer_next(&lexer)) {
    if (lexer.token == TOKEN_CLOSE_BRACE && part_count > 0 && lexer.depth < parts[part_count - 1]) {
      part_count--;
      tiny_lexer_continue_string(&lexer);
    }
    if (lexer.token == TOKEN_STRING_PART && part_count < TINY_MAX_NESTING)
      parts[part_count++] = lexer.depth;
  }
  return error.failed ? strstr(error.text, "comment") != NULL : lexer.depth > 0;
}

static cairn_unmanaged void note_interrupt(int signal)
{
  (void)signal;
  is_interrupted = 1;
}

/* A line without its end, which the caller frees; null at the end of the input, and if Ctrl-C ends the line. */
static char *read_line(const char *prompt)
{
  struct sigaction old, interrupt = {.sa_handler = note_interrupt};

  is_interrupted = 0;
  sigaction(SIGINT, &interrupt, &old);
  char *line = readline(prompt);
  sigaction(SIGINT, &old, NULL);
  if (is_interrupted) {
    free(line);
    line = NULL;
    putchar('\n');
  }
  return line;
}

/* Lines until all brackets and comments are closed; empty after Ctrl-C. Null at the end of the input. The caller frees
 * the text. */
static char *next_input(void)
{
  char *text = read_line("> ");

  while (text && is_unfinished(text, strlen(text))) {
    char *line = read_line(". "), *longer = NULL;
    if (!line)
      break;
    if (asprintf(&longer, "%s\n%s", text, line) < 0)
      longer = NULL;
    free(text);
    free(line);
    text = longer;
  }
  if (is_interrupted) {
    free(text);
    return strdup("");
  }
  if (text && *text)
    add_history(text);
  return text;
}

int tiny_repl(void)
{
  bool is_new;
  uint32_t module = tiny_module(MODULE, &is_new);
  char *text;

  begin_lines();
  while ((text = next_input())) {
    value result = tiny_run(MODULE, text, strlen(text), module);
    free(text);
    if (tiny_is_thrown(result)) {
      tiny_report(stderr);
    } else if (result != TINY_NIL) {
      tiny_write(stdout, result);
      putchar('\n');
    }
    fflush(stdout);
  }
  return 0;
}
