// A caller in C++: the options of several versions, and what each call gives.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cairn/compile.h>
#include <llvm-c/IRReader.h>

static LLVMModuleRef module_of(LLVMContextRef context)
{
  static const char text[] =
      "declare void @g()\n"
      "define ptr addrspace(1) @f(ptr addrspace(1) %p) gc \"statepoint-example\" !dbg !3 {\n"
      "  call void @g(), !dbg !5\n  ret ptr addrspace(1) %p, !dbg !5\n}\n"
      "!llvm.dbg.cu = !{!0}\n!llvm.module.flags = !{!2, !6}\n"
      "!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, emissionKind: FullDebug)\n"
      "!1 = !DIFile(filename: \"x\", directory: \"/\")\n"
      "!2 = !{i32 2, !\"Debug Info Version\", i32 3}\n"
      "!3 = distinct !DISubprogram(name: \"f\", file: !1, line: 1, type: !4, unit: !0, spFlags: DISPFlagDefinition)\n"
      "!4 = !DISubroutineType(types: !{})\n"
      "!6 = !{i32 2, !\"Dwarf Version\", i32 5}\n"
      "!5 = !DILocation(line: 1, column: 1, scope: !3)\n";
  LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(text, sizeof text - 1, "text");
  LLVMModuleRef module = nullptr;
  char *error = nullptr;

  if (LLVMParseIRInContext2(context, buffer, &module, &error))
    std::abort();
  LLVMDisposeMemoryBuffer(buffer);
  return module;
}

static bool contains(LLVMMemoryBufferRef object, const char *word)
{
  return memmem(LLVMGetBufferStart(object), LLVMGetBufferSize(object), word, std::strlen(word)) != nullptr;
}

static void show(const char *what, cairn_status status, LLVMMemoryBufferRef object, char *error)
{
  if ((status == CAIRN_OK) != (object != nullptr) || (status == CAIRN_OK) != (error == nullptr))
    std::abort();
  std::printf("%s: %s\n", what, error ? error : contains(object, "cairn_frames") ? "an object" : "no maps");
  if (object)
    LLVMDisposeMemoryBuffer(object);
  std::free(error);
}

int main()
{
  struct {
    cairn_object_options known;
    size_t later;
  } longer = {};
  LLVMContextRef context = LLVMContextCreate();
  LLVMModuleRef module = module_of(context);
  char *before = LLVMPrintModuleToString(module);
  LLVMMemoryBufferRef object;
  char *error;

  auto compile = [&](const char *what, const cairn_object_options *options) {
    cairn_status status = cairn_compile_to_object(module, options, &object, &error);
    show(what, status, object, error);
  };
  auto in_memory = [&](const char *what, const char *leave) {
    cairn_status status = cairn_compile_to_memory(module, nullptr, "enter", leave, -8, &object, &error);
    show(what, status, object, error);
  };
  cairn_object_options options = {};
  compile("without options", nullptr);
  options.size = sizeof options.size;
  compile("first member only", &options);
  options.size = 0;
  compile("no size", &options);
  longer.known.size = sizeof longer;
  compile("longer, zero", &longer.known);
  longer.later = 1;
  compile("longer, not zero", &longer.known);
  cairn_compile_options levels = {};
  levels.opt_level = 4;
  options.size = sizeof options;
  options.compile = &levels;
  compile("level 4", &options);
  in_memory("in memory", "leave");
  in_memory("one name", "enter");
  levels.opt_level = 2;
  options.debug_names = true;
  if (cairn_compile_to_object(module, &options, &object, &error) != CAIRN_OK)
    std::abort();
  std::printf("debug names: %s\n", contains(object, ".debug_names") ? "kept" : "lost");
  LLVMDisposeMemoryBuffer(object);
  char *after = LLVMPrintModuleToString(module);
  int status = std::strcmp(before, after) != 0;
  LLVMDisposeMessage(before);
  LLVMDisposeMessage(after);
  LLVMDisposeModule(module);
  LLVMContextDispose(context);
  return status;
}
