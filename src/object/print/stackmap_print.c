/* SPDX-License-Identifier: Apache-2.0
 *
 * `cairn stackmap`: prints the stack maps of an object, or of each member of an archive. Prints to the caller's
 * streams, leaves the file unchanged, and holds no state. Prints an error with the file's name.
 */
#include "object/print/stackmap_print.h"

#include "base/check.h"
#include "object/print/frames_view.h"
#include "object/stackmap/stackmap_file.h"

static int check_view_maps(const struct cn_stackmap_view *view, struct cairn_stackmap_error *bad)
{
  struct cairn_stackmap_section section;
  struct cairn_stackmap map;

  for (unsigned i = 0; cn_stackmap_view_section_at(view, i, &section); i++)
    for (size_t at = 0; at < section.length; at += map.length)
      if (cairn_stackmap_open(section.bytes + at, section.length - at, &map, bad) < 0) {
        bad->offset += section.file_offset + at;
        return -1;
      }
  return 0;
}

static int open_and_check_view(struct cn_stackmap_view *view, const void *bytes, size_t size, bool raw,
                               struct cairn_stackmap_error *bad)
{
  int status = 0;

  view->whole = (struct cairn_stackmap_section){.bytes = bytes, .length = size};
  if (!raw)
    status = cairn_stackmap_file_open(bytes, size, &view->file, bad);
  if (raw && !size) {
    *bad = (struct cairn_stackmap_error){0, "the file is empty"};
    status = CAIRN_E_NO_MAPS;
  }
  return status < 0 ? status : check_view_maps(view, bad);
}

static int print_member_stack_maps(void *env, const char *member, const void *bytes, size_t size, char **error)
{
  const struct cn_maps_print_job *job = env;
  struct cn_stackmap_view view = {.member = member};
  struct cairn_stackmap_error bad;
  int status = open_and_check_view(&view, bytes, size, job->raw, &bad);

  if (status == CAIRN_E_NO_MAPS && cn_elf_has_section(bytes, size, "cairn_frames")) {
    *error = cn_format("it has frame maps in the place of stack maps: 'cairn frames' prints them");
  } else if (status < 0 && (status != CAIRN_E_NO_MAPS || !member)) {
    *error = cn_format("offset 0x%zx: %s", bad.offset, bad.reason);
  } else if (!status && job->out) {
    view.lines = view.file ? cn_lines_open(&view.file->elf) : NULL;
    cn_stackmap_print(job->out, job->json, &view);
    cn_lines_close(view.lines);
  }
  cairn_stackmap_file_close(view.file);
  return member && status == CAIRN_E_NO_MAPS ? 1 : status;
}

/* True if the bytes may be a raw section, which begins with a version. */
static bool begins_like_raw_section(const unsigned char *bytes, size_t size)
{
  return size > 0 && bytes[0] >= 1 && bytes[0] <= 3;
}

int cairn_stackmap_print_file(const char *path, struct cn_stackmap_print how, FILE *out, FILE *err)
{
  struct cn_maps_print_job job = {.command = "cairn stackmap",
                                  .wanted = "a section .llvm_stackmaps",
                                  .visit = print_member_stack_maps,
                                  .begins = how.raw ? begins_like_raw_section : cn_input_is_binary,
                                  .raw = how.raw};

  return cn_maps_print_file(&job, path, how.json, out, err);
}
