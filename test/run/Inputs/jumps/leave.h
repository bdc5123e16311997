#include <setjmp.h>

enum { WAYS = 3 };
void leave(sigjmp_buf buffer, int way) __attribute__((noreturn));
