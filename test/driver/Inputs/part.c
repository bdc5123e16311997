int part(int x);
int counter;
int part(int x)
{
  return x + counter++;
}
