/* SPDX-License-Identifier: Apache-2.0
 *
 * Names registers by DWARF number, as the machines' ABIs number them ("System V ABI, AMD64", figure 3.36; "DWARF for
 * the Arm 64-bit Architecture", 4.1; "RISC-V DWARF Specification", 1). The largest register of a number is named: a
 * stack map's sizes say how much of it is meant.
 */
#include <cairn/stackmap.h>

#include <elf.h>

#define EIGHT(p, tens) p tens "0", p tens "1", p tens "2", p tens "3", p tens "4", p tens "5", p tens "6", p tens "7"
#define FIRST_EIGHT(p) EIGHT(p, "")
#define SIXTEEN(p) FIRST_EIGHT(p), p "8", p "9", p "10", p "11", p "12", p "13", p "14", p "15"
#define LAST_SIXTEEN(p) p "16", p "17", p "18", p "19", EIGHT(p, "2"), p "28", p "29", p "30", p "31"

struct family {
  unsigned machine, first, count;
  const char *const *names;
};

#define FAMILY(machine, first, names) {machine, first, sizeof(names) / sizeof *(names), names}

static const char *const x86_general[] = {"rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp", "r8",
                                          "r9",  "r10", "r11", "r12", "r13", "r14", "r15", "rip"};
static const char *const x86_low[] = {SIXTEEN("xmm")};
static const char *const x86_x87[] = {
    FIRST_EIGHT("st"), FIRST_EIGHT("mm"), "rflags", "es", "cs", "ss", "ds", "fs", "gs"};
static const char *const x86_bases[] = {"fs.base", "gs.base"};
static const char *const x86_control[] = {"tr", "ldtr", "mxcsr", "fcw", "fsw"};
static const char *const x86_high[] = {LAST_SIXTEEN("xmm")};
static const char *const x86_masks[] = {FIRST_EIGHT("k")};
static const char *const x86_extended[] = {LAST_SIXTEEN("r")};
static const char *const arm_general[] = {SIXTEEN("x"), "x16", "x17", "x18", "x19", EIGHT("x", "2"),
                                          "x28",        "x29", "x30", "sp",  "pc"};
static const char *const arm_granules[] = {"vg", "ffr", SIXTEEN("p")};
static const char *const arm_vectors[] = {SIXTEEN("v"), LAST_SIXTEEN("v"), SIXTEEN("z"), LAST_SIXTEEN("z")};
static const char *const riscv_general[] = {"zero", "ra", "sp", "gp", "tp",  "t0",  "t1", "t2", "s0", "s1", "a0",
                                            "a1",   "a2", "a3", "a4", "a5",  "a6",  "a7", "s2", "s3", "s4", "s5",
                                            "s6",   "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6"};
static const char *const riscv_floats[] = {FIRST_EIGHT("ft"),
                                           "fs0",
                                           "fs1",
                                           FIRST_EIGHT("fa"),
                                           "fs2",
                                           "fs3",
                                           "fs4",
                                           "fs5",
                                           "fs6",
                                           "fs7",
                                           "fs8",
                                           "fs9",
                                           "fs10",
                                           "fs11",
                                           "ft8",
                                           "ft9",
                                           "ft10",
                                           "ft11"};
static const char *const riscv_vectors[] = {SIXTEEN("v"), LAST_SIXTEEN("v")};

static const struct family families[] = {
    FAMILY(EM_X86_64, 0, x86_general),    FAMILY(EM_X86_64, 17, x86_low),       FAMILY(EM_X86_64, 33, x86_x87),
    FAMILY(EM_X86_64, 58, x86_bases),     FAMILY(EM_X86_64, 62, x86_control),   FAMILY(EM_X86_64, 67, x86_high),
    FAMILY(EM_X86_64, 118, x86_masks),    FAMILY(EM_X86_64, 130, x86_extended), FAMILY(EM_AARCH64, 0, arm_general),
    FAMILY(EM_AARCH64, 46, arm_granules), FAMILY(EM_AARCH64, 64, arm_vectors),  FAMILY(EM_RISCV, 0, riscv_general),
    FAMILY(EM_RISCV, 32, riscv_floats),   FAMILY(EM_RISCV, 96, riscv_vectors),
};

const char *cairn_stackmap_register_name(unsigned machine, unsigned reg)
{
  for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
    const struct family *f = &families[i];
    if (f->machine == machine && reg >= f->first && reg - f->first < f->count)
      return f->names[reg - f->first];
  }
  return NULL;
}
