/* SPDX-License-Identifier: Apache-2.0
 *
 * `cairn verify`: is there a path on which a reference is used after it may have moved?
 */
#include <stdio.h>
#include <string.h>
#include "driver/tool.h"

static const char help[] = "usage: cairn verify IN.{ll,bc}|-\n\n"
                           "Check that every managed function of the module, rewritten already, "
                           "uses no reference after a\n"
                           "safepoint that may have moved it. Exit status 1, with function, value "
                           "and safepoint, if one does.\n";

static bool verify(const char *path)
{
  struct cairn_compile_options options = {.diagnose = cn_tool_diagnose};
  LLVMContextRef context = LLVMContextCreate();
  LLVMModuleRef module = cn_module_read(context, path);
  bool ok = module && cairn_compile_pass(module, NULL, "verify-safepoints", &options);

  if (module)
    LLVMDisposeModule(module);
  LLVMContextDispose(context);
  return ok;
}

int cn_verify_main(int argc, char **argv)
{
  const char *path = NULL;

  cn_tool_name = "cairn verify";
  int status = cn_tool_one_file(argc, argv, help, &path);
  if (!path)
    return status;
  cairn_compile_init();
  return verify(path) ? CN_EXIT_OK : CN_EXIT_FAILED;
}
