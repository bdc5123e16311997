/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads, checks and records a module's kind of words: the low bits that tell references from immediate integers. The
 * kind comes from an option, or else from the module flag `cairn.words`; cn_words_check_and_keep_flag() records the
 * option's kind in the flag. Needs: nothing. Provides: struct cn_words of a module, its text form, and errors of rule
 * word-kind. Breaks: nothing.
 */
#include "compile/core/words.h"

#include <stdlib.h>
#include <string.h>
#include "base/check.h"
#include "compile/core/emitted_names.h"

#define PLAIN_KIND_NAME "plain"
enum { MAX_REFERENCE_TAG_BITS = 3, MAX_INTEGER_TAG_BITS = 8 };

/* ---- text ---- */

/* Read up to `most` binary digits, and return their number. */
static unsigned parse_bits(const char *text, unsigned most, unsigned char *bits)
{
  unsigned count = 0;

  *bits = 0;
  for (; count < most && (text[count] == '0' || text[count] == '1'); count++)
    *bits = (unsigned char)(*bits << 1 | (text[count] - '0'));
  return count;
}

/* True if the low bits of references and integers exclude each other. */
static bool are_tags_distinct(struct cairn_word_kind kind)
{
  unsigned bits = kind.reference_bits < kind.integer_bits ? kind.reference_bits : kind.integer_bits;

  return ((kind.reference ^ kind.integer) & ((1u << bits) - 1)) != 0;
}

char *cn_words_parse(const char *text, struct cairn_word_kind *kind)
{
  struct cairn_word_kind read = {0};
  unsigned bits = parse_bits(text, MAX_REFERENCE_TAG_BITS, &read.reference);

  if (strcmp(text, PLAIN_KIND_NAME) == 0) {
    *kind = (struct cairn_word_kind){0};
    return NULL;
  }
  read.reference_bits = (unsigned char)bits;
  if (bits != 0 && text[bits] == ':') {
    text += bits + 1;
    bits = parse_bits(text, MAX_INTEGER_TAG_BITS, &read.integer);
    read.integer_bits = (unsigned char)bits;
    if (bits != 0 && text[bits] == 0) {
      if (!are_tags_distinct(read))
        return cn_format("a word can end as both a reference and an integer do");
      *kind = read;
      return NULL;
    }
  }
  return cn_format("it is not the last bits of references, 1 to 3, and of integers, 1 to 8, as in "
                   "0:1");
}

static size_t format_bits(char *text, unsigned value, unsigned bits)
{
  for (unsigned i = 0; i < bits; i++)
    text[i] = (value >> (bits - 1 - i) & 1) ? '1' : '0';
  return bits;
}

const char *cn_words_format_kind(struct cairn_word_kind kind, char buffer[CN_WORDS_TEXT_BYTES])
{
  CN_CHECK(kind.reference_bits <= MAX_REFERENCE_TAG_BITS && kind.integer_bits <= MAX_INTEGER_TAG_BITS);
  if (kind.reference_bits == 0)
    return PLAIN_KIND_NAME;
  size_t length = format_bits(buffer, kind.reference, kind.reference_bits);
  buffer[length++] = ':';
  length += format_bits(buffer + length, kind.integer, kind.integer_bits);
  buffer[length] = 0;
  return buffer;
}

uint64_t cn_words_encode_kind(struct cairn_word_kind kind)
{
  CN_CHECK(kind.reference_bits == 0 || are_tags_distinct(kind));
  return (uint64_t)kind.reference_bits | (uint64_t)kind.reference << 4 | (uint64_t)kind.integer_bits << 8 |
         (uint64_t)kind.integer << 16;
}

/* ---- the module's flag ---- */

/* The flag's text, for the caller to free: null if the flag is absent, empty if its form is wrong. */
static char *words_flag_text_of(LLVMModuleRef module)
{
  LLVMMetadataRef flag = LLVMGetModuleFlag(module, CN_WORDS_FLAG, sizeof CN_WORDS_FLAG - 1);
  unsigned length = 0;

  if (!flag)
    return NULL;
  LLVMValueRef value = LLVMMetadataAsValue(LLVMGetModuleContext(module), flag);
  const char *text = LLVMGetMDString(value, &length);
  return cn_format("%.*s", (int)length, text ? text : "");
}

struct cairn_word_kind cn_words(const struct cn_ctx *ctx)
{
  struct cairn_word_kind kind = ctx->options->words;

  if (kind.reference_bits != 0)
    return kind;
  char *flag = words_flag_text_of(ctx->module);
  if (flag)
    free(cn_words_parse(flag, &kind));
  free(flag);
  return kind;
}

static void add_words_flag(struct cn_ctx *ctx, const char *text)
{
  LLVMAddModuleFlag(ctx->module, LLVMModuleFlagBehaviorError, CN_WORDS_FLAG, sizeof CN_WORDS_FLAG - 1,
                    LLVMMDStringInContext2(ctx->llvm, text, strlen(text)));
}

void cn_words_add_flag(struct cn_ctx *ctx)
{
  char buffer[CN_WORDS_TEXT_BYTES], *flag = words_flag_text_of(ctx->module);

  if (!flag)
    add_words_flag(ctx, cn_words_format_kind(cn_words(ctx), buffer));
  free(flag);
}

static bool uses_immediates(LLVMModuleRef module)
{
  return LLVMGetNamedFunction(module, CN_TAG_FROM) || LLVMGetNamedFunction(module, CN_TAG_IS) ||
         LLVMGetNamedFunction(module, CN_TAG_VALUE);
}

void cn_words_check_and_keep_flag(struct cn_ctx *ctx)
{
  struct cairn_word_kind asked = ctx->options->words, kind = {0};
  char *flag = words_flag_text_of(ctx->module), *wrong = flag ? cn_words_parse(flag, &kind) : NULL;
  char buffer[CN_WORDS_TEXT_BYTES];

  if (wrong)
    cn_error(ctx, NULL, "word-kind", "the module's flag \"" CN_WORDS_FLAG "\" is '%s': %s", flag, wrong);
  else if (flag && asked.reference_bits && memcmp(&asked, &kind, sizeof kind) != 0)
    cn_error(ctx, NULL, "word-kind",
             "the options ask for words %s, and the module's flag \"" CN_WORDS_FLAG "\" is '%s'",
             cn_words_format_kind(asked, buffer), flag);
  else if (asked.reference_bits)
    cn_words_add_flag(ctx);
  else if (!flag && ctx->options->manage_all && uses_immediates(ctx->module))
    add_words_flag(ctx, "0:1");
  free(wrong);
  free(flag);
}
