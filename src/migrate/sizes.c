/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads the sizes that calls of allocators ask for: sizeof, products with one sizeof, and the size of a struct plus
 * the size of its flexible array. Without state.
 */
#include <ctype.h>
#include <string.h>
#include "migrate/program.h"

/* A product as the program writes it. */
struct product {
  CXCursor unit; /* the sizeof expression; null cursor if there is none */
  char *factors; /* the text of the other factors; null if there is none */
  bool wrong;    /* two sizeof expressions, or text that cannot be copied */
};

static bool is_sizeof(struct cn_walk *walk, CXCursor expression)
{
  char *text = cn_program_text_of(walk->program, expression);
  bool is = clang_getCursorKind(expression) == CXCursor_UnaryExpr && text && strncmp(text, "sizeof", 6) == 0;

  free(text);
  return is;
}

static CXCursor without_implicit(CXCursor expression)
{
  for (;;) {
    enum CXCursorKind kind = clang_getCursorKind(expression);
    struct cn_cursors children = cn_cursor_children(expression);
    CXCursor child = children.count == 1 ? children.at[0] : clang_getNullCursor();
    cn_free(&children);
    if ((kind != CXCursor_UnexposedExpr && kind != CXCursor_ParenExpr) ||
        !clang_isExpression(clang_getCursorKind(child)))
      return expression;
    expression = child;
  }
}

static bool has_sizeof(struct cn_walk *walk, CXCursor expression)
{
  bool found = false;

  expression = without_implicit(expression);
  if (is_sizeof(walk, expression))
    return true;
  if (clang_getCursorBinaryOperatorKind(expression) == CXBinaryOperator_Mul ||
      clang_getCursorKind(expression) == CXCursor_CStyleCastExpr) {
    struct cn_cursors children = cn_cursor_children(expression);
    for (size_t i = 0; i < children.count; i++)
      found |= clang_isExpression(clang_getCursorKind(children.at[i])) && has_sizeof(walk, children.at[i]);
    cn_free(&children);
  }
  return found;
}

static void add_factor(struct product *product, char *text)
{
  if (!text) {
    product->wrong = true;
    return;
  }
  char *before = product->factors;
  product->factors = before ? cn_format("%s * %s", before, text) : cn_strdup(text);
  free(before);
  free(text);
}

/* The text of a factor, without the parentheses around all of it if it is the only factor. */
static void read_product(struct cn_walk *walk, CXCursor expression, struct product *product)
{
  CXCursor inner = without_implicit(expression);

  if (is_sizeof(walk, inner)) {
    product->wrong |= !clang_Cursor_isNull(product->unit);
    product->unit = inner;
  } else if (!has_sizeof(walk, inner)) {
    add_factor(product, cn_program_text_of(walk->program, expression));
  } else {
    struct cn_cursors children = cn_cursor_children(inner);
    for (size_t i = 0; i < children.count; i++)
      if (clang_isExpression(clang_getCursorKind(children.at[i])))
        read_product(walk, children.at[i], product);
    cn_free(&children);
  }
}

/* The operand of sizeof without its parentheses and without double spaces; the caller frees it. */
static char *operand_text(struct cn_walk *walk, CXCursor unit)
{
  char *text = cn_program_text_of(walk->program, unit), *operand = cn_alloc(strlen(text) + 1), *end = operand;
  const char *from = text + strlen("sizeof");

  while (isspace((unsigned char)*from))
    from++;
  size_t length = strlen(from);
  if (*from == '(' && from[length - 1] == ')') {
    from++;
    length -= 2;
  }
  for (size_t i = 0; i < length; i++)
    if (!isspace((unsigned char)from[i]) || (end > operand && !isspace((unsigned char)end[-1])))
      *end++ = isspace((unsigned char)from[i]) ? ' ' : from[i];
  while (end > operand && end[-1] == ' ')
    end--;
  *end = 0;
  free(text);
  return operand;
}

static bool is_spelled(CXType type, const char *text)
{
  CXString name = clang_getTypeSpelling(clang_getUnqualifiedType(type));
  bool same = strcmp(clang_getCString(name), text) == 0;

  clang_disposeString(name);
  return same;
}

static bool same_type(CXType one, CXType other)
{
  return clang_equalTypes(clang_getUnqualifiedType(clang_getCanonicalType(one)),
                          clang_getUnqualifiedType(clang_getCanonicalType(other))) != 0;
}

static bool is_plain_number(CXType type)
{
  enum CXTypeKind kind = clang_getCanonicalType(type).kind;

  return (kind >= CXType_Bool && kind <= CXType_LongDouble) || kind == CXType_Enum;
}

/* True if sizeof measures the type. *other is the type's text if it measures another record. */
static bool measures(struct cn_walk *walk, CXCursor unit, CXType type, char **other)
{
  struct cn_cursors children = cn_cursor_children(unit);
  CXCursor child = children.count ? children.at[children.count - 1] : clang_getNullCursor();
  char *text = operand_text(walk, unit);
  bool same = false, derived = strpbrk(text, "*[(") != NULL;

  cn_free(&children);
  *other = NULL;
  if (clang_isExpression(clang_getCursorKind(child))) {
    same = same_type(clang_getCursorType(child), type);
    *other = same || type.kind != CXType_Void ? NULL : cn_format("__typeof__(%s)", text);
  } else {
    bool named = clang_getCursorKind(child) == CXCursor_TypeRef && !derived;
    CXType measured = named ? clang_getCursorType(clang_getCursorReferenced(child)) : type;
    same = named ? same_type(measured, type)
                 : is_spelled(type, text) || is_spelled(clang_getCanonicalType(type), text);
    CXEvalResult size = clang_Cursor_Evaluate(unit);
    if (!same && size && !derived && is_plain_number(type))
      same = clang_EvalResult_getAsLongLong(size) == clang_Type_getSizeOf(type);
    if (size)
      clang_EvalResult_dispose(size);
    *other = same || derived ? NULL : cn_strdup(text);
  }
  free(text);
  return same;
}

/* Drops the parentheses around a text that is the only argument of a macro. */
static void drop_parentheses(char *text)
{
  size_t length = strlen(text), depth = 0;

  if (*text != '(' || strchr(text, ','))
    return;
  for (size_t i = 0; i < length; i++) {
    depth += text[i] == '(';
    depth -= text[i] == ')';
    if (depth == 0 && i + 1 < length)
      return;
  }
  memmove(text, text + 1, length - 2);
  text[length - 2] = 0;
}

/* Finds the flexible array of a struct, and its element. False if there is no such member. */
static bool find_flexible(CXType type, char **member, CXType *element)
{
  struct cn_cursors fields = cn_cursor_children(clang_getTypeDeclaration(clang_getCanonicalType(type)));
  bool found = false;

  for (size_t i = fields.count; i-- > 0;) {
    if (clang_getCursorKind(fields.at[i]) != CXCursor_FieldDecl)
      continue;
    CXType last = clang_getCanonicalType(clang_getCursorType(fields.at[i]));
    found = last.kind == CXType_IncompleteArray;
    if (found) {
      *member = cn_cursor_name(fields.at[i]);
      *element = clang_getArrayElementType(last);
    }
    break;
  }
  cn_free(&fields);
  return found;
}

/* `sizeof(S) + n * sizeof(T)`, where S ends in an array of T. */
static enum cn_reason read_flexible(struct cn_walk *walk, CXCursor sum, CXType pointee,
                                    struct cn_allocation *allocation)
{
  struct cn_cursors terms = cn_cursor_children(sum);
  struct product base = {.unit = clang_getNullCursor()}, rest = base;
  char *other = NULL, *member = NULL;
  CXType element;
  bool good = terms.count == 2 && find_flexible(pointee, &member, &element);

  if (good) {
    read_product(walk, terms.at[0], &base);
    read_product(walk, terms.at[1], &rest);
    if (base.factors || clang_Cursor_isNull(base.unit)) {
      struct product swap = base;
      base = rest;
      rest = swap;
    }
    good = !base.factors && !clang_Cursor_isNull(base.unit) && measures(walk, base.unit, pointee, &other) &&
           !base.wrong && !rest.wrong && rest.factors;
    free(other);
    other = NULL;
    if (good && clang_Cursor_isNull(rest.unit))
      good = clang_Type_getSizeOf(element) == 1;
    else if (good)
      good = measures(walk, rest.unit, element, &other);
    free(other);
  }
  if (good) {
    allocation->form = CN_ALLOCATE_FLEXIBLE;
    allocation->count = cn_program_keep(walk->program, cn_strdup(rest.factors));
    drop_parentheses(allocation->count);
    allocation->member = cn_program_keep(walk->program, cn_strdup(member));
  }
  free(member);
  free(base.factors);
  free(rest.factors);
  cn_free(&terms);
  return good ? CN_REASON_NONE : CN_REASON_FLEXIBLE;
}

static enum cn_reason read_array(struct cn_walk *walk, struct product *product, CXType pointee,
                                 struct cn_allocation *allocation)
{
  char *other = NULL;
  bool character = clang_Type_getSizeOf(pointee) == 1 && is_plain_number(pointee);

  if (product->wrong)
    return CN_REASON_SIZE;
  if (!clang_Cursor_isNull(product->unit)) {
    bool same = measures(walk, product->unit, pointee, &other);
    allocation->other = cn_program_keep(walk->program, other);
    if (!same && !other)
      return CN_REASON_SIZE;
  } else if (!character) {
    return CN_REASON_SIZE;
  }
  bool one = !product->factors || strcmp(product->factors, "1") == 0;
  allocation->form = one && !clang_Cursor_isNull(product->unit) ? CN_ALLOCATE_ONE : CN_ALLOCATE_ARRAY;
  allocation->count = cn_program_keep(walk->program, cn_strdup(product->factors ? product->factors : "1"));
  drop_parentheses(allocation->count);
  return CN_REASON_NONE;
}

enum cn_reason cn_size_read(struct cn_walk *walk, CXCursor call, const struct cn_callee *callee, CXType pointee,
                            struct cn_allocation *allocation)
{
  struct product product = {.unit = clang_getNullCursor()};
  int arguments = clang_Cursor_getNumArguments(call);

  if (callee->size < 0 || callee->size >= arguments || callee->count >= arguments)
    return CN_REASON_SIZE;
  CXCursor size = clang_Cursor_getArgument(call, (unsigned)callee->size), sum = cn_value_strip(size);
  if (clang_getCursorBinaryOperatorKind(sum) == CXBinaryOperator_Add && has_sizeof(walk, size) == false) {
    struct cn_cursors terms = cn_cursor_children(sum);
    bool flexible = terms.count == 2 && (has_sizeof(walk, terms.at[0]) || has_sizeof(walk, terms.at[1]));
    cn_free(&terms);
    if (flexible && callee->kind == CN_CALLEE_ALLOCATE && callee->count < 0)
      return read_flexible(walk, sum, pointee, allocation);
    if (flexible && callee->count < 0)
      return CN_REASON_FLEXIBLE;
  }
  if (callee->count >= 0)
    read_product(walk, clang_Cursor_getArgument(call, (unsigned)callee->count), &product);
  read_product(walk, size, &product);
  enum cn_reason reason = read_array(walk, &product, pointee, allocation);
  free(product.factors);
  return reason;
}
