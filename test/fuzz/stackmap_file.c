/* SPDX-License-Identifier: Apache-2.0
 *
 * libFuzzer target: an ELF file or an archive, whose stack maps are decoded, encoded again, and
 * printed with names and source lines, as `cairn stackmap` does.
 */
#include "fuzz/elf_mutator.h"
#include "fuzz/exercise.h"
#include "fuzz/input_file.h"
#include "object/elf/archive.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
  const char *path = input_file(data, size);
  struct cn_stackmap_print how = {.json = true};

  /* Archives, and what is in them, by the command alone. */
  if (cn_is_archive(data, size)) {
    int status = cairn_stackmap_print_file(path, how, nowhere(), nowhere());
    how.json = false;
    if (!status != !cairn_stackmap_print_file(path, how, nowhere(), nowhere()))
      abort();
  } else if (exercise_stackmap_file(data, size) < 0 && !cairn_stackmap_print_file(path, how, nowhere(), nowhere())) {
    abort(); /* the former looks at the first map alone */
  }
  how = (struct cn_stackmap_print){.raw = true};
  cairn_stackmap_print_file(path, how, nowhere(), nowhere());
  return 0;
}
