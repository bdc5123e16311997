// RUN: %root/test/run/Inputs/same %build %s
// RUN: %root/test/run/Inputs/same %build --flags "-fcommon -fdata-sections" --links \
// RUN:   -Wl,--gc-sections %s
// Globals as linkers see them: common, weak, weak and defined nowhere, in a section of their own,
// large, and written before main.
#include <stdio.h>
#include <cairn/cairn.h>

struct node {
  struct node managed *next;
  long key;
};
typedef struct node managed *ref;

extern ref nowhere __attribute__((weak));
ref common_one;
__attribute__((weak)) ref weak_one;
__attribute__((section("of_its_own"))) ref placed = NULL;
static ref many[2000];
static struct {
  char name[3];
  struct {
    ref a[2];
    long n;
  } inner[2];
} nested;
const ref never = NULL;
static ref early;

__attribute__((constructor(101))) static void before_main(void)
{
  early = cairn_new(struct node);
  early->key = 1;
  cairn_collect();
}

int main(void)
{
  ref n = cairn_new(struct node);
  n->key = 5;
  common_one = weak_one = placed = many[1999] = nested.inner[1].a[1] = n;
  n = NULL;
  cairn_collect();
  if (&nowhere)
    puts("there");
  printf("%ld %ld %d\n", common_one->key, early->key,
         weak_one == common_one && placed == common_one && many[1999] == common_one &&
             nested.inner[1].a[1] == common_one && !never && !many[0]);
  return 0;
}
