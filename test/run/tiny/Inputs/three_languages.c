/* One process with one heap and three languages: tiny, the Lisp of examples/lisp.c, and managed C. Each calls the other
 * two, and data of each passes through them.
 *
 *   three_languages FILE [THRESHOLD [TORTURE]]     runs the program FILE in tiny, which finds the functions below;
 *                                                  compiles its functions after THRESHOLD calls */
#include <stdlib.h>

#include "tiny/program/compiled.h"
#include "tiny/program/modules.h"
#include "tiny/core/object.h"

void lisp_begin(void);
void lisp_define(const char *name, value (*run)(value arguments));
value lisp_run(const char *text);

/* A pair as examples/lisp.c has it. */
struct lisp_pair {
  int tag;
  value first, rest;
};

/* A search tree in managed C, with values of tiny. */
struct tree {
  long key;
  value content;
  struct tree managed *left, *right;
};

static value exports; /* an array of tiny with functions for Lisp */
static struct tree managed *root;
static bool has_thrown;

/* ---- values: integers differ in their bits; references are the same words ---- */

static value to_lisp(value v)
{
  return tiny_is_integer(v) ? cairn_value_from(tiny_integer(v)) : v;
}

static value to_tiny(value v)
{
  return cairn_value_is_integer(v) ? tiny_from_integer(cairn_value_integer(v)) : v;
}

/* ---- for Lisp ---- */

/* (tiny NUMBER ARGUMENT ...): calls an exported function. An exception becomes the empty list, and lisp() throws it. */
static value call_tiny(value list)
{
  value arguments[8];
  unsigned count = 0;

  for (; list && count < 8; list = cairn_value_object(struct lisp_pair, list)->rest)
    arguments[count++] = to_tiny(cairn_value_object(struct lisp_pair, list)->first);
  value function = tiny_array_of(exports)->items[tiny_integer(arguments[0])];
  value result = tiny_call(function, arguments + 1, count - 1);
  has_thrown = has_thrown || tiny_is_thrown(result);
  return tiny_is_thrown(result) ? TINY_NIL : to_lisp(result);
}

/* (find KEY): the content of the tree in managed C, or the empty list. */
static value find(value list)
{
  long key = cairn_value_integer(cairn_value_object(struct lisp_pair, list)->first);
  struct tree managed *node = root;

  while (node && node->key != key)
    node = key < node->key ? node->left : node->right;
  return node ? to_lisp(node->content) : NULL;
}

/* ---- for tiny ---- */

static value export_function(value *arguments, unsigned count)
{
  (void)count;
  if (tiny_is_thrown(tiny_array_push(exports, arguments[0])))
    return TINY_THROWN;
  return tiny_from_small(tiny_array_of(exports)->length - 1);
}

static value run_lisp(value *arguments, unsigned count)
{
  char *text = tiny_copy_text(arguments[0]);
  bool had_thrown = has_thrown;

  (void)count;
  has_thrown = false;
  value result = to_tiny(lisp_run(text));
  free(text);
  bool throws = has_thrown;
  has_thrown = had_thrown;
  return throws ? TINY_THROWN : result;
}

static struct tree managed *with(struct tree managed *node, struct tree managed *made)
{
  if (!node)
    return made;
  if (made->key < node->key)
    node->left = with(node->left, made);
  else
    node->right = with(node->right, made);
  return node;
}

/* insert(key, content): into the tree. */
static value insert(value *arguments, unsigned count)
{
  struct tree managed *made = cairn_new(struct tree);

  (void)count;
  made->key = tiny_integer(arguments[0]);
  made->content = arguments[1];
  root = with(root, made);
  return TINY_NIL;
}

static value walk(struct tree managed *node, value visit)
{
  if (!node)
    return TINY_NIL;
  if (tiny_is_thrown(walk(node->left, visit)))
    return TINY_THROWN;
  value arguments[] = {tiny_from_small(node->key), node->content};
  if (tiny_is_thrown(tiny_call(visit, arguments, 2)))
    return TINY_THROWN;
  return walk(node->right, visit);
}

/* each_of_tree(f): calls f with key and content, in the order of keys. */
static value each_of_tree(value *arguments, unsigned count)
{
  (void)count;
  return walk(root, arguments[0]);
}

int main(int argc, char **argv)
{
  size_t length;
  char *text = argc > 1 ? tiny_read_file(argv[1], &length) : NULL;
  struct tiny_jit_options options = {.at_once = true, .stats = true};
  bool is_new;

  options.threshold = argc > 2 ? (uint32_t)atoi(argv[2]) : 0;
  options.torture = argc > 3 ? (uint32_t)atoi(argv[3]) : 0;
  if (options.threshold)
    tiny_jit_begin(&options);
  if (!text || !tiny_begin(0, argv))
    return 2;
  exports = tiny_array_new(4);
  lisp_begin();
  lisp_define("tiny", call_tiny);
  lisp_define("find", find);
  tiny_define_native("export", 1, 1, export_function);
  tiny_define_native("lisp", 1, 1, run_lisp);
  tiny_define_native("insert", 2, 2, insert);
  tiny_define_native("each_of_tree", 1, 1, each_of_tree);
  bool is_fine = !tiny_is_thrown(tiny_run(argv[1], text, length, tiny_module(argv[1], &is_new)));
  if (!is_fine)
    tiny_report(stderr);
  if (options.threshold)
    tiny_jit_end();
  return is_fine ? 0 : 1;
}
