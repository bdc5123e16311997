/* SPDX-License-Identifier: Apache-2.0
 *
 * libFuzzer target: an ELF file or an archive as `cairn frames`, with and without
 * --points, `cairn size` and the look at what was linked read it; all of it is printed.
 */
#include "fuzz/elf_mutator.h"
#include "fuzz/input_file.h"
#include "object/build/image_check.h"
#include "object/print/frames_print.h"
#include "object/print/size.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
  const char *path = input_file(data, size);
  struct cn_file_map_size count;
  char *error = NULL;

  int status = cairn_frames_print_file(path, false, nowhere(), nowhere());
  if (!status != !cairn_frames_print_file(path, true, nowhere(), nowhere()))
    abort();
  status = cairn_points_print_file(path, false, nowhere(), nowhere());
  if (!status != !cairn_points_print_file(path, true, nowhere(), nowhere()))
    abort();
  if (!cn_size_count_maps(&count, data, size, &error))
    cn_size_free_counts(&count);
  else if (!error)
    abort();
  free(error);
  error = NULL;
  if (cn_image_check(path, &error) && !error)
    abort();
  free(error);
  return 0;
}
