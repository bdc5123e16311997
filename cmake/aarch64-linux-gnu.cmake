# A cross build for AArch64 Linux with Debian's cross compiler and C library (scripts/setup --check):
#   cmake -B BUILD -DCMAKE_TOOLCHAIN_FILE=cmake/aarch64-linux-gnu.cmake -DCAIRN_TOOLS=OFF
# CAIRN_SYSROOT: a folder with further libraries for AArch64, which the tests need (scripts/fetch-source --built).
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_ASM_COMPILER aarch64-linux-gnu-gcc)

set(CMAKE_FIND_ROOT_PATH /usr/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_CROSSCOMPILING_EMULATOR prlimit --as=8589934592 qemu-aarch64 -L /usr/aarch64-linux-gnu)
if(CAIRN_SYSROOT)
  set(libraries "${CAIRN_SYSROOT}/usr/lib/aarch64-linux-gnu:${CAIRN_SYSROOT}/lib/aarch64-linux-gnu")
  list(APPEND CMAKE_CROSSCOMPILING_EMULATOR -E "LD_LIBRARY_PATH=${libraries}")
endif()

list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES CAIRN_SYSROOT)
if(CAIRN_SYSROOT)
  list(APPEND CMAKE_FIND_ROOT_PATH "${CAIRN_SYSROOT}")
endif()
set(ENV{PKG_CONFIG_LIBDIR} "${CAIRN_SYSROOT}/usr/lib/aarch64-linux-gnu/pkgconfig")
set(ENV{PKG_CONFIG_SYSROOT_DIR} "${CAIRN_SYSROOT}")
