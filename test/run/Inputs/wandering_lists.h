/* SPDX-License-Identifier: Apache-2.0
 *
 * Lists of known content, which threads of tests move from one table to another, make anew, and check while the
 * collector works.
 */
#include <cairn/cairn.h>

enum { LONG = 20 }; /* nodes of each list */

struct node {
  struct node managed *next;
  long owner, place;
};

typedef struct node managed *reference;

static inline unsigned long draw(unsigned long *seed, unsigned long below)
{
  *seed = *seed * 6364136223846793005ul + 1442695040888963407ul;
  return (*seed >> 33) % below;
}

static inline reference list(long owner, long place, long length)
{
  reference head = 0;

  while (length-- > 0) {
    reference n = cairn_new(struct node);
    n->next = head;
    n->owner = owner;
    n->place = place;
    head = n;
  }
  return head;
}

static inline long check(reference n, long owner, long place)
{
  long wrong = 0, length = 0;

  for (; n; n = n->next, length++)
    wrong += n->owner != owner || n->place != place;
  return wrong + (length != LONG);
}

/* Each of the `count` lists is in one of the two tables. Returns the number of faults. */
static inline long check_all(reference managed *here, reference managed *there, long count, long owner)
{
  long wrong = 0;

  for (long i = 0; i < count; i++) {
    wrong += (here[i] != 0) == (there[i] != 0);
    wrong += check(here[i] ? here[i] : there[i], owner, i);
  }
  return wrong;
}
