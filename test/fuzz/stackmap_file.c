/* SPDX-License-Identifier: Apache-2.0
 *
 * libFuzzer target: an ELF file or an archive, whose stack maps are decoded, encoded again, and
 * printed with names and source lines.
 */
#include "fuzz/exercise.h"
#include "object/archive.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
  struct cn_archive_member member = {0};
  char *error = NULL;

  if (!cn_archive_is(data, size)) {
    exercise_stackmap_file(data, size);
    return 0;
  }
  int status = 0;
  while (!(status = cn_archive_next(data, size, &member, &error)))
    exercise_stackmap_file(member.data, member.size);
  if (status < 0 && !error)
    abort();
  free(error);
  return 0;
}
