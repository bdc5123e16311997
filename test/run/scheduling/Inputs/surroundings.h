/* Bad surroundings for a program's threads, in native code: surroundings_begin() makes them, and
 * surroundings_are_over() returns nonzero when so many concurrent markings have ended. surroundings_end() returns the
 * number of concurrent markings. */
void surroundings_begin(long markings, const char *kind);
void surroundings_begin_thread(long number);
int surroundings_are_over(long number);
void surroundings_end_thread(void);
long surroundings_end(void);
