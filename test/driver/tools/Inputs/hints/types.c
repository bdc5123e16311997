#include <cairn/cairn.h>
struct y { long number; };
typedef struct y managed *y_ref;
void take(y_ref r);
extern struct y *variable;
extern y_ref    variable;
void (*pointer)(   struct y *) = take;
typedef struct y *type;
typedef y_ref       type;
long number(y_ref r) { return r; }
y_ref reference(long n) { return n; }
void literal(void) { y_ref r = &(struct y managed){0}; }
void (*plain)(long *) = (void (*)(int *))0;
