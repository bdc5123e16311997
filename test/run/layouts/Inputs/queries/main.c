/* Sums up a tree before and after collections, with bits of the collector in the headers. */
#include <stdio.h>
#include "tree.h"

static struct tree managed *root;
static unsigned long hash;

int main(void)
{
  root = make_here(6);
  for (int i = 0; i < 4; i++) {
    printf("%ld %ld\n", sum_here(root), sum_there(root));
    cairn_collect();
    if (i == 1)
      hash = cairn_identity_hash(root);
  }
  printf("hash %d, length %ld, size %ld\n", hash == cairn_identity_hash(root),
         cairn_length((struct list managed *)root), (long)cairn_object_size(root));
  return 0;
}
