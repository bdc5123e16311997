typedef int v8 __attribute__((vector_size(32)));
void add(v8 *x, v8 *y);
void add(v8 *x, v8 *y)
{
  *x += *y;
}
