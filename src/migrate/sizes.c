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
  CXCursor unit;           /* the sizeof expression, or the null cursor */
  char *factors;           /* the text of the other factors, or null */
  struct cn_position call; /* the extent of the allocation */
  uint32_t call_end;
  bool wrong; /* two sizeof expressions, or text from a macro */
};

/* True if the expression's text is where its use is, and not in the body of a macro. */
static bool is_written(struct cn_walk *walk, CXCursor expression)
{
  struct cn_position position;

  return cn_program_locate(walk->program, clang_getRangeStart(clang_getCursorExtent(expression)), &position);
}

/* In the body of a macro, sizeof is told from _Alignof by its use. */
static bool is_sizeof(struct cn_walk *walk, CXCursor expression)
{
  char *text = cn_program_text_of(walk->program, expression);
  bool is = clang_getCursorKind(expression) == CXCursor_UnaryExpr &&
            (!is_written(walk, expression) || (text && strncmp(text, "sizeof", 6) == 0));

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

/* Adds an expression's factors to the product. */
static void read_product(struct cn_walk *walk, CXCursor expression, struct product *product)
{
  CXCursor inner = without_implicit(expression);

  if (is_sizeof(walk, inner)) {
    product->wrong |= !clang_Cursor_isNull(product->unit);
    product->unit = inner;
  } else if (!has_sizeof(walk, inner)) {
    CXCursor factor = is_written(walk, expression) ? expression : inner;
    bool own = cn_walk_is_within(walk, factor, product->call, product->call_end);
    add_factor(product, own ? cn_program_text_of(walk->program, factor) : NULL);
  } else {
    struct cn_cursors children = cn_cursor_children(inner);
    for (size_t i = 0; i < children.count; i++)
      if (clang_isExpression(clang_getCursorKind(children.at[i])))
        read_product(walk, children.at[i], product);
    cn_free(&children);
  }
}

/* The operand of sizeof, with single spaces; the caller frees the text. */
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
  CXString name = clang_getTypeSpelling(cn_unqualified(type));
  bool same = strcmp(clang_getCString(name), text) == 0;

  clang_disposeString(name);
  return same;
}

static bool same_type(CXType one, CXType other)
{
  return clang_equalTypes(cn_unqualified(clang_getCanonicalType(one)), cn_unqualified(clang_getCanonicalType(other))) !=
         0;
}

static bool is_plain_number(CXType type)
{
  enum CXTypeKind kind = clang_getCanonicalType(type).kind;

  return (kind >= CXType_Bool && kind <= CXType_LongDouble) || kind == CXType_Enum;
}

/* True if the number that sizeof gives is the size of the type. */
static bool has_size_of(CXCursor unit, CXType type)
{
  CXEvalResult size = clang_Cursor_Evaluate(unit);
  bool same = size && clang_EvalResult_getAsLongLong(size) == clang_Type_getSizeOf(type);

  if (size)
    clang_EvalResult_dispose(size);
  return same;
}

/* sizeof of a type in parentheses. */
static bool measures_type(struct cn_walk *walk, CXCursor unit, CXCursor child, CXType type, char **other)
{
  bool written = is_written(walk, unit), named = clang_getCursorKind(child) == CXCursor_TypeRef;
  char *text = written ? operand_text(walk, unit) : cn_strdup("");
  bool derived = strpbrk(text, "*[(") != NULL, same;

  if (named) {
    CXType measured = clang_getCursorType(clang_getCursorReferenced(child));
    /* In a macro, only the size tells `T` from `T *`. */
    derived |= !written && !has_size_of(unit, measured);
    same = !derived && same_type(measured, type);
  } else {
    same = !derived && is_plain_number(type) && has_size_of(unit, type);
  }
  if (derived)
    same = written ? is_spelled(type, text) || is_spelled(clang_getCanonicalType(type), text)
                   : clang_getCanonicalType(type).kind == CXType_Pointer && has_size_of(unit, type);
  *other = same || derived || !written ? NULL : cn_strdup(text);
  free(text);
  return same;
}

/* True if sizeof measures the type. *other is the type's text if it measures another record. */
static bool measures(struct cn_walk *walk, CXCursor unit, CXType type, char **other)
{
  struct cn_cursors children = cn_cursor_children(unit);
  CXCursor child = children.count ? children.at[children.count - 1] : clang_getNullCursor();

  cn_free(&children);
  *other = NULL;
  if (!clang_isExpression(clang_getCursorKind(child)))
    return measures_type(walk, unit, child, type, other);
  bool same = same_type(clang_getCursorType(child), type);
  if (!same && type.kind == CXType_Void && is_written(walk, unit)) {
    char *text = operand_text(walk, unit);
    *other = cn_format("__typeof__(%s)", text);
    free(text);
  }
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
  text[length - 1] = 0;
  size_t space = 1 + strspn(text + 1, " \t\n");
  memmove(text, text + space, strlen(text + space) + 1);
  for (length = strlen(text); length > 0 && isspace((unsigned char)text[length - 1]); length--)
    text[length - 1] = 0;
}

/* Finds the flexible array of a struct, and its element. False if the last member is another. */
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

/* Splits a sum into its terms. */
static void split_sum(CXCursor expression, struct cn_cursors *terms)
{
  CXCursor inner = cn_value_strip(expression);

  if (clang_getCursorBinaryOperatorKind(inner) != CXBinaryOperator_Add) {
    cn_push(terms, expression);
    return;
  }
  struct cn_cursors parts = cn_cursor_children(inner);
  for (size_t i = 0; i < parts.count; i++)
    split_sum(parts.at[i], terms);
  cn_free(&parts);
}

/* The terms of a sum, beside the size of the struct. */
struct sum {
  bool base; /* the size of the struct is among them */
  bool wrong;
  struct product rest; /* of a single term with sizeof */
  char *bytes;         /* the text of the terms without sizeof, or null */
};

static void add_term(struct cn_walk *walk, CXCursor term, CXType pointee, const struct cn_allocation *allocation,
                     struct sum *sum)
{
  struct product product = {.unit = clang_getNullCursor(), .call = allocation->position, .call_end = allocation->end};
  char *other = NULL, *before = sum->bytes;

  read_product(walk, term, &product);
  bool unit = !clang_Cursor_isNull(product.unit);
  sum->wrong |= product.wrong;
  if (unit && !product.factors && !sum->base && measures(walk, product.unit, pointee, &other)) {
    sum->base = true;
  } else if (unit) {
    sum->wrong |= sum->rest.factors || !product.factors;
    free(sum->rest.factors);
    sum->rest = product;
    product.factors = NULL;
  } else if (product.factors) {
    sum->bytes = before ? cn_format("%s + %s", before, product.factors) : cn_strdup(product.factors);
    free(before);
  }
  free(other);
  free(product.factors);
}

/* The number of elements after the struct, which the caller frees; null if the sum is not understood. */
static char *flexible_count(struct cn_walk *walk, struct sum *sum, CXType element)
{
  char *other = NULL, *count = NULL;

  if (sum->wrong || !sum->base)
    return NULL;
  if (sum->bytes && !sum->rest.factors && clang_Type_getSizeOf(element) == 1)
    count = cn_strdup(sum->bytes);
  if (!sum->bytes && sum->rest.factors && measures(walk, sum->rest.unit, element, &other))
    count = cn_strdup(sum->rest.factors);
  free(other);
  return count;
}

/* `sizeof(S) + n * sizeof(T)`, where S ends in an array of T. */
static enum cn_reason read_flexible(struct cn_walk *walk, CXCursor size, CXType pointee,
                                    struct cn_allocation *allocation)
{
  struct cn_cursors terms = {0};
  struct sum sum = {.rest.unit = clang_getNullCursor()};
  char *member = NULL, *count = NULL;
  CXType element;

  split_sum(size, &terms);
  for (size_t i = 0; i < terms.count; i++)
    add_term(walk, terms.at[i], pointee, allocation, &sum);
  if (find_flexible(pointee, &member, &element))
    count = flexible_count(walk, &sum, element);
  if (count) {
    drop_parentheses(count);
    allocation->form = CN_ALLOCATE_FLEXIBLE;
    allocation->count = cn_program_keep(walk->program, count);
    allocation->member = cn_program_keep(walk->program, cn_strdup(member));
  }
  free(member);
  free(sum.bytes);
  free(sum.rest.factors);
  cn_free(&terms);
  return count ? CN_REASON_NONE : CN_REASON_FLEXIBLE;
}

/* True if the expression is a sum with the size of a type. */
static bool is_sum_of_size(struct cn_walk *walk, CXCursor size)
{
  struct cn_cursors terms = {0};
  bool sized = false;

  split_sum(size, &terms);
  for (size_t i = 0; terms.count > 1 && i < terms.count; i++)
    sized |= has_sizeof(walk, terms.at[i]);
  cn_free(&terms);
  return sized;
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
  struct product product = {.unit = clang_getNullCursor(), .call = allocation->position, .call_end = allocation->end};
  int arguments = clang_Cursor_getNumArguments(call);

  if (callee->size < 0 || callee->size >= arguments || callee->count >= arguments)
    return CN_REASON_SIZE;
  CXCursor size = clang_Cursor_getArgument(call, (unsigned)callee->size);
  if (callee->count < 0 && is_sum_of_size(walk, size))
    return callee->kind == CN_CALLEE_ALLOCATE ? read_flexible(walk, size, pointee, allocation) : CN_REASON_FLEXIBLE;
  if (callee->count >= 0)
    read_product(walk, clang_Cursor_getArgument(call, (unsigned)callee->count), &product);
  read_product(walk, size, &product);
  enum cn_reason reason = read_array(walk, &product, pointee, allocation);
  free(product.factors);
  return reason;
}
