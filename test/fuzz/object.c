/* SPDX-License-Identifier: Apache-2.0
 *
 * libFuzzer target: rewriting of an object, for the linker and for memory (exercise.h). What comes
 * out has frame maps and details that can be read, unless it had others before: those are taken
 * apart, not read.
 */
#include "fuzz/elf_mutator.h"
#include "fuzz/exercise.h"
#include "object/frames_view.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static bool has_maps(const void *bytes, size_t size)
{
  struct cn_elf elf;
  char *error = NULL;

  if (cn_elf_open(&elf, bytes, size, &error))
    abort();
  bool found = cn_elf_find(&elf, "cairn_frames", 0) || cn_elf_find(&elf, "cairn_details", 0);
  cn_elf_close(&elf);
  return found;
}

static void read_again(const void *bytes, size_t size)
{
  struct cn_frames_view view;
  char *error = NULL;

  if (cn_frames_view_open(&view, bytes, size, &error)) {
    fprintf(stderr, "rewritten, then refused: %s\n", error);
    abort();
  }
  cn_frames_view_close(&view);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
  void *out = NULL;
  size_t out_size;
  char *error = NULL;

  if (!exercise_object(data, size) && !cairn_object_rewrite(data, size, &out, &out_size, &error) &&
      out && !has_maps(data, size))
    read_again(out, out_size);
  free(out);
  free(error);
  return 0;
}
