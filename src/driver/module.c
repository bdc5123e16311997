/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads modules from files or standard input, imports and verifies modules, writes them to files or standard output,
 * and makes their target machines. Runs before and after the passes of a driver. Owns the path and the error count of
 * the current module for LLVM's messages, which it prints on stderr; a fatal error of LLVM ends the process.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <llvm-c/Analysis.h>
#include <llvm-c/BitWriter.h>
#include <llvm-c/ErrorHandling.h>
#include <llvm-c/IRReader.h>
#include "base/check.h"
#include "driver/tool.h"
#include "object/elf/input.h"

/* The current module; a tool handles one module at a time. */
static struct {
  const char *path;
  unsigned errors;
} current_module;

/* Print LLVM's errors and warnings. Without this handler, LLVM itself would print each message and end the process
 * after an error. */
static void print_llvm_diagnostic(LLVMDiagnosticInfoRef info, void *env)
{
  LLVMDiagnosticSeverity severity = LLVMGetDiagInfoSeverity(info);

  (void)env;
  if (severity != LLVMDSError && severity != LLVMDSWarning)
    return;
  current_module.errors += severity == LLVMDSError;
  char *text = LLVMGetDiagInfoDescription(info);
  fprintf(stderr, "%s: %s: %s\n", current_module.path, severity == LLVMDSError ? "error" : "warning", text);
  LLVMDisposeMessage(text);
}

void cn_module_set_message_path(const char *path)
{
  CN_CHECK(path != NULL); /* LLVM's messages contain the path */
  current_module.path = path;
}

/* True for bitcode, with or without a wrapper, and for text. */
static bool is_bitcode_or_text(const unsigned char *bytes, size_t size)
{
  return (size >= 4 && (memcmp(bytes, "BC\xc0\xde", 4) == 0 || memcmp(bytes, "\xde\xc0\x17\x0b", 4) == 0)) ||
         (size > 0 && (isprint(bytes[0]) || isspace(bytes[0])));
}

static LLVMMemoryBufferRef read_module_bytes(const char *path)
{
  struct cn_input_file file;
  LLVMMemoryBufferRef buffer = NULL;
  char *error = NULL;

  if (cn_input_open(&file, path, is_bitcode_or_text, &error))
    cn_tool_error("cannot read '%s': %s", path, error);
  else if (file.size && !is_bitcode_or_text(file.bytes, file.size))
    cn_tool_error("cannot parse '%s': neither bitcode nor text", path);
  else if (!(buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(file.size ? file.bytes : "", file.size,
                                                                strcmp(path, "-") ? path : "<stdin>")))
    cn_tool_error("cannot read '%s': no memory for %zu bytes", path, file.size);
  free(error);
  cn_input_close(&file);
  return buffer;
}

unsigned cn_module_error_count(void)
{
  return current_module.errors;
}

/* Print a fatal error and exit, because LLVM is unusable after such an error. */
static void exit_on_fatal_error(const char *reason)
{
  cn_tool_error("'%s': LLVM: %s", current_module.path, reason);
  exit(CN_EXIT_FAILED);
}

static void install_llvm_handlers(LLVMContextRef context, const char *path)
{
  current_module.path = path;
  current_module.errors = 0;
  LLVMContextSetDiagnosticHandler(context, print_llvm_diagnostic, NULL);
  LLVMResetFatalErrorHandler();
  LLVMInstallFatalErrorHandler(exit_on_fatal_error);
}

/* Parse a module. `own` says that a tool of Cairn wrote the module, so that LLVM's verifier is unnecessary; the
 * pipeline verifies its input. */
static LLVMModuleRef parse_module(LLVMContextRef context, LLVMMemoryBufferRef buffer, const char *path, bool own)
{
  LLVMModuleRef module = NULL;
  char *message = NULL;

  install_llvm_handlers(context, path);
  if (LLVMParseIRInContext2(context, buffer, &module, &message)) {
    /* LLVM's message about text is "file:line:column: error: ...", followed by the line and a caret. */
    cn_tool_error("cannot parse '%s'", path);
    fprintf(stderr, "%s%s", message ? message : "", message && *message ? "" : "\n");
    LLVMDisposeMessage(message);
    return NULL;
  }
  if (!own && !cn_module_verify(module, path, "the input is not valid IR")) {
    LLVMDisposeModule(module);
    return NULL;
  }
  return module;
}

void cn_module_adopt(LLVMModuleRef module, const char *path)
{
  install_llvm_handlers(LLVMGetModuleContext(module), path);
}

static LLVMModuleRef read_module(LLVMContextRef context, const char *path, bool own)
{
  LLVMMemoryBufferRef buffer = read_module_bytes(path);
  LLVMModuleRef module = NULL;

  if (!buffer)
    return NULL;
  if (own || cn_probe_reader_survives(buffer, path))
    module = parse_module(context, buffer, path, own);
  LLVMDisposeMemoryBuffer(buffer);
  return module;
}

LLVMModuleRef cn_module_read(LLVMContextRef context, const char *path)
{
  return read_module(context, path, false);
}

bool cn_module_import_functions(LLVMModuleRef module, const char *path)
{
  const char *before = current_module.path;
  CN_CHECK(before != NULL);
  LLVMModuleRef from = cn_module_read(LLVMGetModuleContext(module), path);

  if (from) {
    cairn_import_functions(module, from);
    LLVMDisposeModule(from);
  }
  cn_module_set_message_path(before);
  return from != NULL;
}

LLVMModuleRef cn_module_read_trusted(LLVMContextRef context, const char *path)
{
  return read_module(context, path, true);
}

bool cn_module_verify(LLVMModuleRef module, const char *path, const char *what)
{
  char *message = NULL;
  bool broken = LLVMVerifyModule(module, LLVMReturnStatusAction, &message);

  if (broken)
    cn_tool_error("'%s': %s:\n%s", path, what, message);
  LLVMDisposeMessage(message);
  return !broken;
}

bool cn_module_write(LLVMModuleRef module, const char *path, bool text)
{
  bool ok;

  if (text) {
    char *ir = LLVMPrintModuleToString(module);
    ok = cn_output_write(path, ir, strlen(ir));
    LLVMDisposeMessage(ir);
  } else {
    LLVMMemoryBufferRef buffer = LLVMWriteBitcodeToMemoryBuffer(module);
    ok = cn_output_write(path, LLVMGetBufferStart(buffer), LLVMGetBufferSize(buffer));
    LLVMDisposeMemoryBuffer(buffer);
  }
  return ok;
}

static char *triple_of(LLVMModuleRef module, const char *otherwise)
{
  const char *own = LLVMGetTarget(module);

  return *own        ? LLVMNormalizeTargetTriple(own)
         : otherwise ? LLVMNormalizeTargetTriple(otherwise)
                     : LLVMGetDefaultTargetTriple();
}

bool cn_module_has_port(LLVMModuleRef module)
{
  char *triple = triple_of(module, NULL);
  bool ported = cn_codegen_has_port(triple);

  LLVMDisposeMessage(triple);
  return ported;
}

LLVMTargetMachineRef cn_module_make_machine(LLVMModuleRef module, const char *path,
                                            const struct cn_machine_options *how)
{
  char *triple = triple_of(module, how->triple), *error = NULL;
  char *wanted = how->triple ? LLVMNormalizeTargetTriple(how->triple) : NULL;
  CN_CHECK(triple && path);
  LLVMTargetMachineRef machine = NULL;

  if (wanted && !cn_codegen_is_same_port(triple, wanted))
    cn_tool_error("'%s': the module is for '%s', and the command for '%s'", path, triple, wanted);
  else if (!(machine = cn_codegen_make_machine(triple, how, &error)))
    cn_tool_error("'%s': %s", path, error);
  if (wanted)
    LLVMDisposeMessage(wanted);
  free(error);
  LLVMDisposeMessage(triple);
  return machine;
}
