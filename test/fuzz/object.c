/* SPDX-License-Identifier: Apache-2.0
 *
 * libFuzzer target: rewriting of an object, for the linker and for memory (exercise.h). What comes
 * out has frame maps, details and points that can be read, unless it had others before: those are
 * taken apart, not read.
 */
#include "fuzz/elf_mutator.h"
#include "fuzz/exercise.h"
#include "object/print/frames_view.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

/* The section of stack maps, or 0: there is none, or there are frame maps already. */
static uint32_t stack_maps(const void *bytes, size_t size)
{
  struct cn_elf_file elf;
  char *error = NULL;

  if (cn_elf_open_for_port(&elf, bytes, size, &error))
    abort();
  uint32_t found = cn_elf_find_section(&elf, ".llvm_stackmaps", 0);
  if (cn_elf_find_section(&elf, "cairn_frames", 0) || cn_elf_find_section(&elf, "cairn_details", 0) ||
      cn_elf_find_section(&elf, "cairn_points", 0))
    found = 0;
  cn_elf_close(&elf);
  return found;
}

static void read_again(const unsigned char *old, uint32_t section, const void *bytes, size_t size)
{
  struct cn_frames_view view;
  char *error = NULL;

  if (cn_frames_view_open(&view, bytes, size, &error)) {
    fprintf(stderr, "rewritten, then refused: %s\n", error);
    abort();
  }
  naive_check_rewritten(old, section, &view);
  cn_frames_view_close(&view);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
  void *out = NULL;
  size_t out_size;
  char *error = NULL;
  uint32_t section;

  if (!exercise_object(data, size) && (section = stack_maps(data, size)) != 0) {
    if (cairn_object_rewrite(data, size, &out, &out_size, &error) || !out)
      abort();
    read_again(data, section, out, out_size);
    free(out);
    if (!cairn_object_rewrite_in_memory(data, size, 0, &out, &out_size, &error)) {
      read_again(data, section, out, out_size);
      free(out);
    }
  }
  free(error);
  return 0;
}
