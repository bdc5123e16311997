// SPDX-License-Identifier: Apache-2.0
//
// libcairn-plugin.so: Cairn's passes in LLVM's own tools, which load C++ plugins only. The one C++
// file: names to passes, extension points, diagnostics to LLVM's handler; what a pass does is in
// src/compile, behind include/cairn/compile.h.
//
//   opt -load-pass-plugin=libcairn-plugin.so -passes='cairn-rewrite-statepoints<slots=always>'
//   clang -O2 -fpass-plugin=libcairn-plugin.so ...
//
// It links the libLLVM that the tool has loaded already, and shows nothing but its entry.
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>
#include <cairn/compile.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/DiagnosticHandler.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Plugins/PassPlugin.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

using namespace llvm;

namespace
{

/// Options of a pass as text, "slots=always;without=sink+recompute", and what they mean.
struct Settings {
  cairn_compile_options options = {};
  bool off = false;
  bool runtime = false; // the code is for Cairn's runtime

  Settings() = default;
  Settings(const Settings &) = delete;
  ~Settings()
  {
    std::free(const_cast<unsigned *>(options.address_spaces));
    std::free(const_cast<char *>(options.strategies));
  }

  /// The empty string, or what is wrong.
  std::string parse(StringRef text)
  {
    SmallVector<StringRef, 4> words;
    std::string wrong;

    text.split(words, ';', -1, false);
    for (size_t i = 0; i < words.size() && wrong.empty(); i++)
      wrong = parse_word(words[i]);
    if (wrong.empty() && runtime && options.tolerated)
      wrong = "tolerate: not with 'runtime' or 'managed-c': Cairn's runtime finds only described references";
    return wrong;
  }

private:
  std::string parse_word(StringRef word)
  {
    if (word == "off" || word == "runtime" || word == "managed-c") {
      off |= word == "off";
      runtime |= word != "off";
      options.manage_all |= word == "managed-c";
      return "";
    }
    auto [name, value] = word.split('=');
    std::string list = value.str(); // commas end a pass's name where pipelines are text
    for (char &c : list)
      c = c == '+' ? ',' : c;
    char *wrong;
    cairn_compile_set(&options, name.str().c_str(), word.contains('=') ? list.c_str() : nullptr, &wrong);
    std::string message = wrong ? wrong : "";
    std::free(wrong);
    return message;
  }
};

/// Where a finding is, as debug information that no module refers to.
DiagnosticLocation location_of(const Function &function, const cairn_diagnostic &d)
{
  LLVMContext &context = function.getContext();
  DISubprogram *subprogram = function.getSubprogram();

  if (!subprogram || !d.file || !d.line)
    return DiagnosticLocation();
  DIFile *file = DIFile::get(context, d.file, d.directory ? d.directory : "");
  DIScope *scope = DILexicalBlockFile::get(context, subprogram, file, 0);
  return DiagnosticLocation(DebugLoc(DILocation::get(context, d.line, d.column, scope)));
}

/// Hands findings to the tool, as LLVM's code generator does with what it does not support: clang
/// then prints the source line. A tool without a handler would end at the first error; it gets
/// all of them, the last one so that it ends.
class Reporter
{
public:
  explicit Reporter(Module &m) : module(m)
  {
  }

  static void hear(void *env, const cairn_diagnostic *d)
  {
    static_cast<Reporter *>(env)->report(*d);
  }

  /// Ends a tool that did not take the errors.
  void finish()
  {
    if (unhandled)
      module.getContext().diagnose(DiagnosticInfoGeneric("the module was refused by cairn", DS_Error));
  }

private:
  Module &module;
  bool unhandled = false;

  void report(const cairn_diagnostic &d)
  {
    if (d.severity != CAIRN_ERROR && d.severity != CAIRN_WARNING)
      return;
    DiagnosticSeverity severity = d.severity == CAIRN_ERROR ? DS_Error : DS_Warning;
    std::string text = std::string(d.message) + (d.rule ? std::string(" [") + d.rule + "]" : "");
    Twine message(text);
    Function *function = d.function ? module.getFunction(d.function) : nullptr;
    if (function)
      give(DiagnosticInfoUnsupported(*function, message, location_of(*function, d), severity));
    else
      give(DiagnosticInfoGeneric(message, severity));
  }

  void give(const DiagnosticInfo &info)
  {
    auto *handler = const_cast<DiagnosticHandler *>(module.getContext().getDiagHandlerPtr());
    bool error = info.getSeverity() == DS_Error;

    if (handler) {
      handler->HasErrors |= error;
      if (handler->handleDiagnostics(info))
        return;
    }
    std::string text;
    raw_string_ostream stream(text);
    DiagnosticPrinterRawOStream printer(stream);
    info.print(printer);
    errs() << (error ? "error: " : "warning: ") << StringRef(text).rtrim() << "\n";
    unhandled |= error;
  }
};

/// The body of a function in a module that was refused in the middle of a compilation: clang goes
/// on to the code generator before it says that it failed, and that is not to see what was refused.
void empty(Function &function)
{
  function.dropAllReferences();
  new UnreachableInst(function.getContext(), BasicBlock::Create(function.getContext(), "", &function));
}

/// A module in which nothing is marked as managed is left alone, to the byte.
bool concerns(const Module &module, const cairn_compile_options &options)
{
  SmallVector<StringRef, 4> strategies = {"statepoint-example", "coreclr"};

  if (module.getNamedGlobal("llvm.global.annotations"))
    return true;
  if (options.strategies)
    StringRef(options.strategies).split(strategies, ',');
  for (const Function &function : module)
    if (function.hasFnAttribute("cairn") || (function.hasGC() && is_contained(strategies, function.getGC())))
      return true;
  return false;
}

/// Is the code for a shared object: did clang get -fPIC without -fPIE?
bool is_for_shared_object(const Module &module)
{
  return module.getPICLevel() != PICLevel::NotPIC && module.getPIELevel() == PIELevel::Default;
}

enum class Place { Alone, Start, End }; // asked for by name, or in a default pipeline

/// Cairn's passes in a row; one that refuses the module is the last.
class CairnPass : public PassInfoMixin<CairnPass>
{
public:
  CairnPass(std::vector<std::string> passes, std::shared_ptr<Settings> how, Place where)
      : names(std::move(passes)), settings(std::move(how)), place(where)
  {
  }

  static bool isRequired()
  {
    return true;
  }

  PreservedAnalyses run(Module &module, ModuleAnalysisManager &)
  {
    const cairn_compile_options &options = settings->options;
    if (place != Place::Alone && !settings->runtime && !options.manage_all && !concerns(module, options))
      return PreservedAnalyses::all();
    if (!run_passes(module) && place != Place::Alone)
      for (Function &function : module)
        if (!function.isDeclaration())
          empty(function);
    if (place == Place::End && settings->runtime)
      complete(module);
    return PreservedAnalyses::none();
  }

private:
  std::vector<std::string> names;
  std::shared_ptr<Settings> settings;
  Place place;

  bool run_passes(Module &module)
  {
    Reporter reporter(module);
    cairn_compile_options options = settings->options;
    bool ok = true;

    options.diagnose = Reporter::hear;
    options.env = &reporter;
    options.shared |= settings->runtime && place != Place::Alone && is_for_shared_object(module);
    for (size_t i = 0; i < names.size() && ok; i++)
      ok = cairn_compile_pass(wrap(&module), nullptr, names[i].c_str(), &options) == CAIRN_OK;
    reporter.finish();
    return ok;
  }

  /// Frame maps are made from call-frame information, which IR may have left out.
  static void complete(Module &module)
  {
    for (Function &function : module)
      if (!function.isDeclaration() && function.hasGC() && !function.hasUWTable())
        function.setUWTableKind(UWTableKind::Async);
  }
};

/// For a runtime of one's own (late-insertion-slides-2014: after the optimiser).
const std::vector<std::string> own_start = {"rules", "prepare"};
const std::vector<std::string> own_end = {"restore-references",  "expand-intrinsics", "place-safepoints",
                                          "rewrite-statepoints", "lower-differences", "verify-safepoints",
                                          "drop-markers"};

/// The passes of Cairn's pipeline before or after LLVM's optimiser, or those for another runtime.
std::vector<std::string> passes_of(const Settings &settings, bool before)
{
  if (!settings.runtime)
    return before ? own_start : own_end;
  std::vector<std::string> found;
  char *text = cairn_compile_describe(&settings.options, CAIRN_PART_WHOLE);
  SmallVector<StringRef, 16> lines;
  bool optimised = false;

  StringRef(text).split(lines, '\n', -1, false);
  for (StringRef line : lines) {
    bool llvm = line.starts_with("default<");
    optimised |= llvm;
    if (!llvm && optimised != before)
      found.push_back(line.str());
  }
  std::free(text);
  return found;
}

bool is_pass(StringRef name)
{
  for (const char *const *known = cairn_compile_pass_names(); *known; known += 2)
    if (name == *known)
      return true;
  return false;
}

/// "cairn", "cairn<...>", "cairn-NAME" or "cairn-NAME<...>" in -passes=.
bool parse_pass(StringRef text, ModulePassManager &manager, ArrayRef<PassBuilder::PipelineElement>)
{
  auto settings = std::make_shared<Settings>();
  StringRef name = text;

  if (!name.consume_front("cairn"))
    return false;
  if (name.ends_with(">")) {
    auto [before, parameters] = name.drop_back().split('<');
    std::string wrong = settings->parse(parameters);
    if (!wrong.empty()) {
      errs() << "cairn: " << text << ": " << wrong << "\n";
      return false;
    }
    name = before;
  }
  if (name.empty())
    manager.addPass(CairnPass(passes_of(*settings, false), settings, Place::Alone));
  else if (name.consume_front("-") && is_pass(name))
    manager.addPass(CairnPass({name.str()}, settings, Place::Alone));
  else
    return false;
  return true;
}

cl::opt<std::string> command_line("cairn",
                                  cl::desc("libcairn-plugin.so in default pipelines: off, runtime, managed-c, or "
                                           "options as in -passes='cairn<...>'"));

/// References stay in registers over safepoints, as Cairn's frame maps can describe; unless the
/// command line says otherwise.
void set_code_generator(StringRef name, StringRef value)
{
  auto &known = cl::getRegisteredOptions();
  auto found = known.find(name);

  if (found != known.end() && found->second->getNumOccurrences() == 0)
    found->second->addOccurrence(0, name, value);
}

std::shared_ptr<Settings> settings_of_command_line(OptimizationLevel level)
{
  auto settings = std::make_shared<Settings>();
  std::string wrong = settings->parse(command_line);

  if (!wrong.empty()) {
    errs() << "error: -cairn=" << command_line << ": " << wrong << "\n";
    std::exit(1);
  }
  settings->options.opt_level = level.getSpeedupLevel();
  settings->options.size_level = level.getSizeLevel();
  return settings;
}

/// Reads a private member, which an explicit instantiation may name.
template <auto Member> struct Reach {
  friend TargetMachine *machine_of(const PassBuilder &builder)
  {
    return builder.*Member;
  }
};
TargetMachine *machine_of(const PassBuilder &builder);
template struct Reach<&PassBuilder::TM>;

/// Is the code generator to put a function's blocks into several sections?
bool splits_functions(const TargetMachine *machine)
{
  auto &known = cl::getRegisteredOptions();
  auto found = known.find("enable-split-machine-functions");

  return (found != known.end() && found->second->getNumOccurrences()) ||
         (machine &&
          (machine->Options.EnableMachineFunctionSplitter || machine->Options.BBSections != BasicBlockSection::None));
}

/// The offsets of stack maps are distances within one section.
class RefuseSplit : public PassInfoMixin<RefuseSplit>
{
public:
  explicit RefuseSplit(std::shared_ptr<Settings> how) : settings(std::move(how))
  {
  }

  static bool isRequired()
  {
    return true;
  }

  PreservedAnalyses run(Module &module, ModuleAnalysisManager &)
  {
    const cairn_compile_options &options = settings->options;
    if (!settings->runtime && !options.manage_all && !concerns(module, options))
      return PreservedAnalyses::all();
    module.getContext().diagnose(
        DiagnosticInfoGeneric("managed functions are not split: compile them without -fbasic-block-sections and "
                              "-fsplit-machine-functions",
                              DS_Error));
    for (Function &function : module)
      if (!function.isDeclaration())
        empty(function);
    return PreservedAnalyses::none();
  }

private:
  std::shared_ptr<Settings> settings;
};

void at_start(ModulePassManager &manager, OptimizationLevel level, const TargetMachine *machine)
{
  auto settings = settings_of_command_line(level);

  if (settings->off)
    return;
  if (splits_functions(machine))
    manager.addPass(RefuseSplit(settings));
  if (settings->runtime) {
    set_code_generator("max-registers-for-gc-values", "256");
    set_code_generator("fixup-allow-gcptr-in-csr", "true");
    set_code_generator("enable-patchpoint-liveness", "false");
  }
  manager.addPass(CairnPass(passes_of(*settings, true), settings, Place::Start));
}

/// A linker that optimises would have to do it, and nobody can tell that it has this plugin.
class RefuseLinkTime : public PassInfoMixin<RefuseLinkTime>
{
public:
  explicit RefuseLinkTime(std::shared_ptr<Settings> how) : settings(std::move(how))
  {
  }

  static bool isRequired()
  {
    return true;
  }

  PreservedAnalyses run(Module &module, ModuleAnalysisManager &)
  {
    if (concerns(module, settings->options))
      module.getContext().diagnose(DiagnosticInfoGeneric(
          "managed code cannot be left to a link-time optimiser: compile it without -flto", DS_Error));
    return PreservedAnalyses::all();
  }

private:
  std::shared_ptr<Settings> settings;
};

void at_end(ModulePassManager &manager, OptimizationLevel level, ThinOrFullLTOPhase phase)
{
  auto settings = settings_of_command_line(level);

  if (settings->off)
    return;
  if (phase == ThinOrFullLTOPhase::None)
    manager.addPass(CairnPass(passes_of(*settings, false), settings, Place::End));
  else
    manager.addPass(RefuseLinkTime(settings));
}

void register_callbacks(PassBuilder &builder)
{
  builder.registerPipelineParsingCallback(parse_pass);
  builder.registerPipelineStartEPCallback(
      [machine = machine_of(builder)](ModulePassManager &manager, OptimizationLevel level) {
        at_start(manager, level, machine);
      });
  builder.registerOptimizerLastEPCallback(at_end);
}

} // namespace

extern "C" __attribute__((visibility("default"))) PassPluginLibraryInfo llvmGetPassPluginInfo()
{
  return {LLVM_PLUGIN_API_VERSION, "cairn", CAIRN_VERSION, register_callbacks, nullptr};
}
