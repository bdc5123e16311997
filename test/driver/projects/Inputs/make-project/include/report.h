#ifndef REPORT_H
#define REPORT_H

#include "table.h"

void report(struct table managed *table);

#endif
