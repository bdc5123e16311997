/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads the members of an `ar` archive in the forms of GNU ar, llvm-ar and the BSDs:
 *
 *   "!<arch>\n", then of each member a header of 60 characters and its bytes, to an even length
 *   header: name 16, date 12, owner 6, group 6, mode 8, size 10 (decimal, then spaces), "`\n"
 *   name: "NAME/"; or "/OFFSET", in the member "//", which holds long names; or "#1/LENGTH", and
 *   the name is the first LENGTH bytes of the member
 *   a thin archive begins "!<thin>\n" and contains only the bytes of the archive's tables
 *
 * Runs in `cairn`, and in the driver before the link. Also gives a file that is no archive to a visitor of members, as
 * one member. A thin archive is an error unless the caller opens the members' files. The archive stays unchanged, and
 * this file holds no state: the caller has the position (struct cn_archive_member). Errors are returned as text.
 */
#include "object/elf/archive.h"

#include <stdlib.h>
#include <string.h>
#include "base/check.h"
#include "object/elf/elf_file.h"

static const char archive_magic[] = "!<arch>\n", thin_archive_magic[] = "!<thin>\n";
enum {
  MAGIC_BYTES = 8,
  MEMBER_HEADER_BYTES = 60,
  NAME_FIELD_BYTES = 16,
  SIZE_FIELD_OFFSET = 48,
  SIZE_FIELD_BYTES = 10,
  END_MARK_OFFSET = 58
};

bool cn_is_archive(const void *bytes, size_t size)
{
  return size >= MAGIC_BYTES &&
         (memcmp(bytes, archive_magic, MAGIC_BYTES) == 0 || memcmp(bytes, thin_archive_magic, MAGIC_BYTES) == 0);
}

/* Read a decimal number that ends at a space or at the end of the field. False if the field has other contents. */
static bool read_decimal_field(const char *field, size_t length, size_t *value)
{
  size_t i = 0;

  for (*value = 0; i < length && field[i] >= '0' && field[i] <= '9'; i++)
    *value = *value * 10 + (size_t)(field[i] - '0');
  return i > 0 && (i == length || field[i] == ' ');
}

static void set_member_name(struct cn_archive_member *m, const char *name, size_t length)
{
  CN_ASSERT(name || !length);
  if (length >= sizeof m->name)
    length = sizeof m->name - 1;
  memcpy(m->name, name, length);
  m->name[length] = 0;
}

static size_t length_until(const char *text, size_t most, char end)
{
  const char *found = memchr(text, end, most);

  return found ? (size_t)(found - text) : most;
}

/* Read the member's name from the first field of its header. False if the name is malformed. */
static bool read_member_name(const char *bytes, struct cn_archive_member *m, const char *field)
{
  size_t value;

  if (memcmp(field, "#1/", 3) == 0) {
    if (!read_decimal_field(field + 3, NAME_FIELD_BYTES - 3, &value) || value > m->size)
      return false;
    set_member_name(m, (const char *)m->data, length_until((const char *)m->data, value, 0));
    m->data += value;
    m->size -= value;
    return true;
  }
  if (field[0] == '/') {
    if (!read_decimal_field(field + 1, NAME_FIELD_BYTES - 1, &value) || value >= m->names_size)
      return false;
    const char *name = bytes + m->names + value;
    size_t length = length_until(name, m->names_size - value, '\n');
    set_member_name(m, name, length && name[length - 1] == '/' ? length - 1 : length);
    return true;
  }
  size_t length = length_until(field, NAME_FIELD_BYTES, '/');
  if (length == NAME_FIELD_BYTES)
    length = length_until(field, NAME_FIELD_BYTES, ' ');
  set_member_name(m, field, length);
  return true;
}

static bool is_archive_table(const char *field, const char *name)
{
  return memcmp(field, "/ ", 2) == 0 || memcmp(field, "/SYM64/", 7) == 0 || strncmp(name, "__.SYMDEF", 9) == 0;
}

int cn_archive_next_member(const void *bytes, size_t size, struct cn_archive_member *m, char **error)
{
  const char *all = bytes;
  CN_CHECK(cn_is_archive(bytes, size));
  bool thin = memcmp(all, thin_archive_magic, MAGIC_BYTES) == 0;

  if (thin && !m->thin_too)
    return CN_FAIL(error, "a thin archive: its members are files of their own");
  if (m->next == 0)
    m->next = MAGIC_BYTES;
  while (m->next < size) {
    size_t at = m->next, length;
    const char *header = all + at;
    bool own = size - at >= MEMBER_HEADER_BYTES && is_archive_table(header, "");
    if (size - at < MEMBER_HEADER_BYTES || memcmp(header + END_MARK_OFFSET, "`\n", 2) != 0 ||
        !read_decimal_field(header + SIZE_FIELD_OFFSET, SIZE_FIELD_BYTES, &length))
      return CN_FAIL(error, "malformed archive, at offset 0x%zx", at);
    bool outside = thin && !own && memcmp(header, "// ", 3) != 0;
    if (outside ? memcmp(header, "#1/", 3) == 0 : length > size - at - MEMBER_HEADER_BYTES)
      return CN_FAIL(error, "malformed archive, at offset 0x%zx", at);
    m->data = outside ? NULL : (const unsigned char *)header + MEMBER_HEADER_BYTES;
    m->size = length;
    m->next = at + MEMBER_HEADER_BYTES + (outside ? 0 : length + length % 2);
    if (memcmp(header, "// ", 3) == 0) {
      m->names = at + MEMBER_HEADER_BYTES;
      m->names_size = length;
      continue;
    }
    if (!own && !read_member_name(all, m, header))
      return CN_FAIL(error, "malformed archive, at offset 0x%zx", at);
    if (!own && !is_archive_table(header, m->name))
      return 0;
  }
  return 1;
}

/* Format a message about a member. Frees `why`. */
static char *format_member_error(const char *member, char *why)
{
  char *message = cn_format("member '%s': %s", member, why);

  free(why);
  return message;
}

int cn_archive_visit_members(const void *bytes, size_t size, const char *wanted, cn_archive_visitor *visit, void *env,
                             char **error)
{
  struct cn_archive_member member = {0};
  char *hint = NULL;
  bool found = false;
  int status;

  if (!cn_is_archive(bytes, size))
    return visit(env, NULL, bytes, size, error);
  while (!(status = cn_archive_next_member(bytes, size, &member, error))) {
    char *why = NULL;
    status = visit(env, member.name, member.data, member.size, &why);
    found |= !status;
    if (why && (status < 0 || !hint))
      *(status < 0 ? error : &hint) = format_member_error(member.name, why);
    else
      free(why);
    if (status < 0)
      break;
  }
  if (status > 0 && !found)
    status = CN_FAIL(error, "no member has %s%s%s", wanted, hint ? "; " : "", hint ? hint : "");
  free(hint);
  return status < 0 ? status : 0;
}
