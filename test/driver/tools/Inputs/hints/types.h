/* } managed *p: not here */
struct x {
  struct y {
    int a[2];
  } managed *inner;
  const char *text; /* "} managed *" */
};
typedef struct __attribute__((packed)) z { char c; } managed *z_ref;
typedef struct { struct x managed *right; } const right_one;
typedef struct x managed *x_ref;
static inline int function(void) { return 0; }
managed struct x *fine(void);
