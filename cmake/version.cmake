# The version stands in one place, include/landfall/base.h; everything else reads it from there.
set(version_header ${CMAKE_CURRENT_SOURCE_DIR}/include/landfall/base.h)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${version_header})
file(STRINGS ${version_header} version_lines REGEX "#define LF_VERSION_(MAJOR|MINOR|PATCH) ")
set(LANDFALL_VERSION)
foreach(part MAJOR MINOR PATCH)
    if(NOT version_lines MATCHES "LF_VERSION_${part} ([0-9]+)")
        message(FATAL_ERROR "${version_header} has no LF_VERSION_${part}")
    endif()
    list(APPEND LANDFALL_VERSION ${CMAKE_MATCH_1})
endforeach()

# The SONAME changes when old programs would break: with every minor version while the major one is 0,
# with every major version from 1 on.
list(GET LANDFALL_VERSION 0 version_major)
list(GET LANDFALL_VERSION 1 version_minor)
if(version_major EQUAL 0)
    set(LANDFALL_SOVERSION 0.${version_minor})
else()
    set(LANDFALL_SOVERSION ${version_major})
endif()
list(JOIN LANDFALL_VERSION . LANDFALL_VERSION)
