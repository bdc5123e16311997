/* SPDX-License-Identifier: Apache-2.0
 *
 * Random modules: randomness, kinds and variables, natives.
 */
#include "random/modules/maker.h"

#include <string.h>

const struct cn_form_row cn_form_table[CN_FORMS] = {
#define RUN true
#define ANY false
#define FORM(constant, name, row, where, rules) {name, row, rules, where},
#include "random/modules/forms.def"
#undef FORM
#undef RUN
#undef ANY
};

/* splitmix64 (Steele, Lea, Flood 2014): every seed gives an independent stream. */
unsigned cn_below(struct cn_maker *m, unsigned n)
{
  uint64_t z = m->random += 0x9e3779b97f4a7c15u;

  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return (unsigned)((z ^ z >> 31) >> 32) % n;
}

bool cn_chance(struct cn_maker *m, unsigned percent)
{
  return cn_below(m, 100) < percent;
}

static LLVMTypeRef structure(struct cn_maker *m, const char *name, LLVMTypeRef *types, unsigned n)
{
  LLVMTypeRef type = LLVMStructCreateNamed(m->llvm, name);

  LLVMStructSetBody(type, types, n, false);
  return type;
}

void cn_maker_types(struct cn_maker *m)
{
  m->ref = LLVMPointerTypeInContext(m->llvm, 1);
  m->ptr = LLVMPointerTypeInContext(m->llvm, 0);
  m->i1 = LLVMInt1TypeInContext(m->llvm);
  m->i8 = LLVMInt8TypeInContext(m->llvm);
  m->i32 = LLVMInt32TypeInContext(m->llvm);
  m->i64 = LLVMInt64TypeInContext(m->llvm);
  m->f64 = LLVMDoubleTypeInContext(m->llvm);
  m->none = LLVMVoidTypeInContext(m->llvm);
  m->node = structure(m, "node", (LLVMTypeRef[]){m->i64, m->ref, m->ref, m->i64}, 4);
  LLVMTypeRef two = LLVMArrayType2(m->ref, 2);
  LLVMTypeRef inner = LLVMStructTypeInContext(m->llvm, (LLVMTypeRef[]){m->ref, two}, 2, false);
  LLVMTypeRef tail = LLVMArrayType2(m->ref, 0);
  m->tree = structure(m, "tree", (LLVMTypeRef[]){m->i64, inner, m->i32, tail}, 4);

  for (int k = 0; k < CN_PLAIN_KINDS; k++)
    m->kinds[k] = m->ref;
  m->kinds[CN_NUMBER] = m->i64;
  m->kinds[CN_REAL] = m->f64;
  m->kinds[CN_PLACE] = m->ptr;
  LLVMTypeRef one = LLVMStructTypeInContext(m->llvm, &m->ref, 1, false);
  m->kinds[CN_PAIR] = LLVMStructTypeInContext(m->llvm, (LLVMTypeRef[]){m->ref, m->i64, m->ref}, 3, false);
  m->kinds[CN_BOTH] = LLVMArrayType2(one, 2);
  m->kinds[CN_LANES] = LLVMVectorType(m->ref, 2);
  m->kinds[CN_VOID] = m->none;
}

static LLVMValueRef variable(struct cn_maker *m, LLVMTypeRef type, const char *name)
{
  LLVMValueRef g = LLVMAddGlobal(m->module, type, name);

  LLVMSetInitializer(g, LLVMConstNull(type));
  LLVMSetLinkage(g, LLVMInternalLinkage);
  return g;
}

/* Fuel and roots; and the constants whose types tell how objects are laid out
 * (docs/frontends.md). */
void cn_maker_globals(struct cn_maker *m)
{
  static const char *const names[CN_SECTION_KINDS] = {
      [CN_NODE] = "node", [CN_LONGS] = "longs", [CN_NODES] = "nodes", [CN_TREE] = "tree"};
  LLVMTypeRef types[CN_SECTION_KINDS] = {
      [CN_NODE] = m->node, [CN_LONGS] = m->i64, [CN_NODES] = m->ref, [CN_TREE] = m->tree};

  m->fuel = variable(m, m->i64, "fuel");
  for (int k = 0; k < CN_SECTION_KINDS; k++)
    if (names[k]) {
      char name[32] = "layout.";
      m->layouts[k] = variable(m, types[k], strcat(name, names[k]));
      LLVMSetGlobalConstant(m->layouts[k], true);
      m->roots[k] = variable(m, m->ref, names[k]);
    }
}

LLVMValueRef cn_int(struct cn_maker *m, int64_t value)
{
  return LLVMConstInt(m->i64, (uint64_t)value, false);
}

LLVMBasicBlockRef cn_cfg_block(struct cn_maker *m)
{
  return LLVMAppendBasicBlockInContext(m->llvm, m->function, "");
}

void cn_attribute(struct cn_maker *m, LLVMValueRef function, const char *name, const char *value)
{
  LLVMAddAttributeAtIndex(
      function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
      LLVMCreateStringAttribute(m->llvm, name, (unsigned)strlen(name), value, (unsigned)strlen(value)));
}

LLVMAttributeRef cn_enum_attribute(struct cn_maker *m, const char *name, uint64_t value)
{
  return LLVMCreateEnumAttribute(m->llvm, LLVMGetEnumAttributeKindForName(name, strlen(name)), value);
}

/* result, then parameters: r reference, p pointer, l i64, d double, v void; '.' variadic */
static const struct native {
  const char *name, *type;
  bool leaf;
} natives[] = {
    {"random_next", "l", true},          {"random_note", "vl", true},           {"random_native", "vl", false},
    {"random_back", "vpl", false},       {"random_sum", "ll.", false},          {"random_mean", "ddld", false},
    {"random_push", "vl", true},         {"random_push_reference", "vr", true}, {"random_push_local", "vp", true},
    {"random_record", "vlll", true},     {"random_throw", "vl", false},         {"random_caught", "vp", true},
    {"random_touch", "vp", true},        {"cairn_collect", "v", false},         {"cairn_alloc", "rpl", false},
    {"cairn_alloc_array", "rpl", false}, {"cairn_alloc_flex", "rpl", false},    {"cairn.span.begin", "vlp", true},
    {"cairn.span.end", "vl", true},
};

static LLVMTypeRef letter(struct cn_maker *m, char c)
{
  switch (c) {
  case 'r':
    return m->ref;
  case 'p':
    return m->ptr;
  case 'l':
    return m->i64;
  case 'd':
    return m->f64;
  default:
    return m->none;
  }
}

LLVMValueRef cn_native(struct cn_maker *m, const char *name)
{
  LLVMValueRef f = LLVMGetNamedFunction(m->module, name);
  const struct native *n = natives;
  LLVMTypeRef params[8];
  unsigned count = 0;

  if (f)
    return f;
  while (strcmp(n->name, name) != 0)
    n++;
  for (const char *c = n->type + 1; *c && *c != '.'; c++)
    params[count++] = letter(m, *c);
  f = LLVMAddFunction(m->module, name,
                      LLVMFunctionType(letter(m, *n->type), params, count, strchr(n->type, '.') != NULL));
  if (n->leaf)
    cn_attribute(m, f, "gc-leaf-function", "");
  return f;
}

LLVMValueRef cn_call_native(struct cn_maker *m, const char *name, LLVMValueRef *args, unsigned count)
{
  LLVMValueRef f = cn_native(m, name);

  return LLVMBuildCall2(m->builder, LLVMGlobalGetValueType(f), f, args, count, "");
}

LLVMValueRef cn_next(struct cn_maker *m)
{
  return cn_call_native(m, "random_next", NULL, 0);
}

LLVMValueRef cn_next_below(struct cn_maker *m, unsigned power)
{
  return LLVMBuildAnd(m->builder, cn_next(m), cn_int(m, (int64_t)power - 1), "");
}

LLVMValueRef cn_flag(struct cn_maker *m)
{
  return LLVMBuildTrunc(m->builder, cn_next(m), m->i1, "");
}

void cn_note(struct cn_maker *m, LLVMValueRef number)
{
  cn_call_native(m, "random_note", &number, 1);
}

LLVMValueRef cn_variable(struct cn_maker *m, enum cn_kind kind)
{
  return m->variables[kind][cn_below(m, CN_VARIABLES)];
}

LLVMValueRef cn_get(struct cn_maker *m, enum cn_kind kind)
{
  return LLVMBuildLoad2(m->builder, m->kinds[kind], cn_variable(m, kind), "");
}

void cn_set(struct cn_maker *m, enum cn_kind kind, LLVMValueRef value)
{
  LLVMBuildStore(m->builder, value, cn_variable(m, kind));
}

bool cn_kind_used(const struct cn_maker *m, enum cn_kind kind)
{
  switch (kind) {
  case CN_PLACE:
    return cn_has(m, CN_FORM_LOCALS);
  case CN_PAIR:
  case CN_BOTH:
    return cn_has(m, CN_FORM_AGGREGATES);
  case CN_LANES:
    return cn_has(m, CN_FORM_VECTORS);
  default:
    return true;
  }
}

enum cn_kind cn_any_kind(struct cn_maker *m)
{
  enum cn_kind kind;

  do
    kind = (enum cn_kind)cn_below(m, CN_SECTION_KINDS);
  while (!cn_kind_used(m, kind));
  return kind;
}

bool cn_kind_is_ref(enum cn_kind kind)
{
  return kind >= CN_NODE && kind <= CN_TREE;
}

LLVMValueRef cn_gep(struct cn_maker *m, LLVMTypeRef type, LLVMValueRef from, LLVMValueRef index)
{
  return cn_chance(m, 50) ? LLVMBuildGEP2(m->builder, type, from, &index, 1, "")
                          : LLVMBuildInBoundsGEP2(m->builder, type, from, &index, 1, "");
}

LLVMValueRef cn_offset(struct cn_maker *m, LLVMValueRef from, int64_t bytes)
{
  return cn_gep(m, m->i8, from, cn_int(m, bytes));
}

LLVMValueRef cn_from_roots(struct cn_maker *m, enum cn_kind kind)
{
  LLVMValueRef node, value;

  switch (kind) {
  case CN_NUMBER:
    return cn_int(m, cn_below(m, 1000));
  case CN_REAL:
    return LLVMConstReal(m->f64, cn_below(m, 1000));
  case CN_LONGS:
  case CN_NODES:
  case CN_TREE:
    return LLVMBuildLoad2(m->builder, m->ref, m->roots[kind], "");
  default:
    node = LLVMBuildLoad2(m->builder, m->ref, m->roots[CN_NODE], "");
  }
  switch (kind) {
  case CN_CELL:
    return cn_offset(m, node, cn_chance(m, 50) ? 0 : 24);
  case CN_SLOT:
    return cn_offset(m, node, cn_chance(m, 50) ? 8 : 16);
  case CN_PAIR:
    value = LLVMBuildInsertValue(m->builder, LLVMConstNull(m->kinds[kind]), node, 0, "");
    return LLVMBuildInsertValue(m->builder, value, cn_offset(m, node, 24), 2, "");
  case CN_BOTH:
    value = LLVMGetPoison(m->kinds[kind]);
    for (unsigned i = 0; i < 2; i++) {
      LLVMValueRef one = LLVMGetPoison(LLVMGetElementType(m->kinds[kind]));
      one = LLVMBuildInsertValue(m->builder, one, cn_offset(m, node, 8 + 8 * (int)i), 0, "");
      value = LLVMBuildInsertValue(m->builder, value, one, i, "");
    }
    return value;
  case CN_LANES:
    value = LLVMGetPoison(m->kinds[kind]);
    value = LLVMBuildInsertElement(m->builder, value, node, cn_int(m, 0), "");
    return LLVMBuildInsertElement(m->builder, value, node, cn_int(m, 1), "");
  default:
    return node;
  }
}
