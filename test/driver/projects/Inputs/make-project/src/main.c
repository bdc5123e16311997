#include <string.h>
#include "report.h"

int main(int argc, char **argv)
{
  struct table managed *table = table_new(1);
  struct text managed *word;

  if (argc > 1 && strcmp(argv[1], "--version") == 0) {
    puts("words " WORDS_VERSION);
    return 0;
  }
  while ((word = text_read(stdin)))
    table = table_count(table, word);
  report(table);
  return 0;
}
