// The native function of crash.c.
void crash(long value);
long *volatile nowhere;

void crash(long value)
{
  *nowhere = value;
}
