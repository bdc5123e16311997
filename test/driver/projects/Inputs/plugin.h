#include <cairn/cairn.h>

struct cell {
  struct cell managed *next;
  long value;
};

typedef struct cell managed *plugin_cons(struct cell managed *next, long value);
typedef long plugin_run(plugin_cons *cons);
