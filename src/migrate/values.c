/* SPDX-License-Identifier: Apache-2.0
 *
 * Follows pointers through expressions: each function gives an expression's type, and makes the pointers equal that the
 * expression assigns, compares or converts. Calls are in calls.c.
 */
#include <string.h>
#include "migrate/program.h"

CXCursor cn_value_strip(CXCursor expression)
{
  for (;;) {
    enum CXCursorKind kind = clang_getCursorKind(expression);
    if (kind != CXCursor_ParenExpr && kind != CXCursor_UnexposedExpr && kind != CXCursor_CStyleCastExpr)
      return expression;
    struct cn_cursors children = cn_cursor_children(expression);
    CXCursor last = children.count ? children.at[children.count - 1] : clang_getNullCursor();
    cn_free(&children);
    if (!clang_isExpression(clang_getCursorKind(last)))
      return expression;
    expression = last;
  }
}

/* True if the evaluation of the expression only reads. */
bool cn_value_only_reads(CXCursor expression)
{
  enum CXCursorKind kind = clang_getCursorKind(expression);
  enum CXUnaryOperatorKind unary = clang_getCursorUnaryOperatorKind(expression);
  enum CXBinaryOperatorKind binary = clang_getCursorBinaryOperatorKind(expression);
  bool reads = kind != CXCursor_CallExpr && kind != CXCursor_StmtExpr && kind != CXCursor_CompoundAssignOperator &&
               binary != CXBinaryOperator_Assign && (unary < CXUnaryOperator_PostInc || unary > CXUnaryOperator_PreDec);
  struct cn_cursors children = cn_cursor_children(expression);

  for (size_t i = 0; reads && i < children.count; i++)
    reads = cn_value_only_reads(children.at[i]);
  cn_free(&children);
  return reads;
}

static struct cn_value scalar(void)
{
  return (struct cn_value){.type = &cn_type_scalar, .variable = clang_getNullCursor()};
}

static struct cn_value value_of_type(struct cn_type *type)
{
  return (struct cn_value){.type = type, .variable = clang_getNullCursor()};
}

static void hold(struct cn_walk *walk, const struct cn_type *type, enum cn_reason reason, CXCursor at)
{
  if (type->kind == CN_TYPE_POINTER)
    cn_classes_hold(&walk->program->classes, type->pointer,
                    (struct cn_held){.reason = reason, .position = cn_walk_position(walk, at)});
}

/* The child with the index, or the null cursor. */
static CXCursor child_at(CXCursor cursor, size_t index)
{
  struct cn_cursors children = cn_cursor_children(cursor);
  CXCursor child = index < children.count ? children.at[index] : clang_getNullCursor();

  cn_free(&children);
  return child;
}

static CXCursor last_child(CXCursor cursor)
{
  struct cn_cursors children = cn_cursor_children(cursor);
  CXCursor child = children.count ? children.at[children.count - 1] : clang_getNullCursor();

  cn_free(&children);
  return child;
}

/* A string literal as a pointer. In a function, cairn_literal() makes it a reference. */
static struct cn_value literal_value(struct cn_walk *walk, CXCursor literal, struct cn_type *to)
{
  struct cn_type *type = cn_type_pointer(walk->program, 0, to);
  struct cn_position begin;
  uint32_t end;

  if (walk->constant || !walk->function || !cn_program_extent(walk->program, literal, &begin, &end)) {
    hold(walk, type, CN_REASON_LITERAL, literal);
    return value_of_type(type);
  }
  struct cn_position last = {begin.file, end};
  cn_edit_if_managed(walk->program, &type->pointer, 1, begin, begin.at, cn_strdup("cairn_literal("));
  cn_edit_if_managed(walk->program, &type->pointer, 1, last, end, cn_strdup(")"));
  cn_push(&walk->program->needs, (struct cn_need){begin.file, type->pointer, false});
  return value_of_type(type);
}

/* The address of an object, or of the first element of an array. */
static struct cn_value address_of(struct cn_walk *walk, const struct cn_value *object, struct cn_type *to,
                                  enum cn_reason reason, CXCursor at)
{
  if (object->place)
    return value_of_type(cn_type_pointer(walk->program, object->place, to));
  bool is_variable = clang_getCursorKind(object->variable) == CXCursor_VarDecl;
  uint32_t storage = is_variable ? cn_variable_storage(walk, object->variable, at) : 0;
  if (storage)
    return value_of_type(cn_type_pointer(walk->program, storage, to));
  struct cn_held what = {.reason = reason, .position = cn_walk_position(walk, at)};
  if (!clang_Cursor_isNull(object->variable))
    what.name = cn_cursor_name(object->variable);
  return value_of_type(cn_type_pointer_held(walk->program, to, what));
}

static struct cn_value declared_value(struct cn_walk *walk, CXCursor expression)
{
  CXCursor declaration = clang_getCursorReferenced(expression);
  enum CXCursorKind kind = clang_getCursorKind(declaration);
  struct cn_value value = scalar();

  if (kind != CXCursor_VarDecl && kind != CXCursor_ParmDecl && kind != CXCursor_FunctionDecl)
    return value;
  value.type = cn_type_declared(walk->program, declaration);
  value.variable = declaration;
  if (kind == CXCursor_VarDecl && (value.type->kind == CN_TYPE_RECORD || value.type->kind == CN_TYPE_POINTER))
    cn_variable_note_use(walk, expression, declaration);
  return value;
}

/* A union that is copied as a whole stays ordinary. */
static void hold_copied_union(struct cn_walk *walk, CXCursor field)
{
  CXCursor type = clang_getTypeDeclaration(clang_getCanonicalType(clang_getCursorType(field)));
  size_t depth = walk->enclosing.count;

  if (clang_getCursorKind(type) == CXCursor_UnionDecl && depth >= 2 &&
      clang_getCursorKind(walk->enclosing.at[depth - 2]) != CXCursor_MemberRefExpr)
    cn_union_of(walk->program, clang_getCursorDefinition(type))->fixed = true;
}

static struct cn_value member_value(struct cn_walk *walk, CXCursor expression)
{
  CXCursor field = clang_getCursorReferenced(expression), child = child_at(expression, 0);
  struct cn_value value = scalar();

  if (clang_getCursorKind(field) != CXCursor_FieldDecl)
    return value;
  value.type = cn_type_declared(walk->program, field);
  hold_copied_union(walk, field);
  if (!clang_isExpression(clang_getCursorKind(child)))
    return value;
  struct cn_value base = cn_value_of(walk, child);
  value.place = base.type->kind == CN_TYPE_POINTER ? base.type->pointer : base.place;
  value.variable = base.variable;
  return value;
}

static struct cn_value element_value(struct cn_walk *walk, CXCursor expression)
{
  struct cn_value one = cn_value_of(walk, child_at(expression, 0));
  struct cn_value other = cn_value_of(walk, child_at(expression, 1));
  const struct cn_value *base = one.type->kind == CN_TYPE_POINTER ? &one : &other;
  struct cn_value value = scalar();

  if (base->type->kind != CN_TYPE_POINTER)
    return value;
  value.type = base->type->to;
  value.place = base->type->pointer;
  value.variable = base->variable;
  return value;
}

/* True if the object lies at the start of the memory at its place, as far as the expression shows. */
static bool is_at_start(CXCursor object)
{
  CXCursor stripped = cn_value_strip(object);
  enum CXCursorKind kind = clang_getCursorKind(stripped);

  if (kind == CXCursor_ArraySubscriptExpr) {
    CXEvalResult index = clang_Cursor_Evaluate(child_at(stripped, 1));
    bool zero = index && clang_EvalResult_getKind(index) == CXEval_Int && clang_EvalResult_getAsLongLong(index) == 0;
    if (index)
      clang_EvalResult_dispose(index);
    return zero;
  }
  return kind != CXCursor_MemberRefExpr;
}

/* A function as a pointer. */
static struct cn_value function_pointer(struct cn_walk *walk, CXCursor function, struct cn_type *type)
{
  struct cn_program *program = walk->program;
  struct cn_held what = {.reason = CN_REASON_FUNCTION};
  struct cn_type *pointer = cn_type_pointer_held(program, type, what);
  CXCursor declaration = clang_getCursorReferenced(cn_value_strip(function));

  if (clang_getCursorKind(declaration) == CXCursor_FunctionDecl &&
      cn_allocators_callee(program, declaration)->kind == CN_CALLEE_FREE)
    program->classes.pointers.at[pointer->pointer].frees = true;
  return value_of_type(pointer);
}

static struct cn_value address_value(struct cn_walk *walk, CXCursor expression)
{
  CXCursor operand = child_at(expression, 0);
  struct cn_value object = cn_value_of(walk, operand), value;

  if (object.type->kind == CN_TYPE_FUNCTION)
    return function_pointer(walk, operand, object.type);
  CXCursor stripped = cn_value_strip(operand);
  if (clang_getCursorKind(stripped) == CXCursor_MemberRefExpr && object.type->kind != CN_TYPE_RECORD)
    cn_union_hold(walk->program, clang_getCursorReferenced(stripped));
  value = address_of(walk, &object, object.type, CN_REASON_ADDRESS, expression);
  value.interior = !is_at_start(operand);
  return value;
}

static struct cn_value unary_value(struct cn_walk *walk, CXCursor expression)
{
  enum CXUnaryOperatorKind operator = clang_getCursorUnaryOperatorKind(expression);
  struct cn_value value;

  if (operator == CXUnaryOperator_AddrOf)
    return address_value(walk, expression);
  value = cn_value_of(walk, child_at(expression, 0));
  switch (operator) {
  case CXUnaryOperator_Deref:
    if (value.type->kind != CN_TYPE_POINTER)
      return value.type->kind == CN_TYPE_FUNCTION ? value : scalar();
    value.place = value.type->pointer;
    value.type = value.type->to;
    value.interior = false;
    return value;
  case CXUnaryOperator_PostInc:
  case CXUnaryOperator_PostDec:
  case CXUnaryOperator_PreInc:
  case CXUnaryOperator_PreDec:
    cn_flow_note_interior(walk, value.type, expression);
    value.place = 0;
    return value;
  case CXUnaryOperator_Extension:
    return value;
  default:
    return scalar();
  }
}

/* True if the expression is a variable of a function. */
static bool is_local(CXCursor expression)
{
  CXCursor stripped = cn_value_strip(expression);

  if (clang_getCursorKind(stripped) != CXCursor_DeclRefExpr)
    return false;
  CXCursor variable = clang_getCursorReferenced(stripped);
  return clang_getCursorKind(variable) == CXCursor_ParmDecl || !clang_Cursor_hasVarDeclGlobalStorage(variable);
}

static void assign(struct cn_walk *walk, struct cn_type *to, const struct cn_value *from, bool memory, CXCursor at)
{
  cn_type_unify(walk->program, to, from->type);
  cn_flow_note(walk, to, from, memory ? CN_FLOW_MEMORY : CN_FLOW_VARIABLE, at);
}

static struct cn_value binary_value(struct cn_walk *walk, CXCursor expression)
{
  enum CXBinaryOperatorKind operator = clang_getCursorBinaryOperatorKind(expression);
  CXCursor left = child_at(expression, 0);
  struct cn_value one = cn_value_of(walk, left), other = cn_value_of(walk, child_at(expression, 1));

  switch (operator) {
  case CXBinaryOperator_Assign:
    assign(walk, one.type, &other, !is_local(left), expression);
    one.interior = other.interior;
    one.place = 0;
    return one;
  case CXBinaryOperator_Comma:
    return other;
  case CXBinaryOperator_Add:
  case CXBinaryOperator_Sub:
    if (one.type->kind == CN_TYPE_POINTER && other.type->kind == CN_TYPE_POINTER) {
      cn_type_unify(walk->program, one.type, other.type);
      return scalar();
    }
    one = one.type->kind == CN_TYPE_POINTER ? one : other;
    one.place = 0;
    one.interior = true;
    return one.type->kind == CN_TYPE_POINTER ? one : scalar();
  case CXBinaryOperator_LT:
  case CXBinaryOperator_GT:
  case CXBinaryOperator_LE:
  case CXBinaryOperator_GE:
  case CXBinaryOperator_EQ:
  case CXBinaryOperator_NE:
    cn_type_unify(walk->program, one.type, other.type);
    return scalar();
  default:
    return scalar();
  }
}

static struct cn_value conditional_value(struct cn_walk *walk, CXCursor expression)
{
  struct cn_cursors children = cn_cursor_children(expression);
  struct cn_value value = scalar();

  for (size_t i = 0; i < children.count; i++) {
    struct cn_value arm = cn_value_of(walk, children.at[i]);
    if (i == 0 && children.count == 3)
      continue;
    cn_type_unify(walk->program, value.type, arm.type);
    bool interior = value.interior || arm.interior;
    if (value.type->kind == CN_TYPE_SCALAR || value.null)
      value = arm;
    value.interior = interior;
    value.place = 0;
  }
  cn_free(&children);
  return value;
}

static bool is_zero(CXCursor expression)
{
  CXEvalResult result = clang_Cursor_Evaluate(cn_value_strip(expression));
  bool zero = result && clang_EvalResult_getKind(result) == CXEval_Int && clang_EvalResult_getAsLongLong(result) == 0;

  if (result)
    clang_EvalResult_dispose(result);
  return zero;
}

static bool is_bool(CXType type)
{
  return clang_getCanonicalType(type).kind == CXType_Bool;
}

/* Converts a value to the type that `expression` has. */
static struct cn_value converted(struct cn_walk *walk, CXCursor expression, CXCursor child, struct cn_type *type)
{
  struct cn_value value = cn_value_of(walk, child);
  bool null = type->kind == CN_TYPE_POINTER && value.type->kind == CN_TYPE_SCALAR && is_zero(child);

  if (type->kind == CN_TYPE_POINTER && value.type->kind == CN_TYPE_SCALAR && !null)
    hold(walk, type, CN_REASON_INTEGER, expression);
  if (type->kind == CN_TYPE_SCALAR && value.type->kind == CN_TYPE_POINTER && !is_bool(clang_getCursorType(expression)))
    hold(walk, value.type, CN_REASON_INTEGER, expression);
  cn_type_unify(walk->program, type, value.type);
  cn_flow_note(walk, type, &value, CN_FLOW_VARIABLE, expression);
  value.null |= null;
  value.type = type;
  value.place = 0;
  return value;
}

/* True if the expression stands where its use is, and not in the body of a macro. */
static bool is_written(struct cn_walk *walk, CXCursor expression)
{
  struct cn_position position;

  return cn_program_locate(walk->program, clang_getRangeStart(clang_getCursorExtent(expression)), &position);
}

/* A null pointer constant, `(void *)0`, which converts to each pointer type. */
static struct cn_value null_value(struct cn_walk *walk, CXCursor expression)
{
  struct cn_value value = value_of_type(cn_type_of_expression(walk->program, clang_getCursorType(expression)));

  value.null = true;
  return value;
}

static struct cn_value cast_value(struct cn_walk *walk, CXCursor expression)
{
  CXCursor child = last_child(expression);
  CXType target = clang_getCanonicalType(clang_getCursorType(expression));

  if (target.kind == CXType_Pointer && clang_getPointeeType(target).kind == CXType_Void &&
      clang_getCursorKind(child) == CXCursor_IntegerLiteral && is_zero(child))
    return null_value(walk, expression);
  if (target.kind == CXType_Pointer && cn_call_allocates(walk, child) && !is_written(walk, expression))
    return cn_call_allocation(walk, expression, cn_call_within(child),
                              cn_type_of_expression(walk->program, clang_getCursorType(expression)),
                              cn_cursor_pointee(expression));
  struct cn_type *type = cn_type_written(walk->program, expression);
  if (type->kind == CN_TYPE_POINTER && cn_call_allocates(walk, child))
    return cn_call_allocation(walk, expression, cn_call_within(child), type, cn_cursor_pointee(expression));
  if (target.kind == CXType_Void) {
    cn_value_of(walk, child);
    return scalar();
  }
  return converted(walk, expression, child, type);
}

/* An array as a pointer to its first element. */
static struct cn_value decayed_value(struct cn_walk *walk, CXCursor expression, CXCursor child)
{
  struct cn_value array = cn_value_of(walk, child), value;
  CXCursor stripped = cn_value_strip(child);

  if (clang_getCursorKind(stripped) == CXCursor_StringLiteral && array.type->kind == CN_TYPE_ARRAY)
    return literal_value(walk, stripped, array.type->to);
  if (array.type->kind != CN_TYPE_ARRAY)
    array.type = cn_type_of_expression(walk->program, clang_getCursorType(child));
  if (array.type->kind != CN_TYPE_ARRAY)
    return value_of_type(cn_type_of_expression(walk->program, clang_getCursorType(expression)));
  value = address_of(walk, &array, array.type->to, CN_REASON_ARRAY, expression);
  value.interior = !is_at_start(child);
  value.variable = array.variable;
  return value;
}

static bool is_array(CXType type)
{
  return type.kind == CXType_ConstantArray || type.kind == CXType_IncompleteArray || type.kind == CXType_VariableArray;
}

/* An implicit conversion, or an expression that libclang has no kind for. */
static struct cn_value implicit_value(struct cn_walk *walk, CXCursor expression)
{
  struct cn_cursors children = cn_cursor_children(expression);
  CXCursor child = children.count ? children.at[children.count - 1] : clang_getNullCursor();
  size_t count = children.count;

  cn_free(&children);
  CXType type = clang_getCanonicalType(clang_getCursorType(expression));
  CXType from = clang_getCanonicalType(clang_getCursorType(child));
  if (count != 1 || !clang_isExpression(clang_getCursorKind(child))) {
    if (type.kind != CXType_Pointer)
      return count ? (conditional_value(walk, expression), scalar()) : scalar();
    return conditional_value(walk, expression);
  }
  if (type.kind == CXType_Pointer && cn_call_allocates(walk, child)) {
    struct cn_type *target = cn_type_of_expression(walk->program, clang_getCursorType(expression));
    return cn_call_allocation(walk, cn_call_within(child), cn_call_within(child), target,
                              cn_cursor_pointee(expression));
  }
  if (type.kind == CXType_Pointer && is_array(from))
    return decayed_value(walk, expression, child);
  if (from.kind == CXType_Pointer && type.kind == CXType_Pointer)
    return cn_value_of(walk, child);
  if (type.kind == CXType_Pointer && from.kind != CXType_FunctionProto && from.kind != CXType_FunctionNoProto) {
    struct cn_type *target = cn_type_of_expression(walk->program, clang_getCursorType(expression));
    if (from.kind == CXType_Record) { /* va_arg() */
      cn_value_of(walk, child);
      cn_type_hold(walk->program, target, CN_REASON_VOLATILE, cn_walk_position(walk, expression), NULL);
      return value_of_type(target);
    }
    return converted(walk, expression, child, target);
  }
  struct cn_value value = cn_value_of(walk, child);
  if (type.kind == CXType_Pointer && value.type->kind == CN_TYPE_FUNCTION)
    return function_pointer(walk, child, value.type);
  if (from.kind == CXType_Pointer && type.kind != CXType_Bool && type.kind != CXType_Void) {
    hold(walk, value.type, CN_REASON_INTEGER, expression);
    return scalar();
  }
  return value;
}

static struct cn_value compound_literal_value(struct cn_walk *walk, CXCursor expression)
{
  struct cn_type *type = cn_type_written(walk->program, expression);

  cn_value_initialise(walk, type, last_child(expression), true);
  return value_of_type(type);
}

static struct cn_value statement_value(struct cn_walk *walk, CXCursor expression)
{
  CXCursor body = last_child(expression), last = last_child(body);
  bool value = clang_isExpression(clang_getCursorKind(last)) != 0;

  cn_statement_walk(walk, body, expression);
  return value ? cn_value_of(walk, last) : scalar();
}

/* The value of `place += number` and its like. */
static struct cn_value advanced_value(struct cn_walk *walk, CXCursor expression)
{
  struct cn_value value = cn_value_of(walk, child_at(expression, 0));

  cn_value_of(walk, child_at(expression, 1));
  cn_flow_note_interior(walk, value.type, expression);
  value.place = 0;
  value.interior = true;
  return value;
}

static struct cn_value other_value(struct cn_walk *walk, CXCursor expression)
{
  struct cn_cursors children = cn_cursor_children(expression);
  CXType type = clang_getCursorType(expression);

  for (size_t i = 0; i < children.count; i++) {
    if (!clang_isExpression(clang_getCursorKind(children.at[i])))
      continue;
    struct cn_value value = cn_value_of(walk, children.at[i]);
    cn_type_hold(walk->program, value.type, CN_REASON_UNKNOWN, cn_walk_position(walk, expression), NULL);
  }
  cn_free(&children);
  struct cn_type *result = cn_type_of_expression(walk->program, type);
  cn_type_hold(walk->program, result, CN_REASON_UNKNOWN, cn_walk_position(walk, expression), NULL);
  return value_of_type(result);
}

static struct cn_value value_by_kind(struct cn_walk *walk, CXCursor expression)
{
  switch ((int)clang_getCursorKind(expression)) {
  case CXCursor_ParenExpr:
    return cn_value_of(walk, last_child(expression));
  case CXCursor_UnexposedExpr:
    return implicit_value(walk, expression);
  case CXCursor_DeclRefExpr:
    return declared_value(walk, expression);
  case CXCursor_MemberRefExpr:
    return member_value(walk, expression);
  case CXCursor_CallExpr:
    return cn_call_value(walk, expression);
  case CXCursor_ArraySubscriptExpr:
    return element_value(walk, expression);
  case CXCursor_UnaryOperator:
    return unary_value(walk, expression);
  case CXCursor_BinaryOperator:
    return binary_value(walk, expression);
  case CXCursor_CompoundAssignOperator:
    return advanced_value(walk, expression);
  case CXCursor_ConditionalOperator:
    return conditional_value(walk, expression);
  case CXCursor_CStyleCastExpr:
    return cast_value(walk, expression);
  case CXCursor_CompoundLiteralExpr:
    return compound_literal_value(walk, expression);
  case CXCursor_StmtExpr:
    return statement_value(walk, expression);
  case CXCursor_StringLiteral:
    return value_of_type(cn_type_of_expression(walk->program, clang_getCursorType(expression)));
  case CXCursor_UnaryExpr: /* sizeof */
    if (clang_isExpression(clang_getCursorKind(last_child(expression))))
      cn_value_of(walk, last_child(expression));
    return scalar();
  case CXCursor_IntegerLiteral:
  case CXCursor_FloatingLiteral:
  case CXCursor_ImaginaryLiteral:
  case CXCursor_CharacterLiteral:
    return scalar();
  default:
    return other_value(walk, expression);
  }
}

struct cn_value cn_value_of(struct cn_walk *walk, CXCursor expression)
{
  cn_push(&walk->enclosing, expression);
  struct cn_value value = value_by_kind(walk, expression);
  walk->enclosing.count--;
  return value;
}

/* ---- initialisers ---- */

/* The member that a designator names; the index of the last designator's type is in *type. */
static CXCursor designated(struct cn_walk *walk, CXCursor child, struct cn_type **type, size_t *index)
{
  struct cn_cursors parts = cn_cursor_children(child);
  CXCursor value = child;

  if (clang_getCursorKind(child) == CXCursor_UnexposedExpr && parts.count > 1) {
    value = parts.at[parts.count - 1];
    struct cn_type *at = *type;
    for (size_t i = 0; i + 1 < parts.count; i++) {
      if (clang_getCursorKind(parts.at[i]) == CXCursor_MemberRef) {
        at = cn_type_declared(walk->program, clang_getCursorReferenced(parts.at[i]));
        for (size_t k = 0; i == 0 && (*type)->kind == CN_TYPE_RECORD && k < (*type)->record->fields.count; k++)
          if ((*type)->record->fields.at[k] == at)
            *index = k;
      } else if (at->kind == CN_TYPE_ARRAY) {
        at = at->to;
      }
    }
    *type = at;
  } else if ((*type)->kind == CN_TYPE_ARRAY) {
    *type = (*type)->to;
  } else if ((*type)->kind == CN_TYPE_RECORD) {
    /* cairn_union() takes only initialisers with designators. */
    for (size_t i = 0; *index > 0 && i < (*type)->record->unions.count; i++)
      (*type)->record->unions.at[i]->fixed = true;
    *type = *index < (*type)->record->fields.count ? (*type)->record->fields.at[*index] : &cn_type_scalar;
  }
  cn_free(&parts);
  return value;
}

static void initialise_list(struct cn_walk *walk, struct cn_type *type, CXCursor list)
{
  struct cn_cursors children = cn_cursor_children(list);
  size_t index = 0;

  for (size_t i = 0; i < children.count; i++) {
    struct cn_type *part = type;
    if (!clang_isExpression(clang_getCursorKind(children.at[i])))
      continue;
    CXCursor value = designated(walk, children.at[i], &part, &index);
    cn_value_initialise(walk, part, value, true);
    index++;
  }
  cn_free(&children);
}

void cn_value_initialise(struct cn_walk *walk, struct cn_type *type, CXCursor initialiser, bool memory)
{
  if (clang_getCursorKind(initialiser) == CXCursor_InitListExpr) {
    initialise_list(walk, type, initialiser);
    return;
  }
  struct cn_value value = cn_value_of(walk, initialiser);
  assign(walk, type, &value, memory, initialiser);
  bool elided = type->kind == CN_TYPE_ARRAY || type->kind == CN_TYPE_RECORD;
  if (elided && value.type->kind == CN_TYPE_POINTER)
    hold(walk, value.type, CN_REASON_UNKNOWN, initialiser);
}
