/* SPDX-License-Identifier: Apache-2.0
 *
 * Tells drivers the ports of triples, makes target machines, and gives their triple and data layout to modules. Needs:
 * cairn_compile_init(). Provides: the functions of codegen.h on targets and machines. Breaks: nothing.
 */
#include "compile/codegen/codegen.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <llvm-c/Support.h>
#include <llvm-c/Target.h>
#include "base/check.h"
#include "compile/analysis/data_layout.h"
#include "compile/core/convention.h"
#include "compile/codegen/module_flags.h"

static const struct cn_convention_port *port_for(const char *triple)
{
  return triple ? cn_convention_find_port(triple) : cn_convention_host_port();
}

bool cn_codegen_has_port(const char *triple)
{
  return port_for(triple) != NULL;
}

bool cn_codegen_is_same_port(const char *triple, const char *other)
{
  return port_for(triple) == port_for(other);
}

const char *cn_codegen_target_name(const char *triple)
{
  const struct cn_convention_port *port = port_for(triple);

  return port ? port->name : NULL;
}

const char *cn_codegen_library_folder(const char *triple)
{
  const struct cn_convention_port *port = port_for(triple);

  return port ? port->library_folder : NULL;
}

const char *cn_codegen_processor_option(const char *triple)
{
  const struct cn_convention_port *port = port_for(triple);

  return port ? port->processor_option : NULL;
}

char *cn_codegen_format_missing_port(const char *triple)
{
  char *targets = cn_convention_format_targets();
  char *text = cn_format("target '%s' is not supported yet (%s only)", triple, targets);

  free(targets);
  return text;
}

char *cn_codegen_clang_triple(const char *triple)
{
  const struct cn_convention_port *port = cn_convention_find_port(triple);
  size_t length = port && port->clang_triple_start ? strlen(port->triple_start) : 0;

  if (!length || strncmp(triple, port->triple_start, length) != 0)
    return NULL;
  return cn_format("%s%s", port->clang_triple_start, triple + length);
}

static LLVMCodeGenOptLevel level_of(const struct cn_machine_options *how)
{
  static const LLVMCodeGenOptLevel levels[] = {LLVMCodeGenLevelLess, LLVMCodeGenLevelLess, LLVMCodeGenLevelDefault,
                                               LLVMCodeGenLevelAggressive};

  CN_CHECK(how->opt_level < sizeof levels / sizeof *levels);
  return how->tier == CAIRN_TIER_QUICK ? LLVMCodeGenLevelNone : levels[how->opt_level];
}

/* Sets the port's options, which hold for the process, once. The lock orders threads that make machines. */
static void set_llvm_options(const struct cn_convention_port *port)
{
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  static const struct cn_convention_port *last;
  int count = 0;

  if (!port->llvm_options)
    return;
  pthread_mutex_lock(&lock);
  while (port->llvm_options[count])
    count++;
  if (port != last)
    LLVMParseCommandLineOptions(count, port->llvm_options, NULL);
  last = port;
  pthread_mutex_unlock(&lock);
}

LLVMTargetMachineRef cn_codegen_make_machine(const char *triple, const struct cn_machine_options *how, char **error)
{
  const struct cn_convention_port *port = cn_convention_find_port(triple);
  LLVMTargetRef target = NULL;
  char *message = NULL;

  CN_CHECK(triple && error);
  *error = NULL;
  if (!port) {
    *error = cn_codegen_format_missing_port(triple);
    return NULL;
  }
  set_llvm_options(port);
  const char *cpu = how->cpu ? how->cpu : port->oldest_processor;
  if (LLVMGetTargetFromTriple(triple, &target, &message)) {
    *error = cn_format("LLVM: %s", message);
    LLVMDisposeMessage(message);
    return NULL;
  }
  LLVMTargetMachineRef machine = LLVMCreateTargetMachine(target, triple, cpu, how->features ? how->features : "",
                                                         level_of(how), how->reloc, how->code_model);
  if (machine)
    LLVMSetTargetMachineGlobalISel(machine, false); /* only the other selectors know statepoints */
  else
    *error = cn_format("LLVM has no target machine for '%s' and processor '%s'", triple, cpu);
  return machine;
}

LLVMCodeModel cn_codegen_model_of(LLVMModuleRef module)
{
  unsigned model = cn_module_flag_of(module, "Code Model", 1); /* llvm::CodeModel: 0 tiny, 1 small, ... 4 large */

  return model <= 4 && model != 1 ? (LLVMCodeModel)(LLVMCodeModelTiny + model) : LLVMCodeModelDefault;
}

/* True if the module's layout is empty or the target's, apart from the integrality of references. */
static bool fits_layout(const struct cairn_compile_options *options, const char *own, const char *wanted)
{
  char *integral = cn_layout_make_integral(options, own);
  size_t length = strlen(wanted);
  bool fits = !*own ||
              (strncmp(integral, wanted, length) == 0 && (!integral[length] || !strncmp(integral + length, "-ni:", 4)));

  free(integral);
  return fits;
}

bool cn_codegen_complete_target(LLVMModuleRef module, LLVMTargetMachineRef machine,
                                const struct cairn_compile_options *options, char **error)
{
  LLVMTargetDataRef data = LLVMCreateTargetDataLayout(machine);
  char *layout = LLVMCopyStringRepOfTargetData(data), *triple = LLVMGetTargetMachineTriple(machine);
  const char *own = LLVMGetDataLayoutStr(module);
  bool ok = fits_layout(options, own, layout);

  if (!ok)
    *error = cn_format("data layout '%s' is not that of '%s': '%s'", own, triple, layout);
  if (!*LLVMGetTarget(module))
    LLVMSetTarget(module, triple);
  if (!*own)
    LLVMSetDataLayout(module, layout);
  LLVMDisposeMessage(layout);
  LLVMDisposeMessage(triple);
  LLVMDisposeTargetData(data);
  return ok;
}
