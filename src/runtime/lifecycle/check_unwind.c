/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks a section .eh_frame before the platform's unwinder gets it: libgcc's reads past the end of a malformed
 * section, and aborts at an unknown instruction. Accepts the forms that compilers write for code in memory: entries of
 * 32-bit length, augmentations "zRPLSB", addresses that are absolute or relative to their place. Refuses expressions,
 * which may read any memory. The format is that of the psABI and of DWARF ("Call Frame Information"). All state is
 * local.
 */
#include "runtime/lifecycle/attach.h"

#include <string.h>
#include <cairn/stack.h>
#include "base/check.h"
#include "framemap/leb.h"
#include "runtime/arch/arch.h"
#include "runtime/core/grow.h"

/* An entry that describes the form of others. */
struct form {
  const unsigned char *start;
  unsigned char encoding; /* of addresses of code */
  bool has_augmentation;
};

struct unwind_check {
  const struct cn_code_check *check;
  const unsigned char *start;
  const char *fault; /* the first */
  CN_GROW(struct form) forms;
};

/* The parts of DW_EH_PE_*. */
enum { RELATIVE = 0x10, INDIRECT = 0x80, SIZE_MASK = 0x0f, ABSOLUTE_WORD = 0x00 };

static bool fails(struct unwind_check *u, const char *fault)
{
  CN_ASSERT(u->fault == NULL);
  u->fault = fault;
  return false;
}

static bool skip(const unsigned char **at, const unsigned char *end, uint64_t bytes)
{
  CN_ASSERT(*at <= end);
  if (bytes > (uint64_t)(end - *at))
    return false;
  *at += bytes;
  return true;
}

/* ---- addresses ---- */

/* The bytes of an encoded address; 0: compilers write no such code addresses. */
static unsigned encoded_bytes(unsigned char encoding)
{
  switch (encoding & SIZE_MASK) {
  case ABSOLUTE_WORD:
  case 0x04: /* udata8 */
  case 0x0c: /* sdata8 */
    return 8;
  case 0x03: /* udata4 */
  case 0x0b: /* sdata4 */
    return 4;
  default:
    return 0;
  }
}

static bool is_code_encoding(unsigned char encoding)
{
  return encoded_bytes(encoding) != 0 && (encoding & ~SIZE_MASK & ~RELATIVE) == 0;
}

/* Read an address, or with `plain` the size of a range. */
static bool read_address(const unsigned char **at, const unsigned char *end, unsigned char encoding, bool plain,
                         uintptr_t *value)
{
  const unsigned char *place = *at;
  unsigned bytes = encoded_bytes(encoding);

  if (!skip(at, end, bytes))
    return false;
  *value = bytes == 8 ? cn_load_u64(place) : cn_load_little_endian(place, 4);
  if (bytes == 4 && !plain && (encoding & 0x08) != 0)
    *value = (uintptr_t)(intptr_t)(int32_t)*value;
  if (!plain && (encoding & RELATIVE) != 0)
    *value += (uintptr_t)place;
  return true;
}

/* ---- instructions ---- */

/* The operands of an instruction: a digit is a number of bytes, u a number, a an address. Null: unknown, or with an
 * expression. */
static const char *operands_of(unsigned char opcode)
{
  static const char *const operands[] = {
      [0x00] = "",  [0x01] = "a",  [0x02] = "1",  [0x03] = "2", [0x04] = "4",  [0x05] = "uu", [0x06] = "u",
      [0x07] = "u", [0x08] = "u",  [0x09] = "uu", [0x0a] = "",  [0x0b] = "",   [0x0c] = "uu", [0x0d] = "u",
      [0x0e] = "u", [0x11] = "uu", [0x12] = "uu", [0x13] = "u", [0x14] = "uu", [0x15] = "uu", [0x2e] = "u"};

  switch (opcode >> 6) {
  case 1:
  case 3:
    return "";
  case 2:
    return "u";
  default:
    if (opcode == CN_ARCH_CFI_OPCODE)
      return "";
    return opcode < sizeof operands / sizeof *operands ? operands[opcode] : NULL;
  }
}

static bool skip_operand(const unsigned char **at, const unsigned char *end, char operand, unsigned char encoding)
{
  uint64_t value;

  CN_ASSERT(operand == 'u' || operand == 'a' || (operand >= '1' && operand <= '8'));
  if (operand == 'u')
    return cn_uleb_get(at, end, &value);
  return skip(at, end, operand == 'a' ? encoded_bytes(encoding) : (unsigned)(operand - '0'));
}

static bool check_instructions(struct unwind_check *u, const unsigned char *at, const unsigned char *end,
                               unsigned char encoding)
{
  enum { REMEMBER_STATE = 0x0a, RESTORE_STATE = 0x0b };
  size_t remembered = 0;

  CN_ASSERT(at <= end && is_code_encoding(encoding));
  while (at < end) {
    unsigned char opcode = *at++;
    const char *operand = operands_of(opcode);
    if (operand == NULL)
      return fails(u, "an instruction is unknown, or has an expression");
    if (opcode == RESTORE_STATE && remembered-- == 0)
      return fails(u, "a state is restored that was not remembered");
    remembered += opcode == REMEMBER_STATE;
    for (; *operand != 0; operand++)
      if (!skip_operand(&at, end, *operand, encoding))
        return fails(u, "an instruction ends too late");
  }
  return true;
}

/* ---- entries ---- */

/* The letters after 'z', and the data that each has. */
static bool read_augmentation(struct unwind_check *u, const char *letters, const unsigned char *at,
                              const unsigned char *end, struct form *form)
{
  for (; *letters != 0; letters++) {
    if (strchr("RPLSB", *letters) == NULL)
      return fails(u, "an augmentation is unknown");
    if (*letters == 'S' || *letters == 'B')
      continue;
    if (at == end)
      return fails(u, "an augmentation ends too late");
    unsigned char encoding = *at++;
    if (*letters == 'R')
      form->encoding = encoding;
    if (*letters == 'P' && (encoded_bytes(encoding) == 0 || !skip(&at, end, encoded_bytes(encoding))))
      return fails(u, "the encoding of a personality is unknown");
  }
  return is_code_encoding(form->encoding) || fails(u, "the encoding of addresses is unknown");
}

static bool check_form(struct unwind_check *u, const unsigned char *start, const unsigned char *at,
                       const unsigned char *end)
{
  struct form form = {start, ABSOLUTE_WORD, false};
  uint64_t number;

  if (at == end || (*at != 1 && *at != 3))
    return fails(u, "the version is not 1 or 3");
  unsigned version = *at++;
  const char *letters = (const char *)at;
  if (!skip(&at, end, strnlen(letters, (size_t)(end - at)) + 1))
    return fails(u, "an augmentation does not end");
  if (!cn_uleb_get(&at, end, &number) || !cn_uleb_get(&at, end, &number) || at == end)
    return fails(u, "the alignments are malformed");
  if (version == 1)
    number = *at++;
  else if (!cn_uleb_get(&at, end, &number))
    return fails(u, "the register of the return address is malformed");
  if (number > CAIRN_STACK_REGISTERS)
    return fails(u, "the register of the return address is unknown");
  form.has_augmentation = *letters == 'z';
  if (form.has_augmentation) {
    const unsigned char *data;
    if (!cn_uleb_get(&at, end, &number) || (data = at, !skip(&at, end, number)))
      return fails(u, "an augmentation ends too late");
    if (!read_augmentation(u, letters + 1, data, at, &form))
      return false;
  } else if (*letters != 0) {
    return fails(u, "an augmentation is unknown");
  }
  cn_grow_push(&u->forms, form);
  return check_instructions(u, at, end, form.encoding);
}

static const struct form *find_form(const struct unwind_check *u, const unsigned char *start)
{
  for (size_t i = u->forms.count; i-- > 0;)
    if (u->forms.at[i].start == start)
      return &u->forms.at[i];
  return NULL;
}

static bool check_function(struct unwind_check *u, const struct form *form, const unsigned char *at,
                           const unsigned char *end)
{
  uintptr_t address, bytes;
  uint64_t number;

  if (form == NULL)
    return fails(u, "the entry refers to no earlier CIE");
  if (!read_address(&at, end, form->encoding, false, &address) || !read_address(&at, end, form->encoding, true, &bytes))
    return fails(u, "the entry is too short");
  if (bytes == 0 || !cn_code_check_contains(u->check, address, bytes))
    return fails(u, "a function lies outside of the code");
  if (form->has_augmentation && (!cn_uleb_get(&at, end, &number) || !skip(&at, end, number)))
    return fails(u, "an augmentation ends too late");
  return check_instructions(u, at, end, form->encoding);
}

/* Check the entry at `start`, without its length. */
static bool check_entry(struct unwind_check *u, const unsigned char *start, const unsigned char *end)
{
  const unsigned char *at = start + 4;

  if (end - at < 4)
    return fails(u, "the entry is too short");
  uint32_t distance = cn_load_little_endian(at, 4);
  CN_ASSERT(at > u->start && at + 4 <= end);
  if (distance == 0)
    return check_form(u, start, at + 4, end);
  const struct form *form = distance <= (size_t)(at - u->start) ? find_form(u, at - distance) : NULL;
  return check_function(u, form, at + 4, end);
}

static bool check_entries(struct unwind_check *u, const unsigned char **at, const unsigned char *end)
{
  while (end - *at >= 4) {
    uint32_t length = cn_load_little_endian(*at, 4);
    if (length == 0)
      return *at + 4 == end || fails(u, "bytes follow the end");
    if (length > (size_t)(end - *at - 4))
      return fails(u, "the entry is longer than the section");
    if (!check_entry(u, *at, *at + 4 + length))
      return false;
    *at += 4 + length;
  }
  return fails(u, "four zero bytes at the end are missing");
}

bool cn_code_check_unwind(const struct cn_code_check *check)
{
  const unsigned char *start = check->code->eh_frame, *at = start;
  struct unwind_check u = {.check = check, .start = start};

  if (start == NULL)
    return true;
  bool right = check_entries(&u, &at, start + check->code->eh_frame_size);
  if (!right)
    cn_code_check_fails(check, ".eh_frame", (size_t)(at - start), "%s", u.fault);
  cn_grow_free_array(&u.forms);
  return right;
}
