#include <cairn/cairn.h>

struct cell {
  struct cell managed *next;
};

struct cell managed *kept;

int main(void)
{
  kept = cairn_new(struct cell);
  cairn_collect();
  return 0;
}
