// RUN: %root/test/run/Inputs/same %build --small 1 %s
// Objects of odd sizes, empty ones, arrays of length 0 and of odd elements, all zeroed, and none
// writes over its neighbour.
#include <stdio.h>
#include <cairn/cairn.h>

struct empty {
};
struct three {
  char c[3];
};
struct thirteen {
  char c[13];
};
struct big {
  long a[700];
};

#define CHECK(T, n)                                                \
  do {                                                             \
    unsigned char managed *all[10];                                \
    for (int i = 0; i < 10; i++) {                                 \
      all[i] = (unsigned char managed *)cairn_new_array(T, n);     \
      for (unsigned k = 0; k < sizeof(T) * (n); k++)               \
        bad += all[i][k] != 0, all[i][k] = (unsigned char)(i + 1); \
    }                                                              \
    cairn_collect();                                               \
    for (int i = 0; i < 10; i++)                                   \
      for (unsigned k = 0; k < sizeof(T) * (n); k++)               \
        bad += all[i][k] != i + 1;                                 \
    count++;                                                       \
  } while (0)

#define CHECK_ONE(T)                                                  \
  do {                                                                \
    T managed *all[10];                                               \
    for (int i = 0; i < 10; i++) {                                    \
      all[i] = cairn_new(T);                                          \
      unsigned char managed *bytes = (unsigned char managed *)all[i]; \
      for (unsigned k = 0; k < sizeof(T); k++)                        \
        bad += bytes[k] != 0, bytes[k] = (unsigned char)(i + 1);      \
    }                                                                 \
    cairn_collect();                                                  \
    for (int i = 0; i < 10; i++) {                                    \
      unsigned char managed *bytes = (unsigned char managed *)all[i]; \
      for (unsigned k = 0; k < sizeof(T); k++)                        \
        bad += bytes[k] != i + 1;                                     \
    }                                                                 \
    count++;                                                          \
  } while (0)

__attribute__((noinline)) static long variable(long n)
{
  short managed *numbers = cairn_new_array(short, n);
  long sum = 0;

  for (long i = 0; i < n; i++)
    numbers[i] = (short)(numbers[i] + i);
  cairn_collect();
  for (long i = 0; i < n; i++)
    sum += numbers[i];
  return sum + (numbers != NULL);
}

int main(int argc, char **argv)
{
  long bad = 0, count = 0;

  (void)argv;
  CHECK(char, 1);
  CHECK(char, 7);
  CHECK(char, 8);
  CHECK(char, 0);
  CHECK(short, 5);
  CHECK(struct three, 1);
  CHECK(struct three, 3);
  CHECK(struct thirteen, 2);
  CHECK_ONE(char);
  CHECK_ONE(struct three);
  CHECK_ONE(struct thirteen);
  CHECK_ONE(struct empty);
  if (argc == 1) {
    CHECK_ONE(struct big);
    CHECK(char, 4079);
    CHECK(char, 4080);
    CHECK(char, 4081);
    CHECK(char, 4096);
    CHECK(long, 511);
    CHECK(long, 512);
  }
  for (long n = 0; n < 6; n++)
    printf("%ld ", variable(n * n));
  printf("%ld bad of %ld\n", bad, count > 0 ? 1L : 0L);
  return 0;
}
