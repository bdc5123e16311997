/* SPDX-License-Identifier: Apache-2.0
 *
 * `cairn frames`: prints the frame maps or the points of an object, or of each member of an archive that has any.
 * Prints to the caller's streams, leaves the file unchanged, and holds no state. Prints an error with the file's name.
 */
#include "object/print/frames_print.h"

#include "object/print/frames_view.h"

static int print_member_frame_maps(void *env, const char *member, const void *bytes, size_t size, char **error)
{
  const struct cn_maps_print_job *job = env;
  struct cn_frames_view view;

  if (member && !cn_elf_has_section(bytes, size, "cairn_frames") && !cn_elf_has_section(bytes, size, ".llvm_stackmaps"))
    return 1;
  int status = cn_frames_view_open(&view, bytes, size, error);
  if (status)
    return member && !cn_elf_has_section(bytes, size, "cairn_frames") ? 1 : status;
  if (job->out)
    cn_frames_print_object(job->out, job->json, member, &view);
  cn_frames_view_close(&view);
  return 0;
}

int cairn_frames_print_file(const char *path, bool json, FILE *out, FILE *err)
{
  struct cn_maps_print_job job = {.command = "cairn frames",
                                  .wanted = "frame maps",
                                  .visit = print_member_frame_maps,
                                  .begins = cn_input_is_binary};

  return cn_maps_print_file(&job, path, json, out, err);
}

static int print_member_points(void *env, const char *member, const void *bytes, size_t size, char **error)
{
  const struct cn_maps_print_job *job = env;
  struct cn_frames_view view;

  if (member && !cn_elf_has_section(bytes, size, "cairn_points"))
    return 1;
  if (cn_frames_view_open(&view, bytes, size, error))
    return -1;
  bool found = view.has_points;
  if (found && job->out)
    cn_points_print_object(job->out, job->json, member, &view);
  cn_frames_view_close(&view);
  if (found)
    return 0;
  return member ? 1 : CN_FAIL(error, "no section cairn_points: its functions have no points");
}

int cairn_points_print_file(const char *path, bool json, FILE *out, FILE *err)
{
  struct cn_maps_print_job job = {
      .command = "cairn frames", .wanted = "points", .visit = print_member_points, .begins = cn_input_is_binary};

  return cn_maps_print_file(&job, path, json, out, err);
}
