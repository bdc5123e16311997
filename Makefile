# A thin front for CMake and Ninja (CMakeLists.txt is the build description).
#   make demo    install what is missing, build, run gcbench and the table of early and late safepoints
#   make check   install what is missing, build, run every test
#   make check-aarch64   tests of the AArch64 port in an emulator, after a cross build
#   make quick   build, unit tests, and the lit tests of what changed since origin/main
#   make format  write the C sources as clang-format does (.clang-format); make check refuses others
#   make bench   measure against plain C and LLVM's own passes
#   make fuzz    a million inputs through each reader of stack maps, frame maps and objects
#   make man     man pages of the public headers and of docs/, in build/man
#   make deb     Debian packages, in build/deb
#   make projects   Lua, zlib, SQLite, cmocka and others from Debian's sources, built and tested with CC=cairn-cc
#   make soak    random programs under stress, and heaps beside their model
.PHONY: all setup build demo check check-aarch64 quick format bench fuzz soak man deb projects clean
all: build

setup:
	@scripts/setup

build: setup
	@cmake --preset default >build.log 2>&1 || { cat build.log; exit 1; }
	@cmake --build --preset default

demo: build
	@scripts/demo build

check:
	@scripts/setup --check
	@$(MAKE) --no-print-directory build
	@scripts/check

check-aarch64:
	@scripts/setup --check
	@$(MAKE) --no-print-directory build
	@scripts/check-aarch64 build

quick: build
	@scripts/quick build

format: setup
	@scripts/check-format --write

# A goal that one misses is said in its output, and does not stop the others.
bench: build
	@status=0; for b in safepoints ttsp young transitions barriers bytes gc stops torture stackwalk rewrite growth compile-time mapsize differential loops; do \
	  bench/$$b build || status=1; done; exit $$status

fuzz: build
	@scripts/fuzz build

soak: build
	@scripts/soak-tests build
	@scripts/check-model --all
	@scripts/soak build 1 500
	@test/random/run_modules build 1 2000
	@test/random/run_stores build 1 100 40
	@bench/threads build
	@test/random/run_copies build 1 100
	@test/random/run_containers build 1 200
	@test/random/run_shadow build 10
	@test/tools/each_step build
	@bench/large build

man: build
	@cmake --build --preset default --target man

deb:
	@scripts/setup --deb
	@scripts/deb build/deb

projects: build
	@scripts/projects build

clean:
	rm -rf build build-sanitize build-aarch64 build.log
