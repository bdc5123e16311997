/* SPDX-License-Identifier: Apache-2.0
 *
 * Chooses the port of a module by its triple, and answers questions about calling conventions from the port's facts.
 * Needs: nothing. Provides: the functions of convention.h, except cn_is_returned_on_x87_stack(). Breaks: nothing.
 */
#include "compile/core/convention.h"

#include <stdlib.h>
#include <string.h>
#include <llvm-c/TargetMachine.h>
#include "base/check.h"
#include "compile/core/scalars.h"

enum { TAIL_CONVENTION = 18, SWIFT_TAIL_CONVENTION = 20 }; /* llvm/IR/CallingConv.h */

static const struct cn_convention_port *const ports[] = {&cn_convention_port_x86_64, &cn_convention_port_aarch64};
enum { PORT_COUNT = sizeof ports / sizeof *ports };

/* ---- ports ---- */

const struct cn_convention_port *cn_convention_find_port(const char *triple)
{
  for (size_t i = 0; i < PORT_COUNT; i++)
    if (ports[i]->has_triple(triple))
      return ports[i];
  return NULL;
}

const struct cn_convention_port *cn_convention_host_port(void)
{
  char *triple = LLVMGetDefaultTargetTriple();
  const struct cn_convention_port *port = cn_convention_find_port(triple);

  LLVMDisposeMessage(triple);
  return port ? port : ports[0];
}

const struct cn_convention_port *cn_convention_port_of(LLVMModuleRef module)
{
  const char *triple = LLVMGetTarget(module);
  const struct cn_convention_port *port = *triple ? cn_convention_find_port(triple) : cn_convention_host_port();

  return port ? port : ports[0];
}

static LLVMModuleRef module_of(LLVMValueRef instruction)
{
  CN_ASSERT(LLVMIsAInstruction(instruction));
  return LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInstructionParent(instruction)));
}

const struct cn_convention_port *cn_convention_port_at(LLVMValueRef instruction)
{
  return cn_convention_port_of(module_of(instruction));
}

char *cn_convention_format_targets(void)
{
  char *text = cn_strdup(ports[0]->name);

  for (size_t i = 1; i < PORT_COUNT; i++) {
    char *longer = cn_format("%s%s%s", text, i + 1 < PORT_COUNT ? ", " : " and ", ports[i]->name);
    free(text);
    text = longer;
  }
  return text;
}

void cn_convention_init(void)
{
  for (size_t i = 0; i < PORT_COUNT; i++)
    ports[i]->initialise_llvm();
}

/* ---- conventions ---- */

enum cn_convention cn_convention_of(LLVMValueRef call)
{
  return cn_convention_port_at(call)->convention(LLVMGetInstructionCallConv(call));
}

bool cn_convention_has_tail_calls(unsigned convention)
{
  return convention == TAIL_CONVENTION || convention == SWIFT_TAIL_CONVENTION;
}

/* ---- arguments ---- */

enum cn_register_class cn_register_class_of(LLVMTypeRef type)
{
  switch (LLVMGetTypeKind(type)) {
  case LLVMIntegerTypeKind:
    return LLVMGetIntTypeWidth(type) <= 64 ? CN_REGISTER_CLASS_INTEGER : CN_REGISTER_CLASS_OTHER;
  case LLVMPointerTypeKind:
    return CN_REGISTER_CLASS_INTEGER;
  case LLVMFloatTypeKind:
  case LLVMDoubleTypeKind:
    return CN_REGISTER_CLASS_VECTOR;
  default:
    return CN_REGISTER_CLASS_OTHER;
  }
}

/* ---- results: registers, for vectors of at most 128 bits ---- */

struct used_registers {
  const struct cn_convention_port *port;
  uint64_t integers, vectors;
};

static bool assign_result_registers(LLVMTypeRef type, struct used_registers *used);

/* Take registers for `count` elements. If the first element takes no register, then all other elements take no
 * register. */
static bool assign_element_registers(LLVMTypeRef type, uint64_t count, struct used_registers *used)
{
  for (uint64_t i = 0; i < count; i++) {
    struct used_registers before = *used;
    if (!assign_result_registers(type, used))
      return false;
    if (used->integers == before.integers && used->vectors == before.vectors)
      return true;
  }
  return true;
}

/* The size of an element in bits if vector registers have such lanes, else 0. */
static unsigned vector_lane_bits(LLVMTypeRef element)
{
  unsigned width = cn_scalar_bits(element);

  return width == 8 || width == 16 || width == 32 || width == 64 ? width : 0;
}

/* Vectors of other element types or lengths may be split into elements. Three 32-bit elements take one register, like
 * four elements. */
static bool assign_vector_registers(LLVMTypeRef type, struct used_registers *used)
{
  LLVMTypeRef element = LLVMGetElementType(type);
  uint64_t count = LLVMGetVectorSize(type);
  unsigned bits = vector_lane_bits(element);

  if (count == 3 && bits == 32)
    count = 4;
  if (!bits || count < 2 || (count & (count - 1)))
    return used->port->splits_vectors && assign_element_registers(element, count, used);
  used->vectors += (count * bits + 127) / 128;
  return used->vectors <= used->port->result_vectors;
}

static bool assign_result_registers(LLVMTypeRef type, struct used_registers *used)
{
  switch (LLVMGetTypeKind(type)) {
  case LLVMVoidTypeKind:
    return true;
  case LLVMIntegerTypeKind:
    used->integers += (LLVMGetIntTypeWidth(type) + 63) / 64;
    return used->integers <= used->port->result_integers;
  case LLVMPointerTypeKind:
    return ++used->integers <= used->port->result_integers;
  case LLVMHalfTypeKind:
  case LLVMBFloatTypeKind:
  case LLVMFloatTypeKind:
  case LLVMDoubleTypeKind:
  case LLVMFP128TypeKind:
    return ++used->vectors <= used->port->result_floats;
  case LLVMArrayTypeKind:
    return assign_element_registers(LLVMGetElementType(type), LLVMGetArrayLength2(type), used);
  case LLVMVectorTypeKind:
    return assign_vector_registers(type, used);
  case LLVMStructTypeKind:
    for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++)
      if (!assign_result_registers(LLVMStructGetTypeAtIndex(type, i), used))
        return false;
    return true;
  default:
    return false;
  }
}

bool cn_is_returned_in_registers(LLVMModuleRef module, LLVMTypeRef type)
{
  struct used_registers used = {.port = cn_convention_port_of(module)};

  return assign_result_registers(type, &used);
}

/* ---- target features ---- */

/* True if the last mention of a feature in "target-features" turns the feature on. */
static bool has_target_feature(LLVMValueRef function, const char *name)
{
  LLVMAttributeRef attribute = cn_string_attribute(function, "target-features");
  unsigned length = 0;
  size_t size = strlen(name);
  bool on = false;

  const char *at = attribute ? LLVMGetStringAttributeValue(attribute, &length) : "";
  const char *end = at + length;
  while (at < end) {
    const char *comma = memchr(at, ',', (size_t)(end - at)), *stop = comma ? comma : end;
    if ((size_t)(stop - at) == size + 1 && memcmp(at + 1, name, size) == 0)
      on = *at == '+';
    at = stop + 1;
  }
  return on;
}

bool cn_has_indirect_call_thunks(LLVMValueRef function)
{
  CN_ASSERT(LLVMIsAFunction(function));
  for (const char *const *name = cn_convention_port_of(LLVMGetGlobalParent(function))->thunk_features; *name; name++)
    if (has_target_feature(function, *name))
      return true;
  return false;
}

/* ---- entries ---- */

bool cn_convention_is_entry_code(LLVMModuleRef module, LLVMValueRef code)
{
  size_t length = 0;
  const char *text = LLVMIsConstantString(code) ? LLVMGetAsString(code, &length) : NULL;

  return text && cn_convention_port_of(module)->is_entry(text, length);
}
