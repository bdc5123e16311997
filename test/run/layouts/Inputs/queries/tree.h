/* Trees whose nodes are told apart by their layouts. */
#include <cairn/cairn.h>
#include <cairn/weak.h>

struct tree;
struct cairn_shared leaf {
  long value;
};
struct cairn_shared branch {
  struct tree managed *left, *right;
};
struct cairn_shared list {
  long count;
  struct tree managed *at[];
};
struct tree managed *make_here(long depth);
struct tree managed *make_there(long depth);
long sum_here(struct tree managed *tree);
long sum_there(struct tree managed *tree);
