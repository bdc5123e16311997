/* The program of link_matrix.test: units that are linked in all ways there are. */
#include <cairn/cairn.h>

struct node {
  struct node managed *next;
  long value;
};
typedef struct node managed *ref;
typedef long visitor(ref node, ref state);
typedef long descent(long depth, ref node);

/* list.c */
ref list_make(long length);
long list_each(ref list, visitor *visit, ref state);
long list_down(long depth, ref node, descent *up);
/* pool.c, in an archive */
ref pool_reverse(ref list);
/* comdat.ll, twice: each has a copy of comdat_cons() in a COMDAT group */
ref comdat_one(ref list, long value);
ref comdat_two(ref list, long value);
/* native.c: how many managed activations the stack has */
long native_activations(void);

/* All of that, as a shared object that is loaded hands it out. */
struct part {
  ref (*make)(long);
  long (*each)(ref, visitor *, ref);
  long (*down)(long, ref, descent *);
  ref (*reverse)(ref);
  ref (*one)(ref, long);
  ref (*two)(ref, long);
};
const struct part *part_get(void);
