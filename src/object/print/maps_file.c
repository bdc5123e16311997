/* SPDX-License-Identifier: Apache-2.0
 *
 * Prints a file of maps, for `cairn frames` and `cairn stackmap`: opens the file, or each member of an archive, checks
 * all of it, then prints it. Prints to the caller's streams, leaves the file unchanged, and holds no state. Prints an
 * error with the file's name.
 */
#include "object/print/frames_view.h"

#include <stdlib.h>
#include "base/check.h"

static int visit_members(struct cn_maps_print_job *job, const struct cn_input_file *file, char **error)
{
  return job->raw ? job->visit(job, NULL, file->bytes, file->size, error)
                  : cn_archive_visit_members(file->bytes, file->size, job->wanted, job->visit, job, error);
}

static int print_file_json(struct cn_maps_print_job *job, const char *path, const struct cn_input_file *file,
                           char **error)
{
  struct cn_json_writer json = {.out = job->out};

  job->json = &json;
  cn_json_out_open_bracket(&json, NULL, '{');
  cn_json_out_write_string(&json, "file", path);
  cn_json_out_open_bracket(&json, "objects", '[');
  int status = visit_members(job, file, error);
  cn_json_out_close_bracket(&json);
  cn_json_out_close_bracket(&json);
  return status;
}

int cn_maps_print_file(struct cn_maps_print_job *job, const char *path, bool json, FILE *out, FILE *err)
{
  struct cn_input_file file;
  char *error = NULL;
  int status = cn_input_open(&file, path, job->begins, &error);

  CN_CHECK(!job->out); /* the first walk only checks */
  if (!status)
    status = visit_members(job, &file, &error);
  job->out = out;
  if (!status)
    status = json ? print_file_json(job, path, &file, &error) : visit_members(job, &file, &error);
  if (status)
    fprintf(err, "%s: error: '%s': %s\n", job->command, path, error);
  free(error);
  cn_input_close(&file);
  return status;
}
