#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct word {
  char *text;
  const char *kind;
  struct word *next;
};

static struct word *words;

static const char *kind_of(const char *text)
{
  if (strchr(text, '_') != NULL)
    return "name";
  return strlen(text) > 3 ? "long" : "short";
}

static char *join(const char *a, const char *b)
{
  char *both = malloc(strlen(a) + strlen(b) + 2);
  strcpy(both, a);
  strcat(both, "+");
  strcat(both, b);
  return both;
}

static void add(const char *text)
{
  struct word *word = malloc(sizeof *word);
  word->text = strdup(text);
  word->kind = kind_of(word->text);
  word->next = words;
  words = word;
}

static void trim(char *text)
{
  char *end = text + strlen(text);
  while (end > text && end[-1] == '_')
    *--end = '\0';
}

int main(void)
{
  add("it");
  add("is_");
  add("tomorrow");
  char *all = strdup(words->text);
  for (struct word *word = words->next; word; word = word->next) {
    char *longer = join(all, word->text);
    free(all);
    all = longer;
  }
  for (struct word *word = words; word; word = word->next) {
    printf("%s: %s %d\n", word->text, word->kind, strcmp(word->text, "it"));
    trim(word->text);
    fprintf(stdout, "%s\n", word->text);
  }
  puts(all);
  printf("%d\n", (int)strlen(all));
  free(all);
  while (words) {
    struct word *next = words->next;
    free(words->text);
    free(words);
    words = next;
  }
  return 0;
}
