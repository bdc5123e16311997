/* SPDX-License-Identifier: Apache-2.0
 *
 * `cairn stackmap`: open the file, or each member of an archive, check all of it, print it.
 */
#include "object/print/stackmap_print.h"

#include <stdlib.h>
#include <string.h>
#include "base/check.h"
#include "object/elf/archive.h"
#include "object/elf/input.h"
#include "object/stackmap/stackmap_file.h"

/* Negative: a map of the view is malformed. */
static int check_view(const struct cn_stackmap_view *view, struct cairn_stackmap_error *bad)
{
  struct cairn_stackmap_section section;
  struct cairn_stackmap map;

  for (unsigned i = 0; cn_stackmap_view_section(view, i, &section); i++)
    for (size_t at = 0; at < section.length; at += map.length)
      if (cairn_stackmap_open(section.bytes + at, section.length - at, &map, bad) < 0) {
        bad->offset += section.file_offset + at;
        return -1;
      }
  return 0;
}

static int open_view(struct cn_stackmap_view *view, const void *bytes, size_t size, bool raw,
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
  return status < 0 ? status : check_view(view, bad);
}

/* One pass over a file, which prints it or only checks it. */
struct job {
  struct cn_stackmap_print how;
  FILE *out; /* null: check */
  struct cn_json_out *json;
};

static int do_object(const struct job *job, const char *member, const void *bytes, size_t size, char **error)
{
  struct cn_stackmap_view view = {.member = member};
  struct cairn_stackmap_error bad;
  int status = open_view(&view, bytes, size, job->how.raw, &bad);

  if (status == CAIRN_E_NO_MAPS && !member && cn_elf_has(bytes, size, "cairn_frames")) {
    *error = cn_format("it has frame maps in the place of stack maps: 'cairn frames' prints them");
  } else if (status < 0) {
    *error = member ? cn_format("member '%s', offset 0x%zx: %s", member, bad.offset, bad.reason)
                    : cn_format("offset 0x%zx: %s", bad.offset, bad.reason);
  } else if (job->out) {
    view.lines = view.file ? cn_lines_open(&view.file->elf) : NULL;
    cn_stackmap_print(job->out, job->how.json ? job->json : NULL, &view);
    cn_lines_close(view.lines);
  }
  cairn_stackmap_file_close(view.file);
  return status;
}

/* Skip members without stack maps. */
static int do_archive(const struct job *job, const void *bytes, size_t size, char **error)
{
  struct cn_archive_member member = {0};
  int status;
  bool found = false;

  while (!(status = cn_archive_next(bytes, size, &member, error))) {
    status = do_object(job, member.name, member.data, member.size, error);
    if (status < 0 && status != CAIRN_E_NO_MAPS)
      return status;
    found |= !status;
    free(*error);
    *error = NULL;
  }
  if (status > 0 && !found)
    return CN_FAIL(error, "no member has a section .llvm_stackmaps");
  return status < 0 ? status : 0;
}

static int do_file(const struct job *job, const void *bytes, size_t size, char **error)
{
  if (!job->how.raw && cn_archive_is(bytes, size))
    return do_archive(job, bytes, size, error);
  return do_object(job, NULL, bytes, size, error);
}

static int print_all(const struct job *job, const char *path, const void *bytes, size_t size, char **error)
{
  if (!job->how.json)
    return do_file(job, bytes, size, error);
  cn_json_out_open(job->json, NULL, '{');
  cn_json_out_string(job->json, "file", path);
  cn_json_out_open(job->json, "objects", '[');
  int status = do_file(job, bytes, size, error);
  cn_json_out_close(job->json);
  cn_json_out_close(job->json);
  return status;
}

/* The bytes of a section begin with a version. */
static bool is_raw(const unsigned char *bytes, size_t size)
{
  return size > 0 && bytes[0] >= 1 && bytes[0] <= 3;
}

int cairn_stackmap_print_file(const char *path, struct cn_stackmap_print how, FILE *out, FILE *err)
{
  struct cn_json_out json = {.out = out};
  struct job check = {.how = how}, print = {.how = how, .out = out, .json = &json};
  struct cn_input file;
  char *error = NULL;
  int status = cn_input_open(&file, path, how.raw ? is_raw : cn_input_is_binary, &error);

  if (!status)
    status = do_file(&check, file.bytes, file.size, &error);
  if (!status)
    status = print_all(&print, path, file.bytes, file.size, &error);
  if (status)
    fprintf(err, "cairn stackmap: error: '%s': %s\n", path, error);
  free(error);
  cn_input_close(&file);
  return status;
}
