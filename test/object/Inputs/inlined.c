/* Calls in functions that are inlined into one another, for the rewriter of objects with debug
 * information. */
struct node {
  struct node __attribute__((address_space(1))) *next;
};
typedef struct node __attribute__((address_space(1))) *ref;
void elsewhere(ref);

static inline ref inner(ref a)
{
  elsewhere(a);
  return a->next;
}

static inline ref middle(ref a)
{
  elsewhere(inner(a));
  return inner(a->next);
}

ref first(ref a, ref b)
{
  elsewhere(middle(a));
  a->next = b;
  return inner(b);
}

ref second(ref a)
{
  return first(a, middle(a->next));
}
