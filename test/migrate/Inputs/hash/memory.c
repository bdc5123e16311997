#include "memory.h"
#include <stdio.h>
#include <stdlib.h>

void *xmalloc(size_t size)
{
  void *memory = malloc(size);
  if (memory == NULL) {
    fprintf(stderr, "out of memory\n");
    exit(1);
  }
  return memory;
}

void *xcalloc(size_t count, size_t size)
{
  void *memory = calloc(count, size);
  if (memory == NULL)
    abort();
  return memory;
}

void xfree(void *memory)
{
  if (memory)
    free(memory);
}
