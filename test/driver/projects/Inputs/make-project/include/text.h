#ifndef TEXT_H
#define TEXT_H

#include <stdio.h>
#include <cairn/cairn.h>

struct text {
  long length;
  char bytes[];
};

struct text managed *text_read(FILE *in);
int text_equal(struct text managed *a, struct text managed *b);
unsigned long text_hash(struct text managed *text);
void text_write(struct text managed *text, FILE *out);

#endif
