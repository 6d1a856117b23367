# landfall_library(NAME EXPORT SOURCES... [HELPERS FILES...] [NEEDS LIBRARIES...] [EXTENDS LIBRARY]): one of our libraries.
#
# Its sources are compiled once. NAME-static is the archive; NAME is the shared library, or another name of the archive
# where no shared libraries are built. For programs they are landfall::EXPORT-static and landfall::EXPORT.
#   HELPERS  sources that only the shared library needs, because the core hides them
#   NEEDS    libraries that stay behind ours
#   EXTENDS  the library of ours that this one extends, without -static
function(landfall_library name export)
    cmake_parse_arguments(PARSE_ARGV 2 arg "" "EXTENDS" "SOURCES;HELPERS;NEEDS")
    add_library(${name}-objects OBJECT ${arg_SOURCES})
    target_include_directories(${name}-objects PUBLIC ${PROJECT_SOURCE_DIR}/include PRIVATE ${PROJECT_SOURCE_DIR}/src)
    target_link_libraries(${name}-objects PRIVATE ${arg_NEEDS})

    add_library(${name}-static STATIC $<TARGET_OBJECTS:${name}-objects>)
    set_target_properties(${name}-static PROPERTIES OUTPUT_NAME ${name} EXPORT_NAME ${export}-static)
    landfall_library_links(${name}-static "${arg_NEEDS}" "${arg_EXTENDS}" -static)
    add_library(landfall::${export}-static ALIAS ${name}-static)
    if(NOT landfall_archives)
        set_target_properties(${name}-static PROPERTIES EXCLUDE_FROM_ALL ON)
    endif()
    if(NOT landfall_shared)
        add_library(${name} ALIAS ${name}-static)
        add_library(landfall::${export} ALIAS ${name}-static)
        return()
    endif()

    add_library(${name} SHARED $<TARGET_OBJECTS:${name}-objects> ${arg_HELPERS})
    target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src)
    set_target_properties(${name} PROPERTIES
        VERSION ${PROJECT_VERSION}
        SOVERSION ${LANDFALL_SOVERSION}
        EXPORT_NAME ${export}
        INSTALL_RPATH $ORIGIN)
    landfall_library_links(${name} "${arg_NEEDS}" "${arg_EXTENDS}" "")
    add_library(landfall::${export} ALIAS ${name})
    landfall_library_symbols(${name})
endfunction()

function(landfall_library_links target needs extends suffix)
    target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                                $<INSTALL_INTERFACE:include>)
    target_link_libraries(${target} PRIVATE ${needs})
    if(extends)
        target_link_libraries(${target} PUBLIC ${extends}${suffix})
    endif()
endfunction()

# A shared library names everything it needs, and its symbols carry its version, so that two versions can be in one
# process. (The sanitizers' own symbols come with the program.)
function(landfall_library_symbols name)
    if(NOT CMAKE_EXECUTABLE_FORMAT STREQUAL ELF)
        return()
    endif()
    if(NOT LANDFALL_SANITIZE)
        target_link_options(${name} PRIVATE LINKER:--no-undefined)
    endif()
    string(TOUPPER ${name}_${LANDFALL_SOVERSION} node)
    string(REPLACE - _ node ${node})
    set(script ${PROJECT_BINARY_DIR}/${name}.map)
    file(CONFIGURE OUTPUT ${script} CONTENT "${node} { global: lf_*; local: *; };\n")
    target_link_options(${name} PRIVATE LINKER:--version-script=${script})
    set_property(TARGET ${name} APPEND PROPERTY LINK_DEPENDS ${script})
endfunction()
