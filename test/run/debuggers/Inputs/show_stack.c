#include <cairn/cairn.h>
#include <cairn/stack.h>

struct cell {
  struct cell managed *next;
};

__attribute__((noinline)) int outer(struct cell managed *cell)
{
  cairn_backtrace(2);
  return cell->next == NULL;
}

int main(void)
{
  return !outer(cairn_new(struct cell));
}
