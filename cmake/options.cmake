# What can be chosen, and the flags that landfall's own targets share. Nothing here reaches the project around landfall:
# variables and compile options are those of this folder.
include(CMakeDependentOption)

# landfall_part(NAME TEXT NEEDS...): a part that is built by default when landfall is the top project. It can be chosen
# where the parts that it needs are chosen too.
function(landfall_part name text)
    list(TRANSFORM ARGN PREPEND LANDFALL_ OUTPUT_VARIABLE needs)
    cmake_dependent_option(LANDFALL_${name} "${text}" ${PROJECT_IS_TOP_LEVEL} "${needs}" OFF)
    set(LANDFALL_${name} ${LANDFALL_${name}} PARENT_SCOPE)
endfunction()

landfall_part(IO "Build landfall-io: files (needs GDAL, assimp, libpng, libdeflate, libnova, jansson)")
landfall_part(PICTURE "Pictures in landfall-io (needs cairo)" IO)
landfall_part(OMP "Build landfall-omp: the parallel loop on OpenMP")
landfall_part(SCRIPT "Build landfall-script: scenes written in Lua (needs Lua 5.4)")
landfall_part(PUBLISHED "Build landfall-published: published methods")
set(everything IO PICTURE OMP SCRIPT PUBLISHED)
landfall_part(COMMAND "Build the command landfall" ${everything})
landfall_part(SERVER "Build landfall serve where libmicrohttpd is found; REQUIRED: fail without it" COMMAND)
landfall_part(MPI "Build landfall-mpi where Open MPI is found; REQUIRED: fail without it" COMMAND)
landfall_part(GDAL "Build the GDAL driver for .lf files where a C++ compiler and GDAL are found" IO)
landfall_part(TESTS "Build the tests (needs cmocka, gmp, PROJ)" ${everything} COMMAND)
landfall_part(PYTHON "Build the Python package where Python's headers, NumPy and Cython are found" IO PICTURE OMP)
landfall_part(INSTALL "Install what is built")
cmake_dependent_option(LANDFALL_BENCH "Build the benchmarks (needs the peers)" OFF LANDFALL_COMMAND OFF)
cmake_dependent_option(LANDFALL_EXAMPLES "Build the examples" OFF LANDFALL_COMMAND OFF)
option(LANDFALL_FUZZ "Build the fuzz targets (needs clang)" OFF)
option(LANDFALL_COVERAGE "Measure what the tests execute" OFF)
option(LANDFALL_WERROR "Warnings are errors" OFF)
set(LANDFALL_SANITIZE "" CACHE STRING "Sanitizers, such as address,undefined or thread")

# BUILD_SHARED_LIBS chooses shared libraries or archives. Unset, the top project builds both, an embedded landfall archives.
if(DEFINED BUILD_SHARED_LIBS)
    set(landfall_shared ${BUILD_SHARED_LIBS})
else()
    set(landfall_shared ${PROJECT_IS_TOP_LEVEL})
endif()
set(landfall_archives ON)
if(DEFINED BUILD_SHARED_LIBS AND BUILD_SHARED_LIBS)
    set(landfall_archives OFF) # built where something links them, but not installed
endif()

set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
# Every file has static names and macros of its own, so files cannot be joined as a project around landfall may demand.
set(CMAKE_UNITY_BUILD OFF)

# The same bits on every machine: no contraction of a * b + c, no shortcuts in arithmetic.
# Nobody asks errno about mathematics, and not setting it saves a branch and a call beside every root.
add_compile_options(-ffp-contract=off -fno-math-errno)
# Where the compiler computes with more precision by itself (src/base/arithmetic.h refuses that), the flags that stop it: on
# s390x, then on x86 of 32 bits.
include(CheckCSourceCompiles)
set(landfall_rounding "")
foreach(flags "" -fexcess-precision=fast "-msse2 -mfpmath=sse")
    set(CMAKE_REQUIRED_FLAGS ${flags})
    string(MAKE_C_IDENTIFIER "landfall_rounds${flags}" check)
    check_c_source_compiles("#include <float.h>
        _Static_assert(FLT_EVAL_METHOD == 0 || FLT_EVAL_METHOD == 16, \"\");
        int main(void) { return 0; }" ${check})
    if(${check})
        separate_arguments(landfall_rounding UNIX_COMMAND "${flags}")
        break()
    endif()
endforeach()
unset(CMAKE_REQUIRED_FLAGS)
add_compile_options(${landfall_rounding})
# gcc for Windows aligns the stack less than vectors of 32 bytes need: the assembler can do without.
if(MINGW AND CMAKE_C_COMPILER_ID STREQUAL GNU)
    include(CheckCCompilerFlag)
    check_c_compiler_flag(-Wa,-muse-unaligned-vector-move landfall_unaligned_moves)
    if(landfall_unaligned_moves)
        add_compile_options(-Wa,-muse-unaligned-vector-move -DLF__UNALIGNED_MOVES)
    endif()
endif()
if(LANDFALL_WERROR)
    add_compile_options(-Werror)
endif()
if(LANDFALL_SANITIZE)
    add_compile_options(-fsanitize=${LANDFALL_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
    add_link_options(-fsanitize=${LANDFALL_SANITIZE})
    # GDAL is loaded while a program runs: the sanitizer intercepts exceptions of C++ only where the program links its library.
    add_link_options(-Wl,--push-state,--no-as-needed -lstdc++ -Wl,--pop-state)
endif()
if(LANDFALL_FUZZ)
    add_compile_options(-fsanitize=fuzzer-no-link)
endif()
if(LANDFALL_COVERAGE)
    add_compile_options(--coverage)
    add_link_options(--coverage)
endif()

# What a project around landfall decides for itself.
if(PROJECT_IS_TOP_LEVEL)
    add_compile_options(-Wall -Wextra -Wpedantic)
    if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
        set(CMAKE_BUILD_TYPE Release)
    endif()
    find_program(CCACHE ccache)
    if(CCACHE)
        set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE})
        set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
    endif()
endif()
