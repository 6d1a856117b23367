# Manual pages and completions come from the command's own tables: it writes them when it is built, so that installing
# runs nothing. A cross build needs CMAKE_CROSSCOMPILING_EMULATOR for it, and goes without them otherwise.
set(landfall_manuals OFF)
if(CMAKE_CROSSCOMPILING AND NOT CMAKE_CROSSCOMPILING_EMULATOR)
    message(STATUS "landfall: cross build without an emulator: no manual pages and completions")
    return()
endif()
set(landfall_manuals ${PROJECT_BINARY_DIR}/manuals)
set(stamp ${PROJECT_BINARY_DIR}/manuals.stamp)
set(writer ${PROJECT_SOURCE_DIR}/tools/manuals)
add_custom_command(OUTPUT ${stamp}
                   COMMAND ${CMAKE_COMMAND} -E rm -rf ${landfall_manuals}
                   COMMAND ${writer} ${landfall_manuals} ${CMAKE_CROSSCOMPILING_EMULATOR} $<TARGET_FILE:landfall-command>
                   COMMAND ${CMAKE_COMMAND} -E touch ${stamp}
                   DEPENDS landfall-command ${writer} VERBATIM)
add_custom_target(landfall-manuals ALL DEPENDS ${stamp})
