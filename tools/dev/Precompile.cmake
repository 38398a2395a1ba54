# Precompiled headers: the standard library, JSON and Clang are read once, not by each of 700 files.
#
# Clang only. Of a precompiled header it loads what a file asks for, and templates that the header
# itself needs are instantiated once; GCC loads all of it and instantiates in each file, which saves
# a fifth. A file still includes what it uses: `./dev tidy` and builds by GCC read it without this.
option(GPUSCHED_PRECOMPILE "Precompile headers of others, where the compiler is Clang" ON)
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  set(GPUSCHED_PRECOMPILE OFF)
endif()
if(GPUSCHED_PRECOMPILE) # with a time in it, ccache would take each for another
  target_compile_options(gpusched_options INTERFACE "SHELL:-Xclang -fno-pch-timestamp")
endif()
set(GPUSCHED_STANDARD_HEADERS <algorithm> <array> <atomic> <bit> <chrono> <cmath> <cstdint> <cstdio>
  <cstdlib> <cstring> <deque> <filesystem> <fstream> <functional> <limits> <map> <memory> <mutex>
  <numeric> <optional> <random> <set> <sstream> <string> <string_view> <thread> <tuple>
  <unordered_map> <utility> <variant> <vector>)

# gpusched_precompile(NAME [TARGETS t...] [HEADERS h...] [OPTIONS o...] [FOLDERS f...])
#   Targets t, which are compiled with options o, get the standard headers and h, found in the
#   system folders f.
function(gpusched_precompile name)
  if(NOT GPUSCHED_PRECOMPILE)
    return()
  endif()
  cmake_parse_arguments(own "" "" "TARGETS;HEADERS;OPTIONS;FOLDERS" ${ARGN})
  set(owner gpusched_precompiled_${name})
  file(WRITE ${PROJECT_BINARY_DIR}/precompiled/${name}.cpp "")
  add_library(${owner} OBJECT EXCLUDE_FROM_ALL ${PROJECT_BINARY_DIR}/precompiled/${name}.cpp)
  target_compile_options(${owner} PRIVATE ${own_OPTIONS})
  target_include_directories(${owner} SYSTEM PRIVATE ${own_FOLDERS})
  target_link_libraries(${owner} PRIVATE gpusched_options)
  target_precompile_headers(${owner} PRIVATE ${own_HEADERS} ${GPUSCHED_STANDARD_HEADERS})
  foreach(target IN LISTS own_TARGETS)
    target_precompile_headers(${target} REUSE_FROM ${owner})
  endforeach()
endfunction()

# gpusched_precompile_rest(FOLDER NAME)
#   Targets in and below FOLDER that have no precompiled headers get those of NAME, unless they
#   refuse (DISABLE_PRECOMPILE_HEADERS) since they have compile options of their own.
function(gpusched_precompile_rest folder name)
  if(NOT GPUSCHED_PRECOMPILE)
    return()
  endif()
  get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target IN LISTS targets)
    get_target_property(type ${target} TYPE)
    get_target_property(headers ${target} PRECOMPILE_HEADERS)
    get_target_property(owner ${target} PRECOMPILE_HEADERS_REUSE_FROM)
    if(type MATCHES "STATIC|SHARED|MODULE|OBJECT|EXECUTABLE" AND NOT headers AND NOT owner)
      target_precompile_headers(${target} REUSE_FROM gpusched_precompiled_${name})
    endif()
  endforeach()
  get_property(folders DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  foreach(below IN LISTS folders)
    gpusched_precompile_rest(${below} ${name})
  endforeach()
endfunction()
