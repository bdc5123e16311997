// Targets that are native code, for pointer_targets.c: at a page's first and last byte, with nothing
// readable beyond; reached by an ifunc.
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef long function(long);

long native_add(long n)
{
  return n + 1;
}

static function *resolve(void)
{
  return native_add;
}
long native_chosen(long n) __attribute__((ifunc("resolve")));

/* A function of `size` bytes at the start or the end of a page between two that cannot be read. */
static function *alone(const void *code, size_t size, int at_end)
{
  long page = sysconf(_SC_PAGESIZE);
  char *memory = mmap(NULL, 3 * (size_t)page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  char *place = memory + page + (at_end ? page - (long)size : 0);

  mprotect(memory + page, (size_t)page, PROT_READ | PROT_WRITE);
  memcpy(place, code, size);
  mprotect(memory + page, (size_t)page, PROT_READ | PROT_EXEC);
  return (function *)place;
}

/* The code that is copied, and its bounds, which the linker defines. */
__attribute__((section("add_code"), used)) static long copied_add(long n)
{
  return n + 1;
}
extern __attribute__((visibility("hidden"))) const char __start_add_code[], __stop_add_code[];

function *at_page_start(void)
{
  return alone(__start_add_code, (size_t)(__stop_add_code - __start_add_code), 0);
}

function *at_page_end(void)
{
  return alone(__start_add_code, (size_t)(__stop_add_code - __start_add_code), 1);
}
