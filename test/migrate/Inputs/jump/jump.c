#include <setjmp.h>
#include <stdlib.h>

struct frame {
  struct frame *up;
};

static jmp_buf out;

int main(void)
{
  struct frame *frame = malloc(sizeof *frame);

  frame->up = NULL;
  if (setjmp(out) == 0 && frame->up)
    longjmp(out, 1);
  free(frame);
  return 0;
}
