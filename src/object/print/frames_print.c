/* SPDX-License-Identifier: Apache-2.0
 *
 * `cairn frames`: open the file, or each member of an archive, check all of it, print it.
 */
#include "object/print/frames_print.h"

#include <stdlib.h>
#include <string.h>
#include "base/check.h"
#include "object/elf/archive.h"
#include "object/elf/input.h"
#include "object/print/frames_view.h"

/* Print the maps; without a printer only check them. */
struct job {
  FILE *text;
  struct cn_json_out *json;
};

static int do_object(const struct job *job, const char *member, const void *bytes, size_t size, char **error)
{
  struct cn_frames_view view;

  if (cn_frames_view_open(&view, bytes, size, error))
    return -1;
  if (job->json || job->text)
    cn_frames_print(job->text, job->json, member, &view);
  cn_frames_view_close(&view);
  return 0;
}

/* Skip members without frame maps. If no member has any, name the members that have stack maps. */
static int do_archive(const struct job *job, const void *bytes, size_t size, char **error)
{
  struct cn_archive_member member = {0};
  int status;
  bool found = false;
  char raw[sizeof member.name] = "";

  while (!(status = cn_archive_next(bytes, size, &member, error))) {
    if (!cn_elf_has(member.data, member.size, "cairn_frames")) {
      if (cn_elf_has(member.data, member.size, ".llvm_stackmaps"))
        memcpy(raw, member.name, sizeof raw);
      continue;
    }
    found = true;
    if (do_object(job, member.name, member.data, member.size, error)) {
      char *why = *error;
      *error = cn_format("member '%s': %s", member.name, why);
      free(why);
      return -1;
    }
  }
  if (status > 0 && !found && *raw)
    return CN_FAIL(error,
                   "no member has frame maps; '%s' has LLVM's stack maps: 'cairn frames "
                   "--rewrite' makes frame maps of them",
                   raw);
  if (status > 0 && !found)
    return CN_FAIL(error, "no member has a section cairn_frames");
  return status < 0 ? status : 0;
}

static int do_file(const struct job *job, const void *bytes, size_t size, char **error)
{
  return cn_archive_is(bytes, size) ? do_archive(job, bytes, size, error) : do_object(job, NULL, bytes, size, error);
}

static int print_json(const char *path, const void *bytes, size_t size, FILE *out, char **error)
{
  struct cn_json_out json = {.out = out};
  struct job job = {.json = &json};

  cn_json_out_open(&json, NULL, '{');
  cn_json_out_string(&json, "file", path);
  cn_json_out_open(&json, "objects", '[');
  int status = do_file(&job, bytes, size, error);
  cn_json_out_close(&json);
  cn_json_out_close(&json);
  return status;
}

int cairn_frames_print_file(const char *path, bool json, FILE *out, FILE *err)
{
  struct job check = {0}, text = {.text = out};
  struct cn_input file;
  char *error = NULL;
  int status = cn_input_open(&file, path, cn_input_is_binary, &error);

  if (!status)
    status = do_file(&check, file.bytes, file.size, &error);
  if (!status)
    status =
        json ? print_json(path, file.bytes, file.size, out, &error) : do_file(&text, file.bytes, file.size, &error);
  if (status)
    fprintf(err, "cairn frames: error: '%s': %s\n", path, error);
  free(error);
  cn_input_close(&file);
  return status;
}
