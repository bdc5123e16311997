# The runtimes of other machines than the tools' own, each built in BUILD/TRIPLE by a build of its own with the toolchain
# file of that name. BUILD/lib/TRIPLE, where cairn-cc looks, is its folder lib.
#
# CAIRN_TARGETS: the machines. By default, those for which this system has a C library.
include(ExternalProject)
set(targets ${CAIRN_TARGETS})
if(NOT DEFINED CAIRN_TARGETS)
  set(targets ${CAIRN_PORT})
  foreach(port ${CAIRN_PORTS})
    if(NOT CAIRN_SANITIZE AND EXISTS /usr/${port}-linux-gnu/include/stdio.h
        AND EXISTS ${CMAKE_CURRENT_LIST_DIR}/${port}-linux-gnu.cmake)
      list(APPEND targets ${port})
    endif()
  endforeach()
endif()
list(REMOVE_DUPLICATES targets)
list(REMOVE_ITEM targets ${CAIRN_PORT})

foreach(target ${targets})
  set(triple ${target}-linux-gnu)
  set(toolchain ${CMAKE_CURRENT_LIST_DIR}/${triple}.cmake)
  if(NOT target IN_LIST CAIRN_PORTS OR NOT EXISTS ${toolchain})
    message(FATAL_ERROR "CAIRN_TARGETS: no port and toolchain file for ${target}")
  endif()
  set(folder ${CMAKE_BINARY_DIR}/${triple})
  ExternalProject_Add(cairn_runtime_${target} SOURCE_DIR ${CMAKE_SOURCE_DIR} BINARY_DIR ${folder} PREFIX ${folder}/steps
    CMAKE_ARGS -DCMAKE_TOOLCHAIN_FILE=${toolchain} -DCMAKE_BUILD_TYPE=${CMAKE_BUILD_TYPE} -DCAIRN_TOOLS=OFF
      -DBUILD_TESTING=OFF -DCMAKE_INSTALL_BINDIR=${CMAKE_INSTALL_BINDIR}
    BUILD_ALWAYS ON INSTALL_COMMAND "" USES_TERMINAL_BUILD ON)
  file(CREATE_LINK ../${triple}/lib ${CMAKE_ARCHIVE_OUTPUT_DIRECTORY}/${triple} SYMBOLIC)
  install(SCRIPT ${folder}/cmake_install.cmake)
endforeach()
