/* Reads this image's own frame maps as the runtime does and prints, in the order of the addresses,
 * which function each names and whether a call ends where it says. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "framemap/framemap.h"

#define IMAGE extern const unsigned char __attribute__((weak, visibility("hidden")))
IMAGE __start_cairn_frames[];
IMAGE __stop_cairn_frames[];
void *one(void *), *two(void *), *shared(void *);

static bool is_after_call(const unsigned char *at)
{
#if __aarch64__
  return at[-1] >> 2 == 0x94 >> 2;
#else
  return at[-5] == 0xe8;
#endif
}

void g(void *reference)
{
  (void)reference;
}

int main(void)
{
  const unsigned char *cursor = __start_cairn_frames;
  struct cn_framemap_function f;
  int status;

  one(0);
  two(0);
  while (!(status = cn_framemap_next_function(CN_PORT_FRAMES, &cursor, __stop_cairn_frames, &f))) {
    uint32_t offset = 0;
    const char *name = f.entry == (uintptr_t)one   ? "one"
                       : f.entry == (uintptr_t)two ? "two"
                                                   : "unused";
    if (f.entry == (uintptr_t)shared)
      name = "shared";
    if (cn_framemap_read_return_offset(&f, 0, &offset) ||
        !is_after_call((const unsigned char *)f.entry + offset))
      return 1;
    printf("%s: %u\n", name, f.safepoints);
  }
  return status != CN_FRAMEMAP_NONE;
}
