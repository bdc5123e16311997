/* SPDX-License-Identifier: Apache-2.0
 *
 * Prints references in allocas, layout constants, and invalid attributes of accesses as text, for analyses.c. Needs:
 * any module. Provides: lines of text. Breaks: nothing.
 */
#include "base/bitset.h"
#include "base/check.h"
#include "compile/analysis/alloca_layout.h"
#include "compile/analysis/invalid_attributes.h"
#include "compile/core/each.h"
#include "compile/allocation/layout_constants.h"
#include "compile/print/print.h"

static void print_alloca(const struct cn_alloca_layout *map, FILE *out)
{
  char name[64];

  fprintf(out, "  %s: words %lu, references", cn_value_name(map->alloca, name, sizeof name), (unsigned long)map->words);
  for (uint64_t w = 0; w < map->words; w++)
    if (cn_bitset_contains(map->bits, w))
      fprintf(out, " %lu", (unsigned long)w);
  fprintf(out, "%s%s%s%s\n", map->typed ? ", by type" : "", map->unclear ? ", unclear" : "",
          map->floating ? ", at variable places" : "", map->huge ? ", huge" : "");
}

/* Print a line for each alloca with its number of words and the words that hold references. */
void cn_print_allocas(struct cn_ctx *ctx, LLVMValueRef function, FILE *out)
{
  struct cn_alloca_layouts found;

  cn_alloca_layouts_find(ctx, function, &found);
  for (size_t i = 0; i < found.maps.count; i++)
    print_alloca(&found.maps.at[i], out);
  cn_alloca_layouts_free(&found);
}

/* Print a line for each attribute or metadata of an access to references that is false after objects move. */
void cn_print_promises(struct cn_ctx *ctx, LLVMValueRef function, FILE *out)
{
  char name[64];

  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b)
      for (unsigned p = 0; cn_access_touches_references(i) && p < cn_invalid_attribute_count; p++)
        if (cn_invalid_attributes[p].at & CN_AT_ACCESS_METADATA &&
            cn_access_has_invalid_attribute(ctx, i, &cn_invalid_attributes[p]))
          fprintf(out, "  %s: %s%s\n", cn_value_name(i, name, sizeof name), cn_invalid_attributes[p].name,
                  cn_invalid_attributes[p].at & CN_LETS_ACCESS_MOVE ? ", may move the access" : "");
}

/* Print a line for each layout constant with its fields in the order of struct cairn_layout. */
void cn_print_layouts(struct cn_ctx *ctx, FILE *out)
{
  size_t length;

  fputs("layouts: magic, base references, base size, element size, element offset, flags, "
        "element references, distance to the names, offsets\n",
        out);
  CN_EACH_GLOBAL(g, ctx->module) {
    if (!cn_layouts_is_layout_constant(g))
      continue;
    CN_CHECK(LLVMGetInitializer(g));
    char *text = LLVMPrintValueToString(LLVMGetInitializer(g));
    fprintf(out, "  @%s: %s\n", LLVMGetValueName2(g, &length), text);
    LLVMDisposeMessage(text);
  }
}
