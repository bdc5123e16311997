/* SPDX-License-Identifier: Apache-2.0
 *
 * Knows the functions that allocate, free, copy and sort: those of the C library by name, and those of the program that
 * only pass their parameters on to them, or return their parameter. Reads all units before the other files begin.
 */
#include <string.h>
#include "migrate/program.h"

static const struct cn_callee library[] = {
    {"malloc", CN_CALLEE_ALLOCATE, 0, -1, -1},   {"calloc", CN_CALLEE_ALLOCATE, 1, 0, -1},
    {"realloc", CN_CALLEE_RESIZE, 1, -1, 0},     {"reallocarray", CN_CALLEE_RESIZE, 2, 1, 0},
    {"free", CN_CALLEE_FREE, -1, -1, 0},         {"cfree", CN_CALLEE_FREE, -1, -1, 0},
    {"memcpy", CN_CALLEE_COPY, -1, -1, -1},      {"memmove", CN_CALLEE_COPY, -1, -1, -1},
    {"memset", CN_CALLEE_FILL, -1, -1, -1},      {"bzero", CN_CALLEE_FILL, -1, -1, -1},
    {"strlen", CN_CALLEE_READ, -1, -1, -1},      {"strcmp", CN_CALLEE_READ, -1, -1, -1},
    {"strncmp", CN_CALLEE_READ, -1, -1, -1},     {"strcasecmp", CN_CALLEE_READ, -1, -1, -1},
    {"strncasecmp", CN_CALLEE_READ, -1, -1, -1}, {"strspn", CN_CALLEE_READ, -1, -1, -1},
    {"strcspn", CN_CALLEE_READ, -1, -1, -1},     {"memcmp", CN_CALLEE_READ, -1, -1, -1},
    {"bcmp", CN_CALLEE_READ, -1, -1, -1},        {"memchr", CN_CALLEE_SEARCH, -1, -1, -1},
    {"strchr", CN_CALLEE_SEARCH, -1, -1, -1},    {"strrchr", CN_CALLEE_SEARCH, -1, -1, -1},
    {"strstr", CN_CALLEE_SEARCH, -1, -1, -1},    {"puts", CN_CALLEE_PRINT, -1, -1, -1},
    {"fputs", CN_CALLEE_PRINT, -1, -1, -1},      {"printf", CN_CALLEE_FORMAT, 0, -1, -1},
    {"fprintf", CN_CALLEE_FORMAT, 1, -1, 0},     {"strcpy", CN_CALLEE_COPY_TEXT, -1, -1, 0},
    {"strcat", CN_CALLEE_COPY_TEXT, 0, -1, 0},   {"strdup", CN_CALLEE_DUPLICATE, -1, -1, 0},
    {"strndup", CN_CALLEE_DUPLICATE, -1, 1, 0},  {"qsort", CN_CALLEE_SORT, -1, -1, 0},
    {"setjmp", CN_CALLEE_JUMP, -1, -1, -1},      {"_setjmp", CN_CALLEE_JUMP, -1, -1, -1},
    {"sigsetjmp", CN_CALLEE_JUMP, -1, -1, -1},   {"__sigsetjmp", CN_CALLEE_JUMP, -1, -1, -1},
};

static const struct cn_callee other = {NULL, CN_CALLEE_OTHER, -1, -1, -1};

const struct cn_callee *cn_allocators_callee(struct cn_program *program, CXCursor function)
{
  if (clang_getCursorKind(function) != CXCursor_FunctionDecl)
    return &other;
  const struct cn_name *name = cn_program_name(program, function);
  if (name->callee)
    return name->callee;
  if (name->defined)
    return &other;
  char *spelled = cn_cursor_name(function);
  const char *plain = strncmp(spelled, "__builtin_", 10) == 0 ? spelled + 10 : spelled;
  const struct cn_callee *callee = &other;
  for (size_t i = 0; i < sizeof library / sizeof *library; i++)
    if (strcmp(library[i].name, plain) == 0)
      callee = &library[i];
  free(spelled);
  return callee;
}

/* The search of one function's body for its calls. */
struct search {
  struct cn_program *program;
  CXCursor function;
  const struct cn_callee *found; /* the allocator that the body calls */
  CXCursor call;
  int calls;  /* of allocators */
  int others; /* other calls */
};

static enum CXChildVisitResult find_call(CXCursor cursor, CXCursor parent, CXClientData env)
{
  struct search *search = env;

  (void)parent;
  if (clang_getCursorKind(cursor) != CXCursor_CallExpr)
    return CXChildVisit_Recurse;
  const struct cn_callee *callee = cn_allocators_callee(search->program, clang_getCursorReferenced(cursor));
  if (callee->kind == CN_CALLEE_ALLOCATE || callee->kind == CN_CALLEE_RESIZE || callee->kind == CN_CALLEE_FREE) {
    /* `if (p) realloc(p, n) else malloc(n)`: the call that changes the length stands for both. */
    if (!search->found || (search->found->kind == CN_CALLEE_ALLOCATE && callee->kind == CN_CALLEE_RESIZE)) {
      search->found = callee;
      search->call = cursor;
    }
    search->calls++;
  } else {
    search->others++;
  }
  return CXChildVisit_Recurse;
}

/* The index of the function's parameter that the expression is, or -1. */
static int parameter_index(CXCursor function, CXCursor expression)
{
  CXCursor stripped = cn_value_strip(expression);

  if (clang_getCursorKind(stripped) != CXCursor_DeclRefExpr)
    return -1;
  CXCursor referenced = clang_getCursorReferenced(stripped);
  for (int i = 0; i < clang_Cursor_getNumArguments(function); i++)
    if (clang_equalCursors(clang_Cursor_getArgument(function, (unsigned)i), referenced))
      return i;
  return -1;
}

static int argument_parameter(const struct search *search, int argument)
{
  if (argument < 0 || argument >= clang_Cursor_getNumArguments(search->call))
    return -1;
  return parameter_index(search->function, clang_Cursor_getArgument(search->call, (unsigned)argument));
}

/* Reads `malloc(a * b)` of two parameters. */
static bool read_product(const struct search *search, struct cn_callee *callee)
{
  CXCursor size = cn_value_strip(clang_Cursor_getArgument(search->call, (unsigned)search->found->size));

  if (clang_getCursorBinaryOperatorKind(size) != CXBinaryOperator_Mul)
    return false;
  struct cn_cursors factors = cn_cursor_children(size);
  if (factors.count == 2) {
    callee->count = parameter_index(search->function, factors.at[0]);
    callee->size = parameter_index(search->function, factors.at[1]);
  }
  cn_free(&factors);
  return callee->count >= 0 && callee->size >= 0;
}

static bool is_void_pointer(CXType type)
{
  CXType canonical = clang_getCanonicalType(type);

  return canonical.kind == CXType_Pointer && clang_getPointeeType(canonical).kind == CXType_Void;
}

static bool read_wrapper(const struct search *search, struct cn_callee *callee)
{
  CXType result = clang_getCursorResultType(search->function);

  if (search->found->kind == CN_CALLEE_FREE) {
    callee->array = argument_parameter(search, search->found->array);
    return search->calls == 1 && search->others == 0 && result.kind == CXType_Void && callee->array >= 0 &&
           is_void_pointer(clang_getCursorType(clang_Cursor_getArgument(search->function, (unsigned)callee->array)));
  }
  if (!is_void_pointer(result))
    return false;
  callee->size = argument_parameter(search, search->found->size);
  callee->count = argument_parameter(search, search->found->count);
  callee->array = argument_parameter(search, search->found->array);
  if (search->found->array >= 0 && callee->array < 0)
    return false;
  if (search->found->count >= 0)
    return callee->size >= 0 && callee->count >= 0;
  return callee->size >= 0 || read_product(search, callee);
}

/* True for a function of one void pointer that only returns it. */
static bool returns_parameter(CXCursor function)
{
  struct cn_cursors children = cn_cursor_children(function);
  CXCursor last = children.count ? children.at[children.count - 1] : clang_getNullCursor();
  bool same = false;

  cn_free(&children);
  if (clang_Cursor_getNumArguments(function) != 1 || !is_void_pointer(clang_getCursorResultType(function)) ||
      !is_void_pointer(clang_getCursorType(clang_Cursor_getArgument(function, 0))) ||
      clang_getCursorKind(last) != CXCursor_CompoundStmt)
    return false;
  children = cn_cursor_children(last);
  if (children.count == 1 && clang_getCursorKind(children.at[0]) == CXCursor_ReturnStmt) {
    struct cn_cursors value = cn_cursor_children(children.at[0]);
    same = value.count == 1 && parameter_index(function, value.at[0]) == 0;
    cn_free(&value);
  }
  cn_free(&children);
  return same;
}

static bool find_wrapper(struct cn_program *program, CXCursor function)
{
  struct search search = {.program = program, .function = function};
  struct cn_name *name = cn_program_name(program, function);
  struct cn_callee callee = {.size = -1, .count = -1, .array = -1};

  if (name->callee)
    return false;
  clang_visitChildren(function, find_call, &search);
  callee.kind = search.found ? search.found->kind : CN_CALLEE_SAME;
  if (search.found ? !read_wrapper(&search, &callee) : !returns_parameter(function))
    return false;
  struct cn_callee *kept = cn_program_alloc(program, sizeof *kept);
  *kept = callee;
  kept->name = cn_program_keep(program, cn_cursor_name(function));
  name->callee = kept;
  return true;
}

/* The functions that the files of the program define. */
static struct cn_cursors defined_functions(struct cn_program *program)
{
  struct cn_cursors functions = {0};

  for (size_t i = 0; i < program->units.count; i++) {
    struct cn_cursors top = cn_cursor_children(clang_getTranslationUnitCursor(program->units.at[i]));
    for (size_t k = 0; k < top.count; k++)
      if (clang_getCursorKind(top.at[k]) == CXCursor_FunctionDecl && clang_isCursorDefinition(top.at[k]) &&
          !cn_program_is_system(program, top.at[k]))
        cn_push(&functions, top.at[k]);
    cn_free(&top);
  }
  return functions;
}

void cn_allocators_find(struct cn_program *program)
{
  struct cn_cursors functions = defined_functions(program);
  bool again = true;

  for (size_t i = 0; i < functions.count; i++)
    cn_program_name(program, functions.at[i])->defined = true;
  while (again) {
    again = false;
    for (size_t i = 0; i < functions.count; i++)
      again |= find_wrapper(program, functions.at[i]);
  }
  cn_free(&functions);
}
