// SPDX-License-Identifier: Apache-2.0
//
// Runs clang's C front end by clang's libraries, whose interface is C++. Clang's driver translates the command, as it
// does in a process of clang. A command is left to a process if the driver has a message, or if the command needs more
// than the front end: then messages, statuses and files are those of clang in all cases. Runs once per unit, before the
// passes. Owns standard output while the front end runs.
#include "driver/clang/clang_library.h"

#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <memory>
#include <unistd.h>
#include <utility>
#include <clang/Basic/Diagnostic.h>
#include <clang/Basic/DiagnosticOptions.h>
#include <clang/Basic/DiagnosticSema.h>
#include <clang/Basic/Stack.h>
#include <clang/CodeGen/CodeGenAction.h>
#include <clang/Driver/Compilation.h>
#include <clang/Driver/Driver.h>
#include <clang/Driver/Tool.h>
#include <clang/Driver/ToolChain.h>
#include <clang/Frontend/ChainedDiagnosticConsumer.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/TextDiagnosticBuffer.h>
#include <clang/Lex/PreprocessorOptions.h>
#include <llvm/ADT/ArrayRef.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Plugins/PassPlugin.h>
#include <llvm/Support/BuryPointer.h>
#include <llvm/Support/VirtualFileSystem.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/TargetParser/Host.h>

using namespace clang;
using llvm::ArrayRef;
using llvm::StringRef;

namespace
{

using FileSystem = llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>;

/// True if the environment changes the commands of clang's driver, or asks it to print or time them.
bool environment_changes_commands()
{
  for (const char *name :
       {"CCC_OVERRIDE_OPTIONS", "CC_PRINT_OPTIONS", "CC_PRINT_HEADERS", "CC_LOG_DIAGNOSTICS", "CC_PRINT_PROC_STAT",
        "CC_PRINT_INTERNAL_STAT", "CLANG_MODULE_CACHE_PATH", "FORCE_CLANG_DIAGNOSTICS_CRASH"})
    if (getenv(name))
      return true;
  return false;
}

/// True for a command that only writes bitcode of one source.
bool needs_front_end_alone(const CompilerInvocation &invocation)
{
  const FrontendOptions &front = invocation.getFrontendOpts();
  const CodeGenOptions &code = invocation.getCodeGenOpts();

  return front.ProgramAction == frontend::EmitBC && front.Inputs.size() == 1 && front.Plugins.empty() &&
         front.AddPluginActions.empty() && front.LLVMArgs.empty() && front.ModuleFiles.empty() &&
         front.ASTMergeFiles.empty() && front.TimeTracePath.empty() && front.StatsFile.empty() && !front.ShowStats &&
         invocation.getPreprocessorOpts().ImplicitPCHInclude.empty() && !code.TimePasses && !code.PrepareForLTO &&
         code.OptRecordFile.empty() && code.LinkBitcodeFiles.empty() && code.DisableLLVMPasses;
}

/// Clang's translation of the command, or null if the command is left to a process.
std::shared_ptr<CompilerInvocation> translate(ArrayRef<const char *> words, const FileSystem &files)
{
  std::unique_ptr<DiagnosticOptions> options = CreateAndPopulateDiagOpts(words);
  TextDiagnosticBuffer messages;
  DiagnosticsEngine engine(DiagnosticIDs::create(), *options, &messages, false);
  ProcessWarningOptions(engine, *options, *files, false);
  driver::Driver driver(words[0], llvm::sys::getDefaultTargetTriple(), engine, "clang LLVM compiler", files);
  auto invocation = std::make_shared<CompilerInvocation>();

  driver.setTargetAndMode(driver::ToolChain::getTargetAndModeFromProgramName(words[0]));
  std::unique_ptr<driver::Compilation> compilation(driver.BuildCompilation(words));
  if (!compilation || compilation->containsError() || compilation->getJobs().size() != 1)
    return nullptr;
  const driver::Command &job = *compilation->getJobs().begin();
  const llvm::opt::ArgStringList &arguments = job.getArguments();
  if (StringRef(job.getCreator().getName()) != "clang" || arguments.empty() || StringRef(arguments[0]) != "-cc1")
    return nullptr;
  bool ok = CompilerInvocation::CreateFromArgs(*invocation, arguments, engine, words[0]);
  bool silent = messages.getNumErrors() == 0 && messages.getNumWarnings() == 0;
  return ok && silent && needs_front_end_alone(*invocation) ? invocation : nullptr;
}

/// Directs standard output to a file.
class Redirection
{
public:
  explicit Redirection(const char *path)
  {
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    fflush(stdout);
    before = file < 0 ? -1 : fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    if (before >= 0)
      dup2(file, STDOUT_FILENO);
    if (file >= 0)
      close(file);
  }

  ~Redirection()
  {
    if (before < 0)
      return;
    llvm::outs().flush();
    dup2(before, STDOUT_FILENO);
    close(before);
  }

  bool works() const
  {
    return before >= 0;
  }

private:
  int before;
};

/// Finds errors about pointers of two address spaces.
class SpaceErrors : public DiagnosticConsumer
{
public:
  explicit SpaceErrors(bool &result) : found(result)
  {
  }

  void HandleDiagnostic(DiagnosticsEngine::Level level, const Diagnostic &diagnostic) override
  {
    DiagnosticConsumer::HandleDiagnostic(level, diagnostic);
    found |= diagnostic.getID() == diag::err_typecheck_incompatible_address_space ||
             diagnostic.getID() == diag::err_typecheck_incompatible_nested_address_space;
  }

private:
  bool &found;
};

/// Undoes what clang leaves in the context: new functions have no processor. Names of values are kept, as in clang's
/// functions: -fno-discard-value-names gives these a table, which keeps later names unique.
void restore(llvm::LLVMContext &context)
{
  context.setDiscardValueNames(false);
  context.setDefaultTargetCPU("");
  context.setDefaultTargetFeatures("");
}

} // namespace

/// Clang asks Polly for its passes. No pass runs here, and Polly is not linked.
llvm::PassPluginLibraryInfo getPollyPluginInfo()
{
  return {LLVM_PLUGIN_API_VERSION, "Polly", "", [](llvm::PassBuilder &) {}};
}

cn_clang_outcome cn_clang_compile(const char *const *words, size_t count, const char *output, LLVMContextRef context,
                                  LLVMModuleRef *module)
{
  FileSystem files = llvm::vfs::getRealFileSystem();
  auto invocation = environment_changes_commands() ? nullptr : translate(ArrayRef<const char *>(words, count), files);
  Redirection redirection(output);

  if (!invocation || !redirection.works())
    return CN_CLANG_LEFT;
  noteBottomOfStack();
  invocation->getCodeGenOpts().VerifyModule = false; // the pipeline runs LLVM's verifier first
  auto instance = std::make_unique<CompilerInstance>(std::move(invocation));
  instance->createVirtualFileSystem(files);
  instance->createDiagnostics();
  DiagnosticsEngine &engine = instance->getDiagnostics();
  bool mixed = false;
  engine.setClient(new ChainedDiagnosticConsumer(engine.takeClient(), std::make_unique<SpaceErrors>(mixed)));
  EmitLLVMOnlyAction action(llvm::unwrap(context));
  bool ok = instance->ExecuteAction(action);
  *module = ok ? llvm::wrap(action.takeModule().release()) : nullptr;
  restore(*llvm::unwrap(context));
  llvm::BuryPointer(std::move(instance)); // as a process of clang, which ends without freeing
  return *module ? CN_CLANG_DONE : mixed ? CN_CLANG_MIXED : CN_CLANG_FAILED;
}
