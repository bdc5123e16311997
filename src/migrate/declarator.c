/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads declarators from the name outwards: suffixes to the right, then stars to the left, then a pair of parentheses,
 * and again. Without state.
 */
#include "migrate/declarator.h"

#include <string.h>

static bool is_one_of(const struct cn_source *source, uint32_t token, const char *const *words)
{
  for (; *words; words++)
    if (cn_source_token_is(source, token, *words))
      return true;
  return false;
}

static bool is_qualifier(const struct cn_source *source, uint32_t token)
{
  static const char *const words[] = {"const",   "volatile",      "restrict", "__restrict", "__restrict__", "_Atomic",
                                      "managed", "cairn_managed", "_Nonnull", "_Nullable",  "__volatile",   "__const",
                                      NULL};

  return is_one_of(source, token, words);
}

/* The star to the left of `left`, with only qualifiers between; or CN_NO_TOKEN. */
static uint32_t star_before(const struct cn_source *source, uint32_t left, uint32_t low)
{
  while (left > low && is_qualifier(source, left - 1))
    left--;
  return left > low && cn_source_token_is(source, left - 1, "*") ? left - 1 : (uint32_t)CN_NO_TOKEN;
}

/* Reads outwards from the gap between the tokens `left` - 1 and `right`. */
static void read_outwards(const struct cn_source *source, struct cn_declarator *declarator, uint32_t left,
                          uint32_t right, uint32_t low, uint32_t high)
{
  for (;;) {
    while (right < high && (cn_source_token_is(source, right, "[") || cn_source_token_is(source, right, "("))) {
      uint32_t end = cn_source_match_forwards(source, right);
      if (end == CN_NO_TOKEN || end >= high)
        break;
      enum cn_part_kind kind = cn_source_token_is(source, right, "[") ? CN_PART_BRACKETS : CN_PART_CALL;
      cn_push(&declarator->parts, (struct cn_part){kind, right, end});
      right = end + 1;
    }
    for (uint32_t star; (star = star_before(source, left, low)) != CN_NO_TOKEN; left = star)
      cn_push(&declarator->parts, (struct cn_part){CN_PART_STAR, star, star});
    if (left <= low || right >= high || !cn_source_token_is(source, left - 1, "(") ||
        !cn_source_token_is(source, right, ")"))
      break;
    left--;
    right++;
  }
  /* `EXPORT(struct node *) name(void)`: a macro has the type as its argument. */
  uint32_t open = left > low && cn_source_token_is(source, left - 1, ")") ? cn_source_match_backwards(source, left - 1)
                                                                          : (uint32_t)CN_NO_TOKEN;
  if (open != CN_NO_TOKEN && open > low && source->tokens.at[open - 1].kind == CN_TOKEN_WORD) {
    uint32_t inner = left - 1;
    for (uint32_t star; (star = star_before(source, inner, low)) != CN_NO_TOKEN; inner = star)
      cn_push(&declarator->parts, (struct cn_part){CN_PART_STAR, star, star});
  }
  declarator->begin = left;
  declarator->end = right;
}

struct cn_declarator cn_declarator_of_name(const struct cn_source *source, uint32_t name)
{
  struct cn_declarator declarator = {.name = name};

  read_outwards(source, &declarator, name, name + 1, 0, (uint32_t)source->tokens.count);
  return declarator;
}

uint32_t cn_declarator_after_specifiers(const struct cn_source *source, uint32_t begin, uint32_t end)
{
  static const char *const with_parentheses[] = {"__attribute__", "__attribute", "typeof",     "__typeof__", "__typeof",
                                                 "_Alignas",      "_Atomic",     "__declspec", NULL};
  uint32_t token = begin;

  while (token < end) {
    if (is_one_of(source, token, with_parentheses) && cn_source_token_is(source, token + 1, "("))
      token = cn_source_match_forwards(source, token + 1);
    else if (cn_source_token_is(source, token, "{"))
      token = cn_source_match_forwards(source, token);
    else if (source->tokens.at[token].kind != CN_TOKEN_WORD)
      break;
    if (token == CN_NO_TOKEN)
      return end;
    token++;
  }
  return token < end ? token : end;
}

struct cn_declarator cn_declarator_without_name(const struct cn_source *source, uint32_t begin, uint32_t end)
{
  struct cn_declarator declarator = {0};
  uint32_t at = cn_declarator_after_specifiers(source, begin, end);

  for (; at < end; at++) {
    bool group = cn_source_token_is(source, at, "(") &&
                 (cn_source_token_is(source, at + 1, "*") || cn_source_token_is(source, at + 1, "("));
    if (!group && !cn_source_token_is(source, at, "*") && !is_qualifier(source, at))
      break;
  }
  declarator.name = at;
  read_outwards(source, &declarator, at, at, begin, end);
  return declarator;
}
