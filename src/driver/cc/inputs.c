/* SPDX-License-Identifier: Apache-2.0
 *
 * Prepares the input files of a link, and replaces some objects and archives by rewritten copies. Objects with stack
 * maps from another compiler get frame maps, because the runtime would treat frames without frame maps as native; calls
 * of functions that the linker replaces (renames.c) get other names. Bitcode is omitted, because its code is in the
 * joined object. Also tells whether a file has bitcode or such calls, or is for another machine. Runs before the link,
 * leaves the inputs unchanged, runs llvm-ar for indices of archives, and prints errors on stderr. The copies are
 * temporary files; this file holds no state.
 */
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cairn/object.h>
#include "base/check.h"
#include "base/guard.h"
#include "base/vector.h"
#include "compile/codegen/codegen.h"
#include "driver/cc/process.h"
#include "driver/cc/units.h"
#include "driver/tool.h"
#include "object/elf/archive.h"
#include "object/elf/elf_port.h"

struct mapped_file {
  void *bytes; /* null if the file is unreadable or empty */
  size_t size;
};

static struct mapped_file map_input_file(const char *path)
{
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  struct mapped_file file = {0};
  struct stat status;

  if (fd < 0)
    return file;
  if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
    file.size = (size_t)status.st_size;
    file.bytes = mmap(NULL, file.size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (file.bytes == MAP_FAILED)
      file.bytes = NULL;
  }
  close(fd);
  return file;
}

static void unmap_input_file(struct mapped_file *file)
{
  if (file->bytes)
    munmap(file->bytes, file->size);
}

static bool has_magic(const void *bytes, size_t size, const char *magic)
{
  return size >= 4 && memcmp(bytes, magic, 4) == 0;
}

static bool is_bitcode(const void *bytes, size_t size)
{
  return has_magic(bytes, size, "BC\xc0\xde") || has_magic(bytes, size, "\xde\xc0\x17\x0b");
}

/* A quick test for section names: true if the object has stack maps, a guard for maps that are still to be made, frame
 * maps (which `ld -r` may have joined wrongly), or layouts, whose version must be checked. */
static bool may_need_rewrite(const void *bytes, size_t size)
{
  return has_magic(bytes, size, "\177ELF") &&
         (memmem(bytes, size, "llvm_stackmaps", 15) || memmem(bytes, size, "cairn_frames", 13) ||
          memmem(bytes, size, "cairn_layouts", 14) || memmem(bytes, size, CN_GUARD_SYMBOL, sizeof CN_GUARD_SYMBOL));
}

static bool is_relocatable_object(const struct mapped_file *file)
{
  Elf64_Ehdr head;

  if (!file->bytes || file->size < sizeof head || !has_magic(file->bytes, file->size, ELFMAG))
    return false;
  memcpy(&head, file->bytes, sizeof head);
  return head.e_type == ET_REL;
}

/* ---- members of archives ---- */

/* A member, which stays in memory as long as its archive. */
struct loaded_member {
  char name[256];
  const void *bytes; /* points into the archive, into `file` or to `own` */
  size_t size;
  struct mapped_file file; /* a thin archive's */
  void *own;               /* the rewritten member, which the owner frees */
  bool left_out;
};

_Static_assert(sizeof((struct loaded_member *)NULL)->name == sizeof((struct cn_archive_member *)NULL)->name,
               "a member's name fits");

struct loaded_archive {
  const char *path;
  struct mapped_file file;
  CN_VECTOR(struct loaded_member) parts;
};

static void close_archive(struct loaded_archive *archive)
{
  CN_CHECK(archive->file.bytes || archive->parts.count == 0); /* members lie within the mapped archive file */
  for (size_t i = 0; i < archive->parts.count; i++) {
    unmap_input_file(&archive->parts.at[i].file);
    free(archive->parts.at[i].own);
  }
  cn_free(&archive->parts);
  unmap_input_file(&archive->file);
}

/* Open a member of a thin archive, which contains the member's path relative to the archive. */
static struct mapped_file open_thin_member(const struct loaded_archive *archive, const char *name)
{
  const char *slash = name[0] == '/' ? NULL : strrchr(archive->path, '/');

  return map_input_file(slash ? cn_command_format_string("%.*s/%s", (int)(slash - archive->path), archive->path, name)
                              : name);
}

/* False if the archive is malformed or a thin archive's member is unreadable; the linker will report this. */
static bool open_archive(const char *path, struct loaded_archive *archive)
{
  struct cn_archive_member member = {.thin_too = true};
  char *error = NULL;
  int status = -1;

  *archive = (struct loaded_archive){.path = path, .file = map_input_file(path)};
  if (!archive->file.bytes || !cn_is_archive(archive->file.bytes, archive->file.size))
    return false;
  while ((status = cn_archive_next_member(archive->file.bytes, archive->file.size, &member, &error)) == 0) {
    struct loaded_member part = {.bytes = member.data, .size = member.size};
    CN_CHECK(memchr(member.name, 0, sizeof part.name)); /* the name is printed, and written to a table */
    memcpy(part.name, member.name, sizeof part.name);
    if (!member.data) {
      part.file = open_thin_member(archive, member.name);
      part.bytes = part.file.bytes;
      part.size = part.file.size;
    }
    if (!part.bytes)
      break;
    cn_push(&archive->parts, part);
  }
  free(error);
  return status == 1;
}

/* ---- an archive in place of another ---- */

/* Write a header without times and owners, for reproducible archives. */
static void write_member_header(FILE *out, const char *name, size_t size)
{
  int length = fprintf(out, "%-16s%-12d%-6d%-6d%-8d%-10zu`\n", name, 0, 0, 0, 644, size);

  CN_CHECK(length < 0 || length == 60); /* each value fits into its field of the header */
}

static void pad_to_even_size(FILE *out, size_t size)
{
  if (size % 2)
    putc('\n', out);
}

/* Write an archive in GNU's form, whose table has all names, each with a slash and a newline at its end. */
static bool write_archive(FILE *out, const struct loaded_archive *archive)
{
  size_t names = 0, at = 0;

  CN_CHECK(ftell(out) == 0);
  for (size_t i = 0; i < archive->parts.count; i++)
    names += archive->parts.at[i].left_out ? 0 : strlen(archive->parts.at[i].name) + 2;
  fputs("!<arch>\n", out);
  write_member_header(out, "//", names);
  for (size_t i = 0; i < archive->parts.count; i++)
    if (!archive->parts.at[i].left_out)
      fprintf(out, "%s/\n", archive->parts.at[i].name);
  pad_to_even_size(out, names);
  for (size_t i = 0; i < archive->parts.count; i++) {
    const struct loaded_member *part = &archive->parts.at[i];
    char name[32];
    if (part->left_out)
      continue;
    CN_CHECK(part->bytes && at < names);
    snprintf(name, sizeof name, "/%zu", at);
    at += strlen(part->name) + 2;
    write_member_header(out, name, part->size);
    fwrite(part->bytes, 1, part->size, out);
    pad_to_even_size(out, part->size);
  }
  CN_CHECK(at == names); /* each member's name is at the offset in its header */
  return !ferror(out);
}

/* Make an archive with an index, which linkers require. Null after a message. */
static const char *save_indexed_archive(const struct loaded_archive *archive)
{
  const char *path = cn_temp_make_file_name(cn_paths_stem_of(archive->path), ".a");
  const char *index = cn_process_find_llvm_tool("llvm-ar", "an archive with other members", "llvm-22");
  FILE *out = path && index ? fopen(path, "wb") : NULL;
  struct cn_words words = {0};

  if (!out)
    return NULL;
  bool ok = write_archive(out, archive);
  ok &= fclose(out) == 0;
  if (!ok)
    cn_tool_error("unable to write '%s'", path);
  cn_push(&words, index);
  cn_push(&words, "s");
  cn_push(&words, path);
  ok = ok && cn_process_run(&words) == CN_EXIT_OK;
  cn_free(&words);
  return ok ? path : NULL;
}

/* Add frame maps to an object and rename its symbols. With CAIRN_OK, *out is null if the object needs no change. */
static enum cairn_status rewrite_and_rename_object(const void *bytes, size_t size, const struct cn_renames *renames,
                                                   void **out, size_t *out_size, char **error)
{
  enum cairn_status status = cairn_object_rewrite(bytes, size, out, out_size, error);
  void *own = NULL;
  size_t own_size = 0;

  if (status == CAIRN_OK && renames->list.count)
    status = cn_thunk_names_change(*out ? *out : bytes, *out ? *out_size : size, renames, &own, &own_size, error);
  if (!own && status == CAIRN_OK)
    return status;
  free(*out);
  *out = own;
  *out_size = own_size;
  return status;
}

/* Omit a member with bitcode, or add frame maps to the member, and set *changed. False after a message. */
static bool change_archive_member(const struct loaded_archive *archive, struct loaded_member *part,
                                  const struct cn_renames *renames, bool *changed)
{
  size_t size;
  char *error = NULL;

  CN_CHECK(part->bytes != NULL && part->own == NULL);
  part->left_out = is_bitcode(part->bytes, part->size);
  if (!may_need_rewrite(part->bytes, part->size)) {
    *changed |= part->left_out;
    return true;
  }
  if (rewrite_and_rename_object(part->bytes, part->size, renames, &part->own, &size, &error) != CAIRN_OK) {
    cn_tool_error("'%s(%s)': %s", archive->path, part->name, error);
    free(error);
    return false;
  }
  CN_CHECK(!part->left_out); /* bitcode is no ELF object */
  if (part->own) {
    CN_CHECK(size > 0);
    part->bytes = part->own;
    part->size = size;
    *changed = true;
  }
  return true;
}

static bool replace_archive(const char *path, const struct cn_renames *renames, const char **replacement)
{
  struct loaded_archive archive;
  bool ok = true, changed = false;

  if (open_archive(path, &archive)) {
    for (size_t i = 0; ok && i < archive.parts.count; i++)
      ok = change_archive_member(&archive, &archive.parts.at[i], renames, &changed);
    if (ok && changed)
      ok = (*replacement = save_indexed_archive(&archive)) != NULL;
  }
  close_archive(&archive);
  return ok;
}

/* ---- all inputs ---- */

bool cn_inputs_is_bitcode(const char *path)
{
  struct mapped_file file = map_input_file(path);
  bool bitcode = file.bytes && is_bitcode(file.bytes, file.size);

  unmap_input_file(&file);
  return bitcode;
}

/* True if the bytes, of `path` or its member, are no ELF file for another architecture; false after a message. */
static bool fits_target(const char *path, const char *member, const void *bytes, size_t size, const char *target)
{
  const char *machine = cn_elf_find_other_machine(bytes, size, cn_codegen_library_folder(target));

  if (machine)
    cn_tool_error("'%s%s%s%s' is for %s, and the link is for %s", path, member ? "(" : "", member ? member : "",
                  member ? ")" : "", machine, cn_codegen_target_name(target));
  return !machine;
}

bool cn_inputs_fit_target(const char *path, const char *target)
{
  struct loaded_archive archive;
  struct mapped_file file = map_input_file(path);
  bool fits = !cn_codegen_has_port(target) || !file.bytes || fits_target(path, NULL, file.bytes, file.size, target);

  unmap_input_file(&file);
  if (!fits || !cn_codegen_has_port(target))
    return fits;
  open_archive(path, &archive);
  for (size_t i = 0; i < archive.parts.count && fits; i++)
    fits = fits_target(path, archive.parts.at[i].name, archive.parts.at[i].bytes, archive.parts.at[i].size, target);
  close_archive(&archive);
  return fits;
}

bool cn_inputs_has_bitcode(const char *path)
{
  struct loaded_archive archive;
  bool found = cn_inputs_is_bitcode(path);

  open_archive(path, &archive);
  for (size_t i = 0; i < archive.parts.count; i++)
    found |= is_bitcode(archive.parts.at[i].bytes, archive.parts.at[i].size);
  close_archive(&archive);
  return found;
}

static bool replace_object(const char *path, const struct mapped_file *file, const struct cn_renames *renames,
                           const char **replacement)
{
  size_t size = 0;
  void *own = NULL;
  char *error = NULL;
  bool ok = rewrite_and_rename_object(file->bytes, file->size, renames, &own, &size, &error) == CAIRN_OK;

  if (!ok)
    cn_tool_error("'%s': %s", path, error);
  if (ok && own) {
    *replacement = cn_temp_make_file_name(cn_paths_stem_of(path), ".o");
    ok = *replacement && cn_output_write(*replacement, own, size);
  }
  free(own);
  free(error);
  return ok;
}

bool cn_inputs_replace_file(const char *path, const struct cn_renames *renames, const char **replacement)
{
  struct mapped_file file = map_input_file(path);
  bool ok = true;

  *replacement = path;
  if (file.bytes && cn_is_archive(file.bytes, file.size))
    ok = replace_archive(path, renames, replacement);
  else if (file.bytes && is_relocatable_object(&file) && may_need_rewrite(file.bytes, file.size))
    ok = replace_object(path, &file, renames, replacement);
  unmap_input_file(&file);
  return ok;
}

static bool has_renamed_calls(const void *bytes, size_t size, const struct cn_renames *renames)
{
  size_t own_size = 0;
  void *own = NULL;
  char *error = NULL;
  enum cairn_status status = CAIRN_OK;

  if (has_magic(bytes, size, "\177ELF"))
    status = cn_thunk_names_change(bytes, size, renames, &own, &own_size, &error);
  bool change = own || status == CAIRN_E_REFUSED;
  free(own);
  free(error);
  return change;
}

bool cn_inputs_has_renamed_calls(const char *path, const struct cn_renames *renames)
{
  struct loaded_archive archive;
  struct mapped_file file = map_input_file(path);
  bool found = is_relocatable_object(&file) && has_renamed_calls(file.bytes, file.size, renames);

  unmap_input_file(&file);
  open_archive(path, &archive);
  for (size_t i = 0; i < archive.parts.count && !found; i++)
    found = has_renamed_calls(archive.parts.at[i].bytes, archive.parts.at[i].size, renames);
  close_archive(&archive);
  return found;
}

const char *cn_inputs_find_defined(const char *path, const struct cn_renames *renames)
{
  struct mapped_file file = map_input_file(path);
  const char *name = file.bytes ? cn_thunk_names_find_defined(file.bytes, file.size, renames) : NULL;

  unmap_input_file(&file);
  return name;
}
