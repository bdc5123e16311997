/* SPDX-License-Identifier: Apache-2.0
 *
 * Appends the files of -fcairn-import to the output of -E, because they change the unit's code as headers do: a cache
 * of objects such as ccache knows a unit's inputs from its preprocessed text. The line marker names a file, and the
 * comment has its BLAKE3 hash. Runs after clang has written the text. Prints errors on stderr, and holds no state.
 */
#include <stdio.h>
#include <string.h>
#include <llvm-c/blake3.h>
#include "driver/cc/units.h"
#include "driver/tool.h"

/* Write the name as a string literal of C. */
static void write_quoted(FILE *file, const char *name)
{
  putc('"', file);
  for (; *name; name++) {
    if (*name == '"' || *name == '\\')
      putc('\\', file);
    putc(*name, file);
  }
  putc('"', file);
}

static void write_hash(FILE *file, struct cn_mapped_text text)
{
  uint8_t hash[LLVM_BLAKE3_OUT_LEN];
  llvm_blake3_hasher hasher;

  llvm_blake3_hasher_init(&hasher);
  if (text.at)
    llvm_blake3_hasher_update(&hasher, text.at, text.size);
  llvm_blake3_hasher_finalize(&hasher, hash, sizeof hash);
  fputs("/* -fcairn-import: ", file);
  for (size_t i = 0; i < sizeof hash; i++)
    fprintf(file, "%02x", hash[i]);
  fputs(" */\n", file);
}

bool cn_imports_append(const struct cn_command *command)
{
  bool named = command->output && strcmp(command->output, "-") != 0;
  FILE *file = named ? fopen(command->output, "a") : stdout;

  for (size_t i = 0; file && i < command->imports.count; i++) {
    struct cn_mapped_text text = cn_text_open(command->imports.at[i]);
    fputs("# 1 ", file);
    write_quoted(file, command->imports.at[i]);
    putc('\n', file);
    write_hash(file, text);
    cn_text_close(text);
  }
  bool ok = file && !ferror(file) && (named ? fclose(file) : fflush(file)) == 0;
  if (!ok)
    cn_tool_error("'%s' cannot be written", named ? command->output : "-");
  return ok;
}
