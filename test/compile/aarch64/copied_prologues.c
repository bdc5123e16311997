/* SPDX-License-Identifier: Apache-2.0
 *
 * A frame that begins behind the entry, in a block with two predecessors. LLVM copies short blocks into their
 * predecessors, and then describes one copy of the prologue alone (findings/llvm-aarch64-copied-prologues.sh). What
 * would go wrong: the compilation is refused, or a walk takes the wrong caller.
 */
// RUN: for level in -O1 -O2 -O3; do %cairn-cc --target=aarch64-linux-gnu $level -c %s -o %t.o && \
// RUN:   %cairn frames %t.o | FileCheck %s || exit 1; done
// CHECK: index_of
#include <cairn/cairn.h>

struct node {
  struct node managed *next;
  struct node managed *up;
  struct node managed *parent;
  int size;
};

int index_of(struct node managed *node)
{
  int index = node->next ? node->next->size : 0;
  struct node managed *below = node;

  for (struct node managed *above = node->up; above; above = above->up) {
    if (below == above->parent)
      index += above->next ? above->next->size + 1 : 1;
    below = above;
  }
  return index;
}
