/* SPDX-License-Identifier: Apache-2.0
 *
 * Names registers, when stack maps are printed, by the DWARF numbers of the machines' ABIs ("System V ABI, AMD64",
 * figure 3.36; "DWARF for the Arm 64-bit Architecture", 4.1; "RISC-V DWARF Specification", 1). A number gets the name
 * of its largest register; a stack map's sizes give the used part of the register. The table is constant, and any
 * thread may read it.
 */
#include <cairn/stackmap.h>

#include <elf.h>

#define EIGHT_NAMES_OF_TENS(p, tens) \
  p tens "0", p tens "1", p tens "2", p tens "3", p tens "4", p tens "5", p tens "6", p tens "7"
#define NAMES_0_TO_7(p) EIGHT_NAMES_OF_TENS(p, "")
#define NAMES_0_TO_15(p) NAMES_0_TO_7(p), p "8", p "9", p "10", p "11", p "12", p "13", p "14", p "15"
#define NAMES_16_TO_31(p) p "16", p "17", p "18", p "19", EIGHT_NAMES_OF_TENS(p, "2"), p "28", p "29", p "30", p "31"

struct register_range {
  unsigned machine, first, count;
  const char *const *names;
};

#define REGISTER_RANGE(machine, first, names) {machine, first, sizeof(names) / sizeof *(names), names}

static const char *const x86_general[] = {"rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp", "r8",
                                          "r9",  "r10", "r11", "r12", "r13", "r14", "r15", "rip"};
static const char *const x86_low_vectors[] = {NAMES_0_TO_15("xmm")};
static const char *const x86_x87_and_segments[] = {
    NAMES_0_TO_7("st"), NAMES_0_TO_7("mm"), "rflags", "es", "cs", "ss", "ds", "fs", "gs"};
static const char *const x86_segment_bases[] = {"fs.base", "gs.base"};
static const char *const x86_control[] = {"tr", "ldtr", "mxcsr", "fcw", "fsw"};
static const char *const x86_high_vectors[] = {NAMES_16_TO_31("xmm")};
static const char *const x86_masks[] = {NAMES_0_TO_7("k")};
static const char *const x86_apx_general[] = {NAMES_16_TO_31("r")};
static const char *const arm_general[] = {
    NAMES_0_TO_15("x"), "x16", "x17", "x18", "x19", EIGHT_NAMES_OF_TENS("x", "2"), "x28", "x29", "x30", "sp", "pc"};
static const char *const arm_predicates[] = {"vg", "ffr", NAMES_0_TO_15("p")};
static const char *const arm_vectors[] = {NAMES_0_TO_15("v"), NAMES_16_TO_31("v"), NAMES_0_TO_15("z"),
                                          NAMES_16_TO_31("z")};
static const char *const riscv_general[] = {"zero", "ra", "sp", "gp", "tp",  "t0",  "t1", "t2", "s0", "s1", "a0",
                                            "a1",   "a2", "a3", "a4", "a5",  "a6",  "a7", "s2", "s3", "s4", "s5",
                                            "s6",   "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6"};
static const char *const riscv_floats[] = {NAMES_0_TO_7("ft"),
                                           "fs0",
                                           "fs1",
                                           NAMES_0_TO_7("fa"),
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
static const char *const riscv_vectors[] = {NAMES_0_TO_15("v"), NAMES_16_TO_31("v")};

static const struct register_range register_ranges[] = {
    REGISTER_RANGE(EM_X86_64, 0, x86_general),           REGISTER_RANGE(EM_X86_64, 17, x86_low_vectors),
    REGISTER_RANGE(EM_X86_64, 33, x86_x87_and_segments), REGISTER_RANGE(EM_X86_64, 58, x86_segment_bases),
    REGISTER_RANGE(EM_X86_64, 62, x86_control),          REGISTER_RANGE(EM_X86_64, 67, x86_high_vectors),
    REGISTER_RANGE(EM_X86_64, 118, x86_masks),           REGISTER_RANGE(EM_X86_64, 130, x86_apx_general),
    REGISTER_RANGE(EM_AARCH64, 0, arm_general),          REGISTER_RANGE(EM_AARCH64, 46, arm_predicates),
    REGISTER_RANGE(EM_AARCH64, 64, arm_vectors),         REGISTER_RANGE(EM_RISCV, 0, riscv_general),
    REGISTER_RANGE(EM_RISCV, 32, riscv_floats),          REGISTER_RANGE(EM_RISCV, 96, riscv_vectors),
};

const char *cairn_stackmap_register_name(unsigned machine, unsigned reg)
{
  for (size_t i = 0; i < sizeof register_ranges / sizeof *register_ranges; i++) {
    const struct register_range *f = &register_ranges[i];
    if (f->machine == machine && reg >= f->first && reg - f->first < f->count)
      return f->names[reg - f->first];
  }
  return NULL;
}
