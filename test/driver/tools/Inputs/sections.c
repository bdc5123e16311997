int used(void);
int unused(void);
int initialised = 1, zero;
extern const int table[2];
const int table[2] = {1, 2};
extern const int *const pointers[2];
const int *const pointers[2] = {&table[0], &initialised};
_Thread_local int thread_zero, thread_set = 3;

int used(void)
{
  return initialised + zero + *pointers[table[0]] + thread_zero - thread_set;
}

int unused(void)
{
  return zero;
}

int main(void)
{
  return used() + 1;
}
