/* SPDX-License-Identifier: Apache-2.0
 *
 * Parses the units of a program by libclang, with the arguments of the command line or of a compilation database.
 * Prints clang's errors on stderr.
 */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <clang-c/CXCompilationDatabase.h>
#include "migrate/program.h"

/* True if the unit has an error. Prints clang's errors. */
static bool print_errors(CXTranslationUnit unit)
{
  bool failed = false;

  for (unsigned i = 0; i < clang_getNumDiagnostics(unit); i++) {
    CXDiagnostic diagnostic = clang_getDiagnostic(unit, i);
    if (clang_getDiagnosticSeverity(diagnostic) >= CXDiagnostic_Error) {
      CXString text =
          clang_formatDiagnostic(diagnostic, CXDiagnostic_DisplaySourceLocation | CXDiagnostic_DisplayColumn);
      fprintf(stderr, "%s\n", clang_getCString(text));
      clang_disposeString(text);
      failed = true;
    }
    clang_disposeDiagnostic(diagnostic);
  }
  return failed;
}

static uint32_t file_number(struct cn_program *program, CXTranslationUnit unit, CXFile file)
{
  struct cn_position position;

  cn_program_locate(program, clang_getLocationForOffset(unit, file, 0), &position);
  return position.file;
}

struct inclusions {
  struct cn_program *program;
  CXTranslationUnit unit;
};

static void note_inclusion(CXFile included, CXSourceLocation *stack, unsigned length, CXClientData env)
{
  struct inclusions *inclusions = env;
  CXFile from = NULL;

  if (length == 0)
    return;
  clang_getFileLocation(stack[0], &from, NULL, NULL, NULL);
  uint32_t number = file_number(inclusions->program, inclusions->unit, included);
  uint32_t includer = from ? file_number(inclusions->program, inclusions->unit, from) : 0;
  struct cn_file *file = includer ? &inclusions->program->files.at[includer] : NULL;
  /* Cairn's headers include each other. */
  if (file && number && (!file->system || strstr(file->path, "/cairn/")))
    cn_push(&inclusions->program->files.at[includer].includes, number);
}

static bool is_input(const char *path)
{
  size_t length = strlen(path);

  return length > 2 && path[length - 2] == '.' && (path[length - 1] == 'c' || path[length - 1] == 'i');
}

bool cn_unit_parse(struct cn_program *program, CXIndex index, const char *path, const char *const *arguments, int count)
{
  CN_VECTOR(const char *) all = {0};
  CXTranslationUnit unit = NULL;

  if (!is_input(path)) {
    fprintf(stderr, "cairn-migrate: error: %s: only files of C (.c) are read; headers follow from them\n", path);
    return false;
  }
  for (int i = 0; i < count; i++)
    cn_push(&all, arguments[i]);
  cn_push(&all, "-isystem");
  cn_push(&all, program->options.include);
  enum CXErrorCode code =
      clang_parseTranslationUnit2(index, path, all.at, (int)all.count, NULL, 0, CXTranslationUnit_None, &unit);
  cn_free(&all);
  if (code != CXError_Success || !unit) {
    fprintf(stderr, "cairn-migrate: error: %s: clang cannot read the file\n", path);
    return false;
  }
  cn_push(&program->units, unit);
  if (print_errors(unit))
    return false;
  clang_getInclusions(unit, note_inclusion, &(struct inclusions){program, unit});
  return true;
}

/* ---- compilation databases ---- */

static char *take_string(struct cn_program *program, CXString string)
{
  char *copy = cn_program_keep(program, cn_strdup(clang_getCString(string)));

  clang_disposeString(string);
  return copy;
}

/* The arguments of a command, without the compiler, the file and the output. */
static bool parse_command(struct cn_program *program, CXIndex index, CXCompileCommand command)
{
  char *folder = take_string(program, clang_CompileCommand_getDirectory(command));
  char *file = take_string(program, clang_CompileCommand_getFilename(command));
  CN_VECTOR(const char *) arguments = {0};

  cn_push(&arguments, cn_program_keep(program, cn_format("-working-directory=%s", folder)));
  for (unsigned i = 1; i < clang_CompileCommand_getNumArgs(command); i++) {
    char *argument = take_string(program, clang_CompileCommand_getArg(command, i));
    if (strcmp(argument, "-o") == 0) {
      i++;
    } else if (strcmp(argument, "-c") != 0 && strcmp(argument, "--") != 0 && strcmp(argument, file) != 0) {
      cn_push(&arguments, argument);
    }
  }
  char *path = cn_program_keep(program, *file == '/' ? cn_strdup(file) : cn_format("%s/%s", folder, file));
  bool good = !is_input(path) || cn_unit_parse(program, index, path, arguments.at, (int)arguments.count);
  cn_free(&arguments);
  return good;
}

static bool parse_commands(struct cn_program *program, CXIndex index, CXCompileCommands commands, const char *path)
{
  unsigned count = clang_CompileCommands_getSize(commands);
  bool good = true;

  if (count == 0) {
    fprintf(stderr, "cairn-migrate: error: %s: the compilation database has no command for the file\n", path);
    good = false;
  }
  /* A file that is compiled several times is read with each command. */
  for (unsigned i = 0; good && i < count; i++)
    good = parse_command(program, index, clang_CompileCommands_getCommand(commands, i));
  clang_CompileCommands_dispose(commands);
  return good;
}

bool cn_unit_parse_database(struct cn_program *program, CXIndex index, const char *folder, char *const *paths,
                            int count)
{
  CXCompilationDatabase_Error error;
  CXCompilationDatabase database = clang_CompilationDatabase_fromDirectory(folder, &error);
  bool good = true;

  if (error != CXCompilationDatabase_NoError) {
    fprintf(stderr, "cairn-migrate: error: %s: no compile_commands.json that can be read\n", folder);
    return false;
  }
  if (count == 0)
    good = parse_commands(program, index, clang_CompilationDatabase_getAllCompileCommands(database), folder);
  for (int i = 0; good && i < count; i++) {
    char real[PATH_MAX];
    const char *path = realpath(paths[i], real) ? real : paths[i];
    good = parse_commands(program, index, clang_CompilationDatabase_getCompileCommands(database, path), paths[i]);
  }
  clang_CompilationDatabase_dispose(database);
  return good;
}
