/* SPDX-License-Identifier: Apache-2.0
 *
 * The link: clang's, with the runtime at the end.
 *
 * Executables hold the runtime, whole, and export it; shared objects use the executable's. Objects
 * that another compiler made with stack maps in them get frame maps here: the runtime would take
 * their frames for native ones.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "driver/process.h"
#include "driver/tool.h"
#include "driver/units.h"
#include "object/image_check.h"

/* A quick look: does the file contain the name of stack maps, or of frame maps (which `ld -r` may
 * have joined in a way that has to be undone)? */
static bool may_have_stack_maps(const char *path)
{
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  struct stat status;
  bool found = false;

  if (fd < 0)
    return false;
  if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
    size_t size = (size_t)status.st_size;
    void *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (bytes != MAP_FAILED) {
      found = memcmp(bytes, "\177ELF", size < 4 ? size : 4) == 0 &&
              (memmem(bytes, size, "llvm_stackmaps", 15) ||
               memmem(bytes, size, "cairn_frames", 13));
      munmap(bytes, size);
    }
  }
  close(fd);
  return found;
}

static const char *object_to_link(const struct cn_command *command, const char *path)
{
  size_t length = strlen(path);
  bool changed = false;

  if (command->dry_run || length < 2 || strcmp(path + length - 2, ".o") != 0 ||
      !may_have_stack_maps(path))
    return path;
  const char *rewritten = cn_temp_file(cn_paths_stem(path), ".o");
  if (!rewritten || !cn_backend_rewrite(path, rewritten, &changed))
    return NULL;
  return changed ? rewritten : path;
}

static const struct cn_unit *unit_of(const struct cn_unit *units, size_t count,
                                     const struct cn_item *item)
{
  for (size_t i = 0; i < count; i++)
    if (units[i].item == item)
      return &units[i];
  return NULL;
}

static bool is_static(const struct cn_command *command)
{
  for (size_t i = 0; i < command->items.count; i++)
    for (size_t k = 0; k < command->items.at[i].count; k++)
      if (strcmp(command->items.at[i].words[k], "-static") == 0 ||
          strcmp(command->items.at[i].words[k], "-static-pie") == 0)
        return true;
  return false;
}

/* The runtime is whole because compiled code of shared objects, which the linker does not see,
 * calls into it. */
static bool add_runtime(const struct cn_command *command, struct cn_words *words)
{
  const char *library = cn_paths_find("lib/libcairn.a");
  const char *exports = cn_paths_find("lib/libcairn.exports");

  if (!library || !exports) {
    cn_tool_error("%s is not in the lib directory beside this program's",
                  library ? "libcairn.exports" : "the runtime library libcairn.a");
    return false;
  }
  cn_push(words, "-Wl,--whole-archive");
  cn_push(words, library);
  cn_push(words, "-Wl,--no-whole-archive");
  /* Nobody could import it from a static program, and GNU ld would leave a thread-local relocation
   * in a static PIE that its start code cannot apply. */
  if (!is_static(command)) {
    cn_push(words, "-Xlinker");
    cn_push(words, cn_command_text("--dynamic-list=%s", exports));
  }
  return true;
}

static bool add_inputs(const struct cn_command *command, const struct cn_unit *units, size_t count,
                       struct cn_words *words)
{
  for (size_t i = 0; i < command->items.count; i++) {
    const struct cn_item *item = &command->items.at[i];
    const struct cn_unit *unit = unit_of(units, count, item);
    if (unit) {
      cn_push(words, unit->output);
    } else if (item->input) {
      const char *path = object_to_link(command, item->words[0]);
      if (!path)
        return false;
      cn_push(words, path);
    } else if (item->to_link) {
      for (size_t k = 0; k < item->count; k++)
        cn_push(words, item->words[k]);
    }
  }
  return true;
}

bool cn_link_command(const struct cn_command *command, const struct cn_unit *units, size_t count,
                     struct cn_words *words)
{
  cn_push(words, cn_process_clang());
  if (count > 0)
    cn_push(words, "-Qunused-arguments"); /* the units' options were used where they belong */
  if (!add_inputs(command, units, count, words))
    return false;
  if (command->output) {
    cn_push(words, "-o");
    cn_push(words, command->output);
  }
  /* The executable has the runtime: a shared object must leave it undefined. */
  if (command->shared && command->no_undefined)
    cn_push(words, "-Wl,-z,undefs");
  if (command->shared || command->relocatable || command->no_default_libraries)
    return true;
  return add_runtime(command, words);
}

bool cn_link_check(const struct cn_command *command)
{
  const char *path = command->output ? command->output : "a.out";
  char *error = NULL;

  if (command->relocatable)
    return true;
  if (cn_leftovers_in(path))
    cn_tool_error("'%s': code from an archive has stack maps that never became frame maps; give "
                  "its objects to cairn-cc, or to cairn frames --rewrite first",
                  path);
  else if (cn_image_check(path, &error))
    cn_tool_error("'%s': %s", path, error);
  else
    return true;
  free(error);
  cn_output_remove(path);
  return false;
}
