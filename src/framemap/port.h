/* SPDX-License-Identifier: Apache-2.0
 *
 * Describes a port's frames as data: the registers that a stack walk tracks, the bases of places, the places where
 * prologues save registers, and the meaning of registers at calls. Tools read and write frame maps of all ports, so the
 * readers and writers take the port as a parameter. frames_PORT.c has the data, which are constant.
 */
#ifndef CN_FRAMEMAP_PORT_H
#define CN_FRAMEMAP_PORT_H

#include <stdbool.h>
#include <stdint.h>

enum {
  CN_SAVED_MAX = 19,      /* the largest number of callee-saved registers */
  CN_PORT_BASE_COUNT = 3, /* the number of bases; a map names a base by two bits, whose fourth value has another use */
  CN_PORT_RANGE_MAX = 3,
  CN_NO_SHAPE = 64, /* a shape's number has six bits */
  CN_NO_REGISTER = 255,
};

/* Registers first..last, by DWARF number. The range 0..0 ends a list that is not full, except as its first element. */
struct cn_register_range {
  uint8_t first, last;
};

/* The places of the caller's registers and of the return address, as offsets from the frame address. */
struct cn_saved_places {
  uint32_t saved; /* bits of callee-saved registers */
  int32_t offset[CN_SAVED_MAX];
  int32_t return_address;
};

struct cn_frame_port {
  const char *name;     /* for messages */
  uint16_t elf_machine; /* EM_... */

  /* The callee-saved registers, by DWARF number: those that a stack walk tracks, in the order of enum cn_reg, and up to
   * `saved_count` the vector registers, which contain no references. A thread that leaves activations for good restores
   * them all. The index of the frame pointer. */
  uint8_t tracked_count, saved_count, callee_saved[CN_SAVED_MAX], frame_pointer;

  /* The bases of frame addresses and places: the stack pointer, the frame pointer, and the register that LLVM uses as
   * base pointer if the frame is realigned and has a variable size. */
  uint8_t base[CN_PORT_BASE_COUNT];

  /* True if records of LLVM 22 have the stack pointer's number for the register that is always zero, too. */
  bool has_zero_at_sp;
  uint8_t last_general; /* the last of the general registers, including the stack pointer */
  /* DWARF's number of the return address. A link register is a general register; a prologue saves it anywhere in the
   * frame. Otherwise a call pushes the return address, just below the frame address. */
  uint8_t return_address;
  bool has_link_register;
  uint8_t pushed_bytes;  /* number of bytes that a call pushes */
  uint8_t register_flip; /* combined with a register's number by exclusive or in frame maps (framemap_format.h) */

  uint32_t lost_over_every_call; /* bits of general registers that even a callee of preserve_all may change */
  uint32_t swifttail_arguments;  /* bits of general registers in which a swifttail callee takes arguments */
  struct cn_register_range live_outs[CN_PORT_RANGE_MAX]; /* registers that code after a point may need */
  struct cn_register_range constants[CN_PORT_RANGE_MAX]; /* registers that code reads and that no call changes */

  /* The callee-saved register that libdw 0.188 reports as undefined if call-frame information omits it, or
   * CN_NO_REGISTER. */
  uint8_t mistaken_by_libdw;

  /* The register of call-frame information with the size of scalable vectors, or CN_NO_REGISTER. */
  uint8_t scale_register;

  /* Reasons of refusals that name registers: a frame address has another base; a location has another base; the base of
   * a frame of unknown size is the stack pointer; call-frame information may say that `mistaken_by_libdw` is
   * undefined. */
  const char *other_frame_base, *other_location_base, *unknown_size, *may_be_undefined;

  /* The shape of the prologue that usually saves this set of registers, or CN_NO_SHAPE; and the places of a shape.
   * False if the shape does not exist. */
  unsigned (*find_shape)(uint32_t saved);
  bool (*fill_shape)(unsigned shape, struct cn_saved_places *out);
};

extern const struct cn_frame_port cn_frame_port_x86_64, cn_frame_port_aarch64;

/* The index of a tracked register, or the port's tracked_count. */
static inline unsigned cn_port_tracked_index_of(const struct cn_frame_port *port, unsigned dwarf)
{
  unsigned index = 0;

  while (index < port->tracked_count && port->callee_saved[index] != dwarf)
    index++;
  return index;
}

/* The index of a callee-saved register, or the port's saved_count. */
static inline unsigned cn_port_saved_index_of(const struct cn_frame_port *port, unsigned dwarf)
{
  unsigned index = 0;

  while (index < port->saved_count && port->callee_saved[index] != dwarf)
    index++;
  return index;
}

static inline bool cn_port_is_tracked(const struct cn_frame_port *port, unsigned dwarf)
{
  return cn_port_tracked_index_of(port, dwarf) < port->tracked_count;
}

/* The index of a base, or CN_PORT_BASE_COUNT. */
static inline unsigned cn_port_base_index_of(const struct cn_frame_port *port, uint64_t dwarf)
{
  unsigned base = 0;

  while (base < CN_PORT_BASE_COUNT && port->base[base] != dwarf)
    base++;
  return base;
}

static inline bool cn_port_is_sp(const struct cn_frame_port *port, uint64_t dwarf)
{
  return port->base[0] == dwarf;
}

/* True if even a callee that preserves all registers may change the general register. */
static inline bool cn_port_is_lost_over_every_call(const struct cn_frame_port *port, unsigned dwarf)
{
  return dwarf < 32 && (port->lost_over_every_call >> dwarf & 1);
}

static inline bool cn_port_is_swifttail_argument(const struct cn_frame_port *port, unsigned dwarf)
{
  return dwarf < 32 && (port->swifttail_arguments >> dwarf & 1);
}

static inline bool cn_port_is_in_ranges(const struct cn_register_range *ranges, unsigned dwarf)
{
  for (unsigned i = 0; i < CN_PORT_RANGE_MAX && (i == 0 || ranges[i].last); i++)
    if (dwarf >= ranges[i].first && dwarf <= ranges[i].last)
      return true;
  return false;
}

/* True if code after a point may need the register: a general or a vector register. */
static inline bool cn_port_is_live_out_register(const struct cn_frame_port *port, unsigned dwarf)
{
  return cn_port_is_in_ranges(port->live_outs, dwarf);
}

/* True for a register that code reads and that no call changes, such as the pc. */
static inline bool cn_port_is_constant_register(const struct cn_frame_port *port, unsigned dwarf)
{
  return cn_port_is_in_ranges(port->constants, dwarf);
}

/* True if the register may contain a value of a point. */
static inline bool cn_port_is_value_register(const struct cn_frame_port *port, unsigned dwarf)
{
  return !cn_port_is_sp(port, dwarf) && cn_port_is_live_out_register(port, dwarf);
}

#endif
