#ifndef GREETING
#define GREETING "hello"
#endif
