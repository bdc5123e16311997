/* Registers of either machine, by their DWARF numbers: those that callees keep, the stack pointer, and one that no
 * call-frame information mentions. */
#ifdef __aarch64__
enum { KEPT_REGISTERS = 11, SP_NUMBER = 31, LOST_NUMBER = 1, RETURN_ADDRESS_BYTES = 0 };
static const int kept_registers[KEPT_REGISTERS] = {19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29};
#else
enum { KEPT_REGISTERS = 6, SP_NUMBER = 7, LOST_NUMBER = 0, RETURN_ADDRESS_BYTES = 8 };
static const int kept_registers[KEPT_REGISTERS] = {3, 6, 12, 13, 14, 15};
#endif
