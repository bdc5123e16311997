// RUN: %root/test/run/Inputs/same %build --heap 256m --args 200000 --small 40 %s
// Arrays larger than any buffer, of references and of data, that grow while both the old and the
// new one are live.
#include <stdio.h>
#include <stdlib.h>
#include <cairn/cairn.h>

struct box {
  long value;
};
typedef struct box managed *ref;

int main(int argc, char **argv)
{
  long most = argc > 1 ? atol(argv[1]) : 1000, capacity = 1;
  unsigned long sum = 0;
  ref managed *boxes = cairn_new_array(ref, capacity);

  for (long i = 0; i < most; i++) {
    if (i == capacity) {
      ref managed *wider = cairn_new_array(ref, capacity * 2);
      for (long k = 0; k < capacity; k++)
        wider[k] = boxes[k];
      boxes = wider;
      capacity *= 2;
    }
    boxes[i] = cairn_new(struct box);
    boxes[i]->value = i;
  }
  double managed *data = cairn_new_array(double, most * 16);
  data[most * 16 - 1] = 2.5;
  cairn_collect();
  for (long i = 0; i < most; i++)
    sum = sum * 3 + (unsigned long)boxes[i]->value;
  printf("%ld %lu %.1f %.1f\n", capacity, sum, data[0], data[most * 16 - 1]);
  return 0;
}
