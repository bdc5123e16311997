// SPDX-License-Identifier: Apache-2.0
//
// Links objects by JITLink, whose interface is C++: memory from slabs, names from the session's list, and the parts of
// linked objects to callbacks. JITLink works in steps, and stops after each object's memory has an address: the names
// of all objects of a link then have addresses, and each object goes on. The session's lock covers all calls.
#include "jit/linking_layer.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>
#include <llvm/ADT/DenseMap.h>
#include <llvm/ExecutionEngine/JITLink/JITLink.h>
#include <llvm/Support/Error.h>
#include <llvm/Support/Memory.h>
#include "jit/edges.h"
#include "jit/unwinding.h"

using namespace llvm;
using namespace llvm::jitlink;

namespace
{

enum { LINKS_PER_CLEARING = 256 }; // of the pool of names; a clearing visits the whole pool

/// Gives each object parts of slabs.
class SlabMemory final : public JITLinkMemoryManager
{
public:
  cn_slabs slabs = {};

  void allocate(const JITLinkDylib *, LinkGraph &graph, OnAllocatedFunction done) override
  {
    auto linked = std::make_unique<cn_linked>();
    BasicLayout layout(graph);
    Error failed = place(layout, *linked);

    if (!failed)
      failed = layout.apply();
    if (failed) {
      give(*linked);
      return done(std::move(failed));
    }
    done(std::make_unique<Allocation>(*this, std::move(linked)));
  }

  /// The owner of a linked object gives its memory back by give().
  void deallocate(std::vector<FinalizedAlloc> allocations, OnDeallocatedFunction done) override
  {
    if (allocations.empty())
      return done(Error::success());
    done(make_error<JITLinkError>("memory of a linked object is freed by its owner"));
  }

  void give(cn_linked &linked)
  {
    cn_slabs_give(&slabs, &linked.code);
    cn_slabs_give(&slabs, &linked.data);
  }

private:
  class Allocation final : public InFlightAlloc
  {
  public:
    Allocation(SlabMemory &from, std::unique_ptr<cn_linked> parts) : memory(from), linked(std::move(parts))
    {
    }

    void abandon(OnAbandonedFunction done) override
    {
      memory.give(*linked);
      done(Error::success());
    }

    void finalize(OnFinalizedFunction done) override
    {
      const cn_slab_part &code = linked->code;
      if (code.slab)
        sys::Memory::InvalidateInstructionCache(reinterpret_cast<void *>(code.address),
                                                code.start + code.bytes - code.address);
      done(FinalizedAlloc(orc::ExecutorAddr::fromPtr(linked.release())));
    }

  private:
    SlabMemory &memory;
    std::unique_ptr<cn_linked> linked;
  };

  using Segment = BasicLayout::Segment;

  static bool is_data(orc::AllocGroup group)
  {
    return (group.getMemProt() & orc::MemProt::Write) != orc::MemProt::None;
  }

  /// Takes the part for the segments of a kind, which lie one after the other.
  Error place_kind(BasicLayout &layout, cn_slab_kind kind, cn_slab_part &part)
  {
    std::vector<std::pair<Segment *, uint64_t>> places;
    uint64_t bytes = 0, alignment = 1;
    char *message;

    for (auto &[group, segment] : layout.segments()) {
      if (is_data(group) != (kind == CN_SLAB_DATA))
        continue;
      bytes = alignTo(bytes, segment.Alignment);
      places.emplace_back(&segment, bytes);
      bytes += segment.ContentSize + segment.ZeroFillSize;
      alignment = std::max<uint64_t>(alignment, segment.Alignment.value());
    }
    if (!bytes)
      return Error::success();
    if (alignment > CN_SLAB_MAX_ALIGNMENT)
      return make_error<JITLinkError>("a section has an alignment above a page");
    if (!cn_slabs_take(&slabs, kind, bytes, alignment, &part, &message)) {
      std::string text(message);
      std::free(message);
      return make_error<JITLinkError>(text);
    }
    for (auto &[segment, offset] : places) {
      segment->Addr = orc::ExecutorAddr(part.address + offset);
      segment->WorkingMem = part.writable + offset;
    }
    return Error::success();
  }

  Error place(BasicLayout &layout, cn_linked &linked)
  {
    if (Error failed = place_kind(layout, CN_SLAB_CODE, linked.code))
      return failed;
    return place_kind(layout, CN_SLAB_DATA, linked.data);
  }
};

} // namespace

struct cn_linking_layer {
  std::shared_ptr<orc::SymbolStringPool> names = std::make_shared<orc::SymbolStringPool>();
  SlabMemory memory;
  unsigned links = 0;
};

namespace
{

/// A link on its way: the first error, and the objects that wait for addresses.
struct Progress {
  cn_linking_layer &layer;
  cn_link &link;
  DenseMap<StringRef, cn_link_symbol *> symbols;
  struct Waiting {
    JITLinkContext::LookupMap names;
    std::unique_ptr<JITLinkAsyncLookupContinuation> go_on;
  };
  std::vector<Waiting> waiting;
  std::string error;
  bool failed = false;

  Progress(cn_linking_layer &from, cn_link &begun) : layer(from), link(begun)
  {
    symbols.reserve(static_cast<unsigned>(link.symbol_count));
    for (size_t i = 0; i < link.symbol_count; i++) {
      cn_link_symbol *symbol = &link.symbols[i];
      auto [known, is_new] = symbols.try_emplace(symbol->name, symbol);
      if (!is_new && symbol->owner)
        known->second = symbol;
    }
  }

  void fail(Error reason)
  {
    std::string text = toString(std::move(reason));

    if (!failed)
      error = std::move(text);
    failed = true;
  }

  cn_link_symbol *find(StringRef name)
  {
    return symbols.lookup(name);
  }

  void resume(Waiting &object)
  {
    AsyncLookupResult addresses;

    for (auto &[name, flags] : object.names) {
      const cn_link_symbol *symbol = find(*name);
      if (symbol && symbol->address)
        addresses[name] = {orc::ExecutorAddr(symbol->address), JITSymbolFlags::Exported};
      else if (flags == SymbolLookupFlags::RequiredSymbol)
        fail(make_error<JITLinkError>("no address of symbol '" + *name + "'"));
    }
    if (failed)
      object.go_on->run(make_error<JITLinkError>("the link has failed"));
    else
      object.go_on->run(std::move(addresses));
  }
};

/// Reports the parts of a linked object.
class Reporter
{
public:
  Reporter(LinkGraph &g, const cn_link_object &o, const cn_link_listener &l) : graph(g), object(o), listener(l)
  {
  }

  void report()
  {
    if (listener.edge)
      for (Block *block : graph.blocks())
        for (Edge &edge : block->edges())
          if (edge.isRelocation() && !edge.getTarget().isDefined() && edge.getTarget().hasName())
            report_edge(*block, edge);
    if (listener.function)
      for (Symbol *symbol : graph.defined_symbols())
        if (symbol->hasName() && symbol->isCallable())
          report_function(*symbol);
    if (listener.section)
      for (Section &section : graph.sections())
        report_section(section);
  }

private:
  LinkGraph &graph;
  const cn_link_object &object;
  const cn_link_listener &listener;

  void report_edge(Block &block, const Edge &edge)
  {
    SmallString<128> name(*edge.getTarget().getName());
    cn_link_edge told = {};

    told.kind = cn_kind_of_edge(edge.getKind());
    told.place = (block.getAddress() + edge.getOffset()).getValue();
    told.writable = block.getAlreadyMutableContent().data() + edge.getOffset();
    told.name = name.c_str();
    told.target = edge.getTarget().getAddress().getValue();
    told.addend = edge.getAddend();
    listener.edge(object.owner, &told);
  }

  void report_function(const Symbol &symbol)
  {
    SmallString<128> name(*symbol.getName());
    cn_link_function told = {name.c_str(), symbol.getAddress().getValue(), symbol.getSize()};

    listener.function(object.owner, &told);
  }

  void report_section(Section &section)
  {
    SmallString<128> name(section.getName());
    SectionRange range(section);

    if (section.getMemLifetime() == orc::MemLifetime::NoAlloc || range.getSize() == 0)
      return;
    cn_link_section told = {name.c_str(), range.getStart().getValue(), range.getEnd().getValue()};
    listener.section(object.owner, &told);
  }
};

/// The link of one object.
class ObjectLink final : public JITLinkContext
{
public:
  ObjectLink(Progress &p, cn_link_object &o) : JITLinkContext(nullptr), progress(p), object(o)
  {
  }

  JITLinkMemoryManager &getMemoryManager() override
  {
    return progress.layer.memory;
  }

  void notifyFailed(Error reason) override
  {
    progress.fail(std::move(reason));
  }

  void lookup(const LookupMap &names, std::unique_ptr<JITLinkAsyncLookupContinuation> go_on) override
  {
    progress.waiting.push_back({names, std::move(go_on)});
  }

  Error notifyResolved(LinkGraph &graph) override
  {
    for (Symbol *symbol : graph.defined_symbols())
      note_address(*symbol);
    for (Symbol *symbol : graph.absolute_symbols())
      note_address(*symbol);
    return Error::success();
  }

  void notifyFinalized(JITLinkMemoryManager::FinalizedAlloc allocation) override
  {
    object.linked = allocation.release().toPtr<cn_linked *>();
    object.linked->frames = frames.getStart().getValue();
    object.linked->frame_bytes = frames.getSize();
  }

  /// JITLink's own passes take .eh_frame apart, so that frames of dropped functions go, too. That is a quarter of a
  /// link's work; here the section stays one block.
  bool shouldAddDefaultTargetPasses(const Triple &) const override
  {
    return false;
  }

  Error modifyPassConfig(LinkGraph &, PassConfiguration &passes) override
  {
    passes.PrePrunePasses.push_back([this](LinkGraph &graph) { return drop(graph); });
    passes.PrePrunePasses.push_back(end_frames);
    passes.PrePrunePasses.push_back(mark_live);
    passes.PostPrunePasses.push_back(cn_build_tables);
    passes.PreFixupPasses.push_back(cn_relax_table_accesses);
    passes.PostFixupPasses.push_back([this](LinkGraph &graph) { return report(graph); });
    return Error::success();
  }

private:
  Progress &progress;
  cn_link_object &object;
  SectionRange frames;

  /// Null for a name that is the object's own.
  cn_link_symbol *find(const Symbol &symbol)
  {
    return symbol.hasName() && symbol.getScope() == Scope::Default ? progress.find(*symbol.getName()) : nullptr;
  }

  void note_address(const Symbol &symbol)
  {
    cn_link_symbol *listed = find(symbol);

    if (listed && listed->owner == object.owner)
      listed->address = symbol.getAddress().getValue();
  }

  /// Makes references of weak definitions that do not count.
  Error drop(LinkGraph &graph)
  {
    std::vector<Symbol *> dropped;

    for (Symbol *symbol : graph.defined_symbols()) {
      const cn_link_symbol *listed = symbol->getLinkage() == Linkage::Weak ? find(*symbol) : nullptr;
      if (listed && listed->owner != object.owner)
        dropped.push_back(symbol);
    }
    for (Symbol *symbol : dropped)
      graph.makeExternal(*symbol);
    return Error::success();
  }

  /// Keeps .eh_frame, with the code that it refers to, and ends it by a zero word.
  static Error end_frames(LinkGraph &graph)
  {
    static const char zero[4] = {};
    Section *section = graph.findSectionByName(".eh_frame");

    if (!section || section->empty())
      return Error::success();
    graph.createContentBlock(*section, zero, orc::ExecutorAddr(~uint64_t(sizeof zero)), 1, 0);
    for (Block *block : section->blocks())
      graph.addAnonymousSymbol(*block, 0, block->getSize(), false, true);
    return Error::success();
  }

  /// Keeps exports, and all that they refer to.
  static Error mark_live(LinkGraph &graph)
  {
    for (Symbol *symbol : graph.defined_symbols())
      if (symbol->hasName() && symbol->getScope() != Scope::Local)
        symbol->setLive(true);
    return Error::success();
  }

  Error report(LinkGraph &graph)
  {
    if (!graph.allocActions().empty())
      return make_error<JITLinkError>("the object needs a platform of ORC");
    if (Section *section = graph.findSectionByName(".eh_frame"))
      frames = SectionRange(*section);
    Reporter(graph, object, progress.link.listener).report();
    return Error::success();
  }
};

void begin(Progress &progress, cn_link_object &object)
{
  MemoryBufferRef bytes(StringRef(static_cast<const char *>(object.bytes), object.size), object.title);
  auto graph = createLinkGraphFromObject(bytes, progress.layer.names);

  if (graph)
    jitlink::link(std::move(*graph), std::make_unique<ObjectLink>(progress, object));
  else
    progress.fail(graph.takeError());
}

} // namespace

cn_linking_layer *cn_linking_layer_new(uintptr_t near)
{
  auto *layer = new cn_linking_layer();

  layer->memory.slabs.near = near;
  return layer;
}

void cn_linking_layer_free(cn_linking_layer *layer)
{
  if (!layer)
    return;
  cn_slabs_free(&layer->memory.slabs);
  delete layer;
}

bool cn_linking_layer_link(cn_linking_layer *layer, cn_link *link, char **error)
{
  Progress progress(*layer, *link);

  for (size_t i = 0; i < link->count; i++)
    link->objects[i].linked = nullptr;
  for (size_t i = 0; i < link->count && !progress.failed; i++)
    begin(progress, link->objects[i]);
  for (Progress::Waiting &object : progress.waiting)
    progress.resume(object);
  if (++layer->links % LINKS_PER_CLEARING == 0)
    layer->names->clearDeadEntries();
  for (size_t i = 0; i < link->count; i++) {
    cn_linked *linked = link->objects[i].linked;
    if (linked && linked->frames)
      cn_unwinding_add(linked);
    if (linked && progress.failed)
      cn_linking_layer_unlink(layer, std::exchange(link->objects[i].linked, nullptr));
  }
  *error = progress.failed ? strdup(("JITLink: " + progress.error).c_str()) : nullptr;
  return !progress.failed;
}

void cn_linking_layer_unlink(cn_linking_layer *layer, cn_linked *linked)
{
  if (linked->frames)
    cn_unwinding_remove(linked);
  layer->memory.give(*linked);
  delete linked;
}

const cn_slabs *cn_linking_layer_slabs(const cn_linking_layer *layer)
{
  return &layer->memory.slabs;
}
