/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads the specifications of managed pointers in a data layout, and makes layouts with integral or non-integral
 * references, because LLVM-C has no queries for the specifications: the list "ni:1:2", and specifications like
 * "pue1:64:64", with "p", flags, the number of the space, sizes and alignments. LLVM's own parser has accepted the
 * layout before. Needs, breaks: nothing. Provides: queries of a layout's text; new texts, which the caller frees.
 */
#include "compile/analysis/data_layout.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "base/check.h"

/* One specification of a layout; dashes separate the specifications. */
struct layout_spec {
  const char *at;
  size_t length;
};

static struct layout_spec first_spec_of(const char *layout)
{
  return (struct layout_spec){layout, strcspn(layout, "-")};
}

static struct layout_spec next_spec_after(struct layout_spec s)
{
  return s.at[s.length] ? first_spec_of(s.at + s.length + 1) : (struct layout_spec){NULL, 0};
}

#define EACH_SPEC(s, layout) for (struct layout_spec s = first_spec_of(layout); s.at && *s.at; s = next_spec_after(s))

static bool is_managed_space(const struct cairn_compile_options *options, unsigned long space)
{
  for (size_t i = 0; options->address_spaces && i < options->address_space_count; i++)
    if (options->address_spaces[i] == space)
      return true;
  return !options->address_spaces && space == CAIRN_ABI_ADDRESS_SPACE;
}

/* True for the specification of a managed space. Sets `*flags` to the length of the flags, and `*sizes` to the text
 * after the number of the space. */
static bool is_managed_pointer_spec(const struct cairn_compile_options *options, struct layout_spec s, size_t *flags,
                                    const char **sizes)
{
  char *end;

  if (s.at[0] != 'p')
    return false;
  *flags = strspn(s.at + 1, "ue");
  unsigned long space = strtoul(s.at + 1 + *flags, &end, 10);
  *sizes = end;
  return is_managed_space(options, space);
}

static bool is_non_integral_list(struct layout_spec s)
{
  return strncmp(s.at, "ni:", 3) == 0;
}

/* Read the next number in a list "ni:1:2", and advance `*at`. False at the end of the list. */
static bool read_next_space(struct layout_spec s, const char **at, unsigned long *space)
{
  char *end;

  CN_ASSERT(is_non_integral_list(s));
  if (*at >= s.at + s.length)
    return false;
  *space = strtoul(*at + 1, &end, 10);
  CN_CHECK(end > *at + 1);
  *at = end;
  return true;
}

static void append_separated(char **text, const char *separator, const char *more, size_t length)
{
  char *longer = cn_format("%s%s%.*s", *text, **text ? separator : "", (int)length, more);

  free(*text);
  *text = longer;
}

/* True if the sizes and alignments are the defaults of 64-bit targets. */
static bool has_usual_sizes(struct layout_spec s, const char *sizes)
{
  static const char usual[] = ":64:64:64:64";
  size_t length = (size_t)(s.at + s.length - sizes);

  return length >= 6 && length < sizeof usual && strncmp(sizes, usual, length) == 0 &&
         (length == sizeof usual - 1 || usual[length] == ':');
}

/* True if the layout has a default specification of pointers, "p:...", which would apply to managed spaces. */
static bool has_default_pointer_spec(const char *layout)
{
  EACH_SPEC(s, layout)
  if (strncmp(s.at, "p:", 2) == 0)
    return true;
  return false;
}

bool cn_layout_is_non_integral(const struct cairn_compile_options *options, const char *layout)
{
  const char *sizes;
  size_t flags;

  EACH_SPEC(s, layout)
  {
    unsigned long space;
    const char *at = s.at + 2;
    while (is_non_integral_list(s) && read_next_space(s, &at, &space))
      if (is_managed_space(options, space))
        return true;
    if (is_managed_pointer_spec(options, s, &flags, &sizes) && flags)
      return true;
  }
  return false;
}

static void append_unmanaged_list(const struct cairn_compile_options *options, struct layout_spec s, char **text)
{
  char *list = cn_strdup("");
  const char *at = s.at + 2;
  unsigned long space;

  for (const char *from = at; read_next_space(s, &at, &space); from = at)
    if (!is_managed_space(options, space))
      append_separated(&list, "", from, (size_t)(at - from));
  if (*list) {
    append_separated(text, "-", "ni", 2);
    append_separated(text, "", list, strlen(list));
  }
  free(list);
}

char *cn_layout_make_integral(const struct cairn_compile_options *options, const char *layout)
{
  char *text = cn_strdup("");
  const char *sizes;
  size_t flags;

  EACH_SPEC(s, layout)
  {
    if (is_non_integral_list(s)) {
      append_unmanaged_list(options, s, &text);
    } else if (!is_managed_pointer_spec(options, s, &flags, &sizes)) {
      append_separated(&text, "-", s.at, s.length);
    } else if (!has_usual_sizes(s, sizes) || has_default_pointer_spec(layout)) {
      append_separated(&text, "-", "p", 1);
      append_separated(&text, "", s.at + 1 + flags, s.length - 1 - flags);
    }
  }
  return text;
}

char *cn_layout_make_non_integral(const struct cairn_compile_options *options, const char *layout)
{
  static const unsigned usual[] = {CAIRN_ABI_ADDRESS_SPACE};
  const unsigned *spaces = options->address_spaces ? options->address_spaces : usual;
  size_t count = options->address_spaces ? options->address_space_count : 1;
  char *text = cn_layout_make_integral(options, layout);

  append_separated(&text, "-", "ni", 2);
  for (size_t i = 0; i < count; i++) {
    char *number = cn_format(":%u", spaces[i]);
    append_separated(&text, "", number, strlen(number));
    free(number);
  }
  return text;
}

/* LLVM 23 has flags for the bits of a null pointer. Cairn requires a null pointer of zero bits. */
bool cn_layout_has_unknown_flags(const char *layout)
{
  EACH_SPEC(s, layout)
  if (s.at[0] == 'p')
    for (size_t i = 1 + strspn(s.at + 1, "ue"); i < s.length; i++)
      if (isalpha((unsigned char)s.at[i]))
        return true;
  return false;
}

bool cn_layout_has_narrow_references(const struct cairn_compile_options *options, const char *layout)
{
  const char *sizes;
  size_t flags;

  EACH_SPEC(s, layout)
  if (is_managed_pointer_spec(options, s, &flags, &sizes) && !has_usual_sizes(s, sizes))
    return true;
  return false;
}
