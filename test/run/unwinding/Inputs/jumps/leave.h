#ifdef CONTEXTS /* the same with contexts of <ucontext.h> */
#include <ucontext.h>

struct place {
  ucontext_t context;
  volatile int arrivals;
};
typedef struct place place[1];
#define arrives(where, mask) ((where)->arrivals = 0, getcontext(&(where)->context), (where)->arrivals++)
#elif defined BUILTIN /* and one that the runtime does not see */
typedef void *place[5];
#define arrives(where, mask) __builtin_setjmp(where)
#else
#include <setjmp.h>

typedef sigjmp_buf place;
#define arrives(where, mask) sigsetjmp(where, mask)
#endif

enum { WAYS = 3 };
void leave(place where, int way) __attribute__((noreturn));
