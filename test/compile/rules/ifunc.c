/* A function that the dynamic linker chooses is called by way of a stub without the mark of managed code. A call that passes references would
 * end the program; it is refused, with its line. Calls without references work.
 * RUN: not %cairn-cc -O2 -DREFERENCES -I%root/include -c %s -o %t.o 2>&1 | FileCheck %s
 * RUN: %cairn-cc -O2 -I%root/include %s -o %t && env CAIRN_STRESS=1 %t
 * CHECK: ifunc.c:[[@LINE+29]]:12: error: {{.*}}'clones' is chosen when the program is loaded {{.*}} [ifunc-reference]
 * CHECK: ifunc.c:[[@LINE+29]]:10: error: {{.*}}'chosen' is chosen when the program is loaded {{.*}} [ifunc-reference]
 * CHECK-NOT: error:
 */
#include <cairn/cairn.h>
struct node {
  struct node managed *next;
  long value;
};
#ifdef REFERENCES
typedef struct node managed *type;
#else
typedef long type;
#endif
__attribute__((target_clones("avx2", "default"))) type clones(type x)
{
  return x;
}
static type plain(type x)
{
  return x;
}
static type (*resolve(void))(type)
{
  return plain;
}
type chosen(type x) __attribute__((ifunc("resolve")));
static type call_both(type x)
{
  type a = clones(x);
  return chosen(a);
}
int main(void)
{
  struct node managed *node = cairn_new(struct node);
  node->value = 1;
#ifdef REFERENCES
  return (int)call_both(node)->value;
#else
  return (int)call_both(node->value) - 1;
#endif
}
