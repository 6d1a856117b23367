# find_package(landfall [COMPONENTS core io omp published script]): without components, the core.
#
#   landfall::landfall   landfall::landfall-static   the core, always
#   landfall::io         landfall::io-static         files and pictures
#   landfall::omp        landfall::omp-static        the parallel loop on OpenMP
#   landfall::published                              published methods; an archive, with landfall-static
#   landfall::script     landfall::script-static     worlds written in Lua
#
# A static part needs the libraries behind it to be installed for developers; where they are not, its target is
# absent and landfall_STATIC_MISSING says why.
include(CMakeFindDependencyMacro)
find_dependency(Threads)
include(${CMAKE_CURRENT_LIST_DIR}/landfall-core.cmake)
set(landfall_core_FOUND TRUE)
set(landfall_STATIC_MISSING)

if("io" IN_LIST landfall_FIND_COMPONENTS)
    include(${CMAKE_CURRENT_LIST_DIR}/landfall-io-shared.cmake)
    set(landfall_io_FOUND TRUE)
    find_package(PkgConfig QUIET)
    find_package(PNG QUIET)
    include(${CMAKE_CURRENT_LIST_DIR}/nova.cmake)
    foreach(module cairo jansson)
        if(PkgConfig_FOUND AND NOT TARGET PkgConfig::${module})
            pkg_check_modules(${module} QUIET IMPORTED_TARGET ${module})
        endif()
    endforeach()
    if(TARGET PkgConfig::cairo AND TARGET PkgConfig::jansson AND TARGET PNG::PNG AND TARGET libnova::libnova)
        include(${CMAKE_CURRENT_LIST_DIR}/landfall-io-static.cmake)
    else()
        list(APPEND landfall_STATIC_MISSING "io-static needs cairo, jansson, libpng and libnova")
    endif()
endif()

if("omp" IN_LIST landfall_FIND_COMPONENTS)
    include(${CMAKE_CURRENT_LIST_DIR}/landfall-omp-shared.cmake)
    set(landfall_omp_FOUND TRUE)
    find_package(OpenMP QUIET COMPONENTS C)
    if(TARGET OpenMP::OpenMP_C)
        include(${CMAKE_CURRENT_LIST_DIR}/landfall-omp-static.cmake)
    else()
        list(APPEND landfall_STATIC_MISSING "omp-static needs OpenMP for C")
    endif()
endif()

if("published" IN_LIST landfall_FIND_COMPONENTS)
    include(${CMAKE_CURRENT_LIST_DIR}/landfall-published.cmake)
    set(landfall_published_FOUND TRUE)
endif()

if("script" IN_LIST landfall_FIND_COMPONENTS)
    include(${CMAKE_CURRENT_LIST_DIR}/landfall-script-shared.cmake)
    set(landfall_script_FOUND TRUE)
    find_package(PkgConfig QUIET)
    if(PkgConfig_FOUND AND NOT TARGET PkgConfig::lua)
        pkg_check_modules(lua QUIET IMPORTED_TARGET lua5.4)
    endif()
    if(TARGET PkgConfig::lua)
        include(${CMAKE_CURRENT_LIST_DIR}/landfall-script-static.cmake)
    else()
        list(APPEND landfall_STATIC_MISSING "script-static needs Lua 5.4")
    endif()
endif()

foreach(component IN LISTS landfall_FIND_COMPONENTS)
    if(NOT landfall_${component}_FOUND)
        set(landfall_NOT_FOUND_MESSAGE "landfall has no component \"${component}\" (there are: core io omp published script)")
        if(landfall_FIND_REQUIRED_${component})
            set(landfall_FOUND FALSE)
        endif()
    endif()
endforeach()
