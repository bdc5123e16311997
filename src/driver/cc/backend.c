/* SPDX-License-Identifier: Apache-2.0
 *
 * Compiles bitcode to the output file, in process, by Cairn's pipeline, LLVM's code generator and the writer of frame
 * maps; with -flto, compiles units to bitcode for the link, and then the joined bitcode. Also rewrites assembled
 * objects with frame maps. Runs once per unit: changes the unit's module, writes the output, and prints diagnostics on
 * stderr. Owns the current unit's contexts, input path and diagnostics, the name of the host's processor, and the flag
 * that LLVM's options are set.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <cairn/object.h>
#include <llvm-c/BitWriter.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Error.h>
#include <llvm-c/Support.h>
#include <llvm-c/Target.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include "compile/analysis/managed_functions.h"
#include "compile/codegen/codegen.h"
#include "compile/pipeline.h"
#include "compile/codegen/module_flags.h"
#include "driver/cc/units.h"
#include "driver/ir_lines.h"
#include "driver/tool.h"
#include "object/elf/input.h"

/* ---- options ---- */

/* True if -fcairn-remarks prints the remark. The report has all remarks. */
static bool is_shown_remark(const struct cairn_diagnostic *d)
{
  static const char *const rules[] = {"fall-back", "slot-mode", "variadic-statepoint"};

  for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
    if (strcmp(d->rule, rules[i]) == 0)
      return true;
  return false;
}

/* Diagnostics about the current unit. */
static struct cairn_diagnostics unit_diagnostics; /* for the report */
static const char *ir_input_path;                 /* null for C sources, whose diagnostics have source locations */
static struct cairn_diagnostics *postponed;       /* null: diagnostics are printed at once */
static char *refused_rule;                        /* the rule of the first printed error, or null */

static void keep_and_print_diagnostic(void *env, const struct cairn_diagnostic *diagnostic)
{
  const struct cn_command *command = env;

  if (postponed != NULL) {
    cairn_diagnostics_keep(postponed, diagnostic);
    return;
  }
  if (command->report)
    cairn_diagnostics_keep(&unit_diagnostics, diagnostic);
  if (command->observer)
    command->observer->diagnose(command->observer->env, diagnostic);
  if (diagnostic->severity == CAIRN_REMARK && !(command->remarks && is_shown_remark(diagnostic)))
    return;
  if (command->sarif) {
    cn_sarif_add(diagnostic);
    return;
  }
  ir_input_path != NULL ? cn_tool_print_ir_diagnostic(ir_input_path, diagnostic)
                        : cn_tool_print_diagnostic(NULL, diagnostic);
  if (diagnostic->severity == CAIRN_ERROR && diagnostic->rule && !refused_rule)
    refused_rule = cn_strdup(diagnostic->rule);
}

void cn_backend_print_explain_note(void)
{
  if (refused_rule)
    fprintf(stderr, "%s: note: --explain=%s prints the rule and what to write instead (docs/refused.md)\n",
            cn_tool_name, refused_rule);
  free(refused_rule);
  refused_rule = NULL;
}

struct cairn_compile_options cn_backend_make_options(const struct cn_command *command)
{
  struct cairn_compile_options options = command->compile;

  options.diagnose = keep_and_print_diagnostic;
  options.env = (void *)command;
  return options;
}

/* Set Cairn's code generator options, then the user's -mllvm options, once per process. */
static void initialise_llvm_options(const struct cn_command *command)
{
  static bool done;

  if (done)
    return;
  done = true;
  cairn_compile_init();
  if (command->live_outs)
    cairn_compile_live_outs(true);
  if (command->llvm_options.count == 0)
    return;
  struct cn_words words = {0};
  cn_push(&words, "cairn-cc");
  for (size_t i = 0; i < command->llvm_options.count; i++)
    cn_push(&words, command->llvm_options.at[i]);
  CN_CHECK(words.count == command->llvm_options.count + 1);
  LLVMParseCommandLineOptions((int)words.count, words.at, NULL);
  cn_free(&words);
}

/* Choose position independence. The module flags decide for modules from clang, and the command line for the user's
 * IR. Code that uses libcairn.so finds the thread's mutator in another image, as code of shared objects does. */
static void set_position_independence(const struct cn_command *command, LLVMModuleRef module, bool from_clang,
                                      struct cn_machine_options *how, struct cairn_compile_options *options)
{
  bool pic = from_clang ? cn_module_flag_of(module, "PIC Level", 0) > 0 : !command->no_pic;
  bool pie = from_clang ? cn_module_flag_of(module, "PIE Level", 0) > 0 : command->pie || !command->pic_asked;

  how->reloc = pic ? LLVMRelocPIC : LLVMRelocStatic;
  options->shared = (pic && !pie) || command->shared_runtime;
}

/* ---- the module before the pipeline ---- */

/* Add the triple and the data layout if the module lacks them. */
static bool complete_module_target(const struct cn_command *command, LLVMModuleRef module, LLVMTargetMachineRef machine,
                                   const char *path)
{
  char *error = NULL;
  bool ok = cn_codegen_complete_target(module, machine, &command->compile, &error);

  if (!ok)
    cn_tool_error("'%s': %s", path, error);
  free(error);
  return ok;
}

/* ---- the module after it ---- */

/* Options of the command line that LLVM's target machine leaves to its caller. A joined module has the options of its
 * units. */
struct emission_options {
  enum cn_debug debug;
  bool function_sections, data_sections;
};

/* The user's IR keeps its debug information. */
static struct emission_options emission_options_of(const struct cn_command *command, LLVMModuleRef module,
                                                   bool from_clang)
{
  bool any = LLVMGetNamedMetadata(module, "llvm.dbg.cu", 11) != NULL;

  return (struct emission_options){.debug = from_clang ? command->debug
                                            : any      ? CN_DEBUG_FULL
                                                       : CN_DEBUG_NONE,
                                   .function_sections = command->function_sections,
                                   .data_sections = command->data_sections};
}

/* Remove debug information that only Cairn's rules and diagnostics needed. */
static bool drop_unwanted_debug_info(LLVMModuleRef module, enum cn_debug wanted)
{
  if (wanted == CN_DEBUG_FULL)
    return true;
  if (wanted == CN_DEBUG_NONE) {
    LLVMStripModuleDebugInfo(module);
    return true;
  }
  LLVMPassBuilderOptionsRef builder = LLVMCreatePassBuilderOptions();
  LLVMErrorRef error = LLVMRunPasses(module, "strip-nonlinetable-debuginfo", NULL, builder);
  LLVMDisposePassBuilderOptions(builder);
  if (!error)
    return true;
  char *message = LLVMGetErrorMessage(error);
  cn_tool_error("%s", message);
  LLVMDisposeErrorMessage(message);
  return false;
}

static bool write_object_with_frame_maps(const void *start, size_t size, const char *input, const char *output,
                                         bool *changed)
{
  size_t new_size = 0;
  void *bytes = NULL;
  char *error = NULL;

  CN_CHECK(output && input);
  bool ok = cairn_object_rewrite(start, size, &bytes, &new_size, &error) == CAIRN_OK;

  if (!ok)
    cn_tool_error("'%s': %s", input, error ? error : "the object cannot be given frame maps");
  else if (changed)
    ok = !bytes || cn_output_write(output, bytes, new_size);
  else
    ok = cn_output_write(output, bytes ? bytes : start, bytes ? new_size : size);
  if (changed)
    *changed = bytes != NULL;
  CN_CHECK(!ok || (bytes != NULL) == (new_size != 0));
  free(bytes);
  free(error);
  return ok;
}

static bool emit_code(const struct cn_command *command, const struct cn_unit *unit, LLVMModuleRef module,
                      LLVMTargetMachineRef machine)
{
  bool assembly = command->mode == CN_MODE_ASSEMBLY;
  LLVMMemoryBufferRef code = NULL;
  char *message = NULL;

  if (command->observer)
    command->observer->take_module(command->observer->env, module);
  if (command->emit_llvm)
    return cn_module_write(module, unit->output, assembly);
  cn_structors_place_in_arrays(module);
  cn_codegen_choose_strategy(module);
  LLVMSetTargetMachineAsmVerbosity(machine, true);
  struct cairn_pass_time start = cn_times_start_step(&command->compile);
  if (LLVMTargetMachineEmitToMemoryBuffer(machine, module, assembly ? LLVMAssemblyFile : LLVMObjectFile, &message,
                                          &code)) {
    cn_tool_error("'%s': %s", unit->input, message);
    LLVMDisposeMessage(message);
    return false;
  }
  cn_times_stop_step(&command->compile, &start, "generate code");
  start = cn_times_start_step(&command->compile);
  bool ok = cn_module_error_count() == 0;
  if (ok && assembly)
    ok = cn_output_write(unit->output, LLVMGetBufferStart(code), LLVMGetBufferSize(code));
  else if (ok)
    ok = write_object_with_frame_maps(LLVMGetBufferStart(code), LLVMGetBufferSize(code), unit->input, unit->output,
                                      NULL);
  cn_times_stop_step(&command->compile, &start, "stack maps to frame maps");
  LLVMDisposeMemoryBuffer(code);
  return ok;
}

/* ---- units and joined modules ---- */

/* The processor of the command's options for the user's IR. Modules from clang state the processor in each function. */
static const char *processor_of(const struct cn_command *command, LLVMModuleRef module)
{
  static char *host;
  const char *own = LLVMGetTarget(module), *option = cn_codegen_processor_option(*own ? own : command->target);
  const char *name = option && strcmp(option, "-mcpu=") == 0 ? command->mcpu : command->cpu;

  if (name && strchr(name, '+'))
    cn_tool_warning("'%s%s': its features have no effect on IR", option, name);
  if (!name || strcmp(name, "native") != 0)
    return name ? cn_command_format_string("%.*s", (int)strcspn(name, "+"), name) : NULL;
  if (!host)
    host = LLVMGetHostCPUName();
  return host;
}

static bool emit_optimised_module(const struct cn_command *command, const struct cn_unit *unit, LLVMModuleRef module,
                                  LLVMTargetMachineRef machine, const struct cn_machine_options *how,
                                  const struct emission_options *wishes)
{
  CN_CHECK(unit->output != NULL);
  cn_codegen_describe_frames(module);
  cn_sections_split_module(module, how->reloc == LLVMRelocPIC, wishes->function_sections, wishes->data_sections);
  return drop_unwanted_debug_info(module, wishes->debug) && emit_code(command, unit, module, machine);
}

/* ---- link-time optimisation ---- */

static const char debug_flag[] = "cairn.debug", function_sections_flag[] = "cairn.function-sections",
                  data_sections_flag[] = "cairn.data-sections";

/* Add the facts that clang's modules state to a front end's module: position independence and the processor. Clang's
 * vendor in the triple only avoids a linker's warning. */
static void add_target_facts(LLVMModuleRef module, const struct cn_machine_options *how, bool shared)
{
  char *clangs = cn_codegen_clang_triple(LLVMGetTarget(module));
  unsigned level = how->reloc == LLVMRelocPIC ? 2 : 0;

  if (clangs)
    LLVMSetTarget(module, clangs);
  free(clangs);
  if (level && cn_module_flag_of(module, "PIC Level", 0) == 0)
    cn_add_module_flag(module, "PIC Level", CN_FLAG_JOIN_MIN, level);
  if (level && !shared && cn_module_flag_of(module, "PIE Level", 0) == 0)
    cn_add_module_flag(module, "PIE Level", CN_FLAG_JOIN_MAX, level);
  for (LLVMValueRef f = LLVMGetFirstFunction(module); how->cpu && f; f = LLVMGetNextFunction(f))
    if (!LLVMIsDeclaration(f) &&
        !LLVMGetStringAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, "target-cpu", 10))
      LLVMAddTargetDependentFunctionAttr(f, "target-cpu", how->cpu);
}

/* Write the module as bitcode, with the command's options as module flags for the link. */
static bool write_unit_for_link(const struct cn_command *command, const struct cn_unit *unit, LLVMModuleRef module,
                                const struct emission_options *wishes)
{
  CN_CHECK(command->lto && wishes->debug <= CN_DEBUG_FULL);
  cn_add_module_flag(module, debug_flag, CN_FLAG_JOIN_MAX, wishes->debug);
  cn_add_module_flag(module, function_sections_flag, CN_FLAG_JOIN_MAX, wishes->function_sections);
  cn_add_module_flag(module, data_sections_flag, CN_FLAG_JOIN_MAX, wishes->data_sections);
  return cn_module_write(module, unit->output, command->mode == CN_MODE_ASSEMBLY);
}

/* The options of the joined module. An optimisation level of the link's command has priority over the units' level. */
static struct cairn_compile_options make_joined_options(const struct cn_command *command, LLVMModuleRef module)
{
  struct cairn_compile_options options = cn_backend_make_options(command);

  cairn_compile_joined_options(module, &options);
  if (command->level_asked) {
    options.opt_level = command->compile.opt_level;
    options.size_level = command->compile.size_level;
  }
  return options;
}

static bool compile_joined(const struct cn_command *command, const struct cn_unit *joined, LLVMModuleRef module)
{
  struct cairn_compile_options options = make_joined_options(command, module);
  struct emission_options wishes = {
      .debug = cn_module_flag_of(module, debug_flag, CN_DEBUG_FULL),
      .function_sections = command->function_sections || cn_module_flag_of(module, function_sections_flag, 0),
      .data_sections = command->data_sections || cn_module_flag_of(module, data_sections_flag, 0)};
  struct cn_machine_options how = {
      .opt_level = options.opt_level, .triple = command->target, .code_model = cn_codegen_model_of(module)};

  how.cpu = processor_of(command, module);
  set_position_independence(command, module, true, &how, &options);
  options.shared |= command->shared;
  CN_CHECK(command->mode == CN_MODE_LINK);
  LLVMTargetMachineRef machine = cn_module_make_machine(module, joined->input, &how);
  LLVMModuleRef result = NULL;
  bool ok = machine && cairn_compile_joined(module, machine, &options, &result) == CAIRN_OK &&
            emit_optimised_module(command, joined, result, machine, &how, &wishes);
  if (result)
    LLVMDisposeModule(result);
  if (machine)
    LLVMDisposeTargetMachine(machine);
  return ok;
}

/* ---- the unit's module ---- */

/* The contexts of the current unit's module, and of the module read again. The process exits without freeing the last
 * contexts, which saves time. */
static LLVMContextRef unit_context, second_context;

static void dispose_of_context(LLVMContextRef *context)
{
  if (*context)
    LLVMContextDispose(*context);
  *context = NULL;
}

LLVMContextRef cn_backend_start_unit(const struct cn_command *command)
{
  initialise_llvm_options(command);
  dispose_of_context(&second_context);
  dispose_of_context(&unit_context);
  return unit_context = LLVMContextCreate();
}

/* Read the unit's bitcode, or null after a message. `joined` says that the unit was joined from units of Cairn, which
 * need no check by LLVM's verifier. */
static LLVMModuleRef read_bitcode(const struct cn_unit *unit, LLVMContextRef context, bool joined)
{
  return joined || unit->language == CN_LANG_C ? cn_module_read_trusted(context, unit->bitcode)
                                               : cn_module_read(context, unit->bitcode);
}

/* The unit's module from the front end or from bitcode, or null after a message. */
static LLVMModuleRef read_unit(const struct cn_command *command, const struct cn_unit *unit, bool joined)
{
  struct cairn_pass_time start = cn_times_start_step(&command->compile);
  LLVMModuleRef module = unit->module;

  CN_CHECK(unit->bitcode != NULL && unit_context != NULL);
  if (module)
    cn_module_adopt(module, unit->input);
  else
    module = read_bitcode(unit, unit_context, joined);
  cn_times_stop_step(&command->compile, &start, "read");
  return module;
}

static void name_module(const struct cn_unit *unit, LLVMModuleRef module)
{
  LLVMSetModuleIdentifier(module, unit->input, strlen(unit->input)); /* replaces the name of the temporary file */
  cn_module_set_message_path(unit->input);
}

static bool import_functions(const struct cn_command *command, LLVMModuleRef module)
{
  bool ok = true;

  for (size_t i = 0; ok && i < command->imports.count; i++)
    ok = cn_module_import_functions(module, command->imports.at[i]);
  return ok;
}

/* What makes a unit's module again. */
struct unit_source {
  const struct cn_command *command;
  const struct cn_unit *unit;
  LLVMTargetMachineRef machine;
};

/* True if the unit's module need not be cloned before passes that may fail. An observer may refer to the first module.
 */
static bool can_be_read_again(const struct cn_command *command, const struct cn_unit *unit)
{
  const char *path = unit->module ? unit->input : unit->bitcode;
  struct stat status;

  return !command->observer && strcmp(path, "-") != 0 && stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

static LLVMModuleRef read_unit_again(void *env)
{
  const struct unit_source *s = env;

  CN_CHECK(!second_context);
  second_context = LLVMContextCreate();
  LLVMModuleRef module = s->unit->module ? cn_unit_run_front_end_again(s->command, s->unit, second_context)
                                         : read_bitcode(s->unit, second_context, false);
  if (!module)
    return NULL;
  cn_module_adopt(module, s->unit->input);
  name_module(s->unit, module);
  if (import_functions(s->command, module) && complete_module_target(s->command, module, s->machine, s->unit->input))
    return module;
  LLVMDisposeModule(module);
  return NULL;
}

/* ---- units ---- */

static bool has_managed_debug_types(LLVMModuleRef module)
{
  LLVMMemoryBufferRef bitcode = LLVMWriteBitcodeToMemoryBuffer(module);
  bool found = cn_mentions_managed_type(LLVMGetBufferStart(bitcode), LLVMGetBufferSize(bitcode));

  LLVMDisposeMemoryBuffer(bitcode);
  return found;
}

/* True for a unit of C without references, if clang compiles such units as native code. */
static bool is_native_unit(const struct cn_command *command, const struct cn_unit *unit, LLVMModuleRef module)
{
  return unit->language == CN_LANG_C && command->native_units && cn_managed_is_native_unit(module) &&
         !has_managed_debug_types(module);
}

/* Clang's record layouts of a unit of C, which the caller frees; null after a message. */
static char *read_record_layouts(const struct cn_unit *unit)
{
  struct cn_input_file input;
  char *error = NULL;

  if (!unit->records || cn_input_open(&input, unit->records, NULL, &error)) {
    cn_tool_error("'%s': clang's record layouts cannot be read: %s", unit->input,
                  error ? error : "there is no temporary file");
    free(error);
    return NULL;
  }
  char *text = cn_format("%.*s", (int)input.size, (const char *)input.bytes);
  cn_input_close(&input);
  return text;
}

static void run_pipeline(const struct unit_source *from, LLVMModuleRef module,
                         const struct cairn_compile_options *options, LLVMModuleRef *result)
{
  const struct cn_module_source source = {read_unit_again, (void *)from};
  bool again = can_be_read_again(from->command, from->unit);

  cn_pipeline_run_consuming(module, from->machine, options, again ? &source : NULL, result);
}

/* Add the lines of the file's text to the module. True if instructions got lines. */
static bool add_lines_of_text(LLVMModuleRef module, const struct cn_unit *unit)
{
  struct cn_input_file input;
  struct cn_text rest, line;
  cn_texts lines = {0};
  char *error = NULL;

  if (cn_input_open(&input, unit->bitcode, NULL, &error)) {
    free(error);
    return false;
  }
  rest = (struct cn_text){input.bytes, input.size};
  while (cn_text_next_line(&rest, &line))
    cn_push(&lines, line);
  bool added = cn_ir_lines_add(module, &lines, unit->input) > 0;
  cn_free(&lines);
  cn_input_close(&input);
  return added;
}

/* Compile a refused unit of textual IR once more, with its lines, for its diagnostics. */
static void find_diagnostics_with_lines(const struct unit_source *from, const struct cairn_compile_options *options)
{
  LLVMContextRef context = LLVMContextCreate();
  LLVMModuleRef module = read_bitcode(from->unit, context, false), result = NULL;

  if (module) {
    name_module(from->unit, module);
    if (add_lines_of_text(module, from->unit) && import_functions(from->command, module) &&
        complete_module_target(from->command, module, from->machine, from->unit->input))
      cn_pipeline_run_consuming(module, from->machine, options, NULL, &result);
    CN_CHECK(result != module);
    if (result)
      LLVMDisposeModule(result);
    LLVMDisposeModule(module);
  }
  LLVMContextDispose(context);
}

static bool have_errors(const struct cairn_diagnostics *diagnostics)
{
  for (size_t i = 0; i < diagnostics->count; i++)
    if (diagnostics->at[i].severity == CAIRN_ERROR)
      return true;
  return false;
}

/* Run the pipeline on IR of a front end. Diagnostics come at the end, and those of a refused unit have the lines of the
 * unit's text if the module lacks debug information. */
static void run_pipeline_of_ir(const struct unit_source *from, LLVMModuleRef module,
                               const struct cairn_compile_options *options, LLVMModuleRef *result)
{
  struct cairn_diagnostics first = {0}, second = {0};

  postponed = &first;
  run_pipeline(from, module, options, result);
  postponed = &second;
  if (!*result && have_errors(&first) && can_be_read_again(from->command, from->unit))
    find_diagnostics_with_lines(from, options);
  postponed = NULL;
  const struct cairn_diagnostics *printed = have_errors(&second) ? &second : &first;
  for (size_t i = 0; i < printed->count; i++)
    keep_and_print_diagnostic((void *)from->command, &printed->at[i]);
  cairn_diagnostics_free(&first);
  cairn_diagnostics_free(&second);
}

static bool compile_module(const struct cn_command *command, const struct cn_unit *unit, LLVMModuleRef module)
{
  bool from_clang = unit->language == CN_LANG_C;
  struct cairn_compile_options options = cn_backend_make_options(command);
  if (command->observer && !from_clang)
    command->observer->take_input(command->observer->env, module);
  struct emission_options wishes = emission_options_of(command, module, from_clang);
  struct cn_machine_options how = {
      .opt_level = options.opt_level, .triple = command->target, .code_model = cn_codegen_model_of(module)};

  if (LLVMGetNamedGlobal(module, CN_LTO_GUARD)) {
    cn_tool_error("'%s': made with -flto, for a link: it is an object, although it is IR", unit->input);
    return false;
  }
  options.lines_only = from_clang && wishes.debug != CN_DEBUG_FULL;
  options.drop_lines = from_clang && wishes.debug == CN_DEBUG_NONE && !command->report && !command->remarks;
  if (!from_clang || is_native_unit(command, unit, module))
    options.manage_all = false; /* the front end has marked the managed functions */
  how.cpu = from_clang ? NULL : processor_of(command, module);
  set_position_independence(command, module, from_clang, &how, &options);
  LLVMTargetMachineRef machine = cn_module_make_machine(module, unit->input, &how);
  if (!machine)
    return false;
  const struct unit_source from = {command, unit, machine};
  char *records = from_clang ? read_record_layouts(unit) : NULL;
  bool ok = complete_module_target(command, module, machine, unit->input) && (!from_clang || records);
  LLVMModuleRef result = NULL;
  options.record_layouts = records;
  if (ok && command->lto)
    cairn_compile_unit(module, machine, &options, &result);
  else if (ok && from_clang)
    run_pipeline(&from, module, &options, &result);
  else if (ok)
    run_pipeline_of_ir(&from, module, &options, &result);
  if (result) {
    if (command->lto && !from_clang)
      add_target_facts(result, &how, options.shared);
    ok = command->lto ? write_unit_for_link(command, unit, result, &wishes)
                      : emit_optimised_module(command, unit, result, machine, &how, &wishes);
  }
  free(records);
  LLVMDisposeTargetMachine(machine);
  return ok && result;
}

static bool compile_unit(const struct cn_command *command, const struct cn_unit *unit, bool joined, bool *native)
{
  CN_CHECK(unit_diagnostics.count == 0);
  LLVMModuleRef module = read_unit(command, unit, joined);
  bool ok = false;

  ir_input_path = unit->language == CN_LANG_IR ? unit->input : NULL;
  if (module) {
    name_module(unit, module);
    *native = unit->native.count && is_native_unit(command, unit, module);
    if (!*native)
      cn_command_warn_of_idle_options(command);
    ok = *native                                  ? true
         : !cn_command_can_generate_code(command) ? false
         : joined ? compile_joined(command, unit, module)
                  : cn_command_can_manage(command) && import_functions(command, module) &&
                        compile_module(command, unit, module);
    if (command->report && !*native && (joined || !command->lto)) /* of code */
      cn_function_report_add_unit(unit->input, &unit_diagnostics);
    cairn_diagnostics_free(&unit_diagnostics);
  }
  return ok;
}

bool cn_backend_compile_unit(const struct cn_command *command, const struct cn_unit *unit, bool *native)
{
  return compile_unit(command, unit, false, native);
}

bool cn_backend_compile_joined(const struct cn_command *command, const struct cn_unit *joined)
{
  bool native;

  cn_backend_start_unit(command);
  return compile_unit(command, joined, true, &native);
}

bool cn_backend_rewrite_object(const char *path, const char *output, bool *changed)
{
  struct cn_input_file object;
  char *error = NULL;

  if (cn_input_open(&object, path, cn_input_is_binary, &error)) {
    cn_tool_error("'%s': %s", path, error);
    free(error);
    return false;
  }
  bool ok = write_object_with_frame_maps(object.bytes, object.size, path, output, changed);
  cn_input_close(&object);
  return ok;
}
