/* A shared object that is loaded and unloaded; it keeps a reference of its own. */
#include <cairn/cairn.h>

struct box {
  long value;
};

static struct box managed *kept;

struct box managed *step(struct box managed *box);
struct box managed *step(struct box managed *box)
{
  struct box managed *next = cairn_new(struct box);

  next->value = box->value * 2 + (kept ? kept->value : 1);
  cairn_collect();
  kept = box;
  return next;
}
