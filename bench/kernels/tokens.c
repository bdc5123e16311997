/* SPDX-License-Identifier: Apache-2.0
 *
 * A text cut into tokens, as by a compiler: names, with a hash of each, numbers, strings, signs and
 * comments, by the class of each character. Many short loops, each to an end that the text says.
 */
#include "../programs/kernel.h"

enum { TEXT = 40000, KINDS = 5 };
enum kind { NAME, NUMBER, STRING, SIGN, END };
enum class { SPACE = 1, LETTER = 2, DIGIT = 4 };

static char ANEW text;
static unsigned char managed *classes;

static const char sample[] = "static long count(const char *s, int wanted)\n"
                             "{\n"
                             "  long places = 0; /* of what is wanted */\n"
                             "  for (; *s && places < 4096; s++)\n"
                             "    places += *s == wanted ? 17 : 0x1f;\n"
                             "  print(\"there are %ld\\n\", places);\n"
                             "  return places; /* all of them */\n"
                             "}\n";

void setup_tokens(void)
{
  char managed *string = bench_array(char, TEXT + 1);

  for (long i = 0; i < TEXT - 100; i++)
    string[i] = sample[i % (long)(sizeof sample - 1)];
  text = string;
  classes = bench_array(unsigned char, 256);
  for (int c = 'a'; c <= 'z'; c++)
    classes[c] = classes[c - 'a' + 'A'] = LETTER;
  for (int c = '0'; c <= '9'; c++)
    classes[c] = DIGIT;
  classes['_'] = LETTER;
  classes[' '] = classes['\n'] = SPACE;
}

/* The next place of `s` that is neither space nor comment. */
static const char managed *skip(const char managed *s, const unsigned char managed *class)
{
  for (;;) {
    while (class[(unsigned char)*s] == SPACE)
      s++;
    if (s[0] != '/' || s[1] != '*')
      return s;
    for (s += 2; *s && !(s[0] == '*' && s[1] == '/'); s++)
      ;
    s += *s ? 2 : 0;
  }
}

/* Read the token at `s`; `*value` is its hash or number. The place after it. */
static const char managed *read(const char managed *s, const unsigned char managed *class,
                                enum kind *kind, unsigned long *value)
{
  unsigned char of = class[(unsigned char)*s];

  *value = (unsigned char)*s;
  if (of == LETTER) {
    *kind = NAME;
    for (; class[(unsigned char)*s] & (LETTER | DIGIT); s++)
      *value = *value * 31 + (unsigned char)*s;
  } else if (of == DIGIT) {
    *kind = NUMBER;
    for (*value = 0; class[(unsigned char)*s] == DIGIT; s++)
      *value = *value * 10 + (unsigned long)(*s - '0');
  } else if (*s == '"') {
    *kind = STRING;
    for (s++; *s && *s != '"'; s++)
      s += s[0] == '\\' && s[1];
    s += *s == '"';
  } else {
    *kind = *s ? SIGN : END;
    s += *s != 0;
  }
  return s;
}

NOINLINE static long cut(const char managed *s, const unsigned char managed *class)
{
  unsigned long value, sum = 0;
  long counts[KINDS] = {0};
  enum kind kind;

  do {
    s = read(skip(s, class), class, &kind, &value);
    counts[kind]++;
    sum = sum * 3 + value;
  } while (kind != END);
  return (long)(sum % 1000003) + counts[NAME] + 7 * counts[NUMBER] + 49 * counts[STRING];
}

long kernel_tokens(void)
{
  long s = 0;

  for (int round = 0; round < 5; round++)
    s += cut(text, classes);
  return s;
}
