# landfall_library(NAME EXPORT): the properties that every one of our libraries has. NAME (shared) and
# NAME-static are its targets; outside they are called landfall::EXPORT and landfall::EXPORT-static.
function(landfall_library name export)
    set_target_properties(${name} PROPERTIES
        VERSION ${PROJECT_VERSION}
        SOVERSION ${LANDFALL_SOVERSION}
        EXPORT_NAME ${export}
        INSTALL_RPATH $ORIGIN)
    set_target_properties(${name}-static PROPERTIES
        OUTPUT_NAME ${name}
        EXPORT_NAME ${export}-static)
    add_library(landfall::${export} ALIAS ${name})
    add_library(landfall::${export}-static ALIAS ${name}-static)
    # A shared library names everything it needs. (The sanitizers' own symbols come with the program.)
    if(NOT LANDFALL_SANITIZE)
        target_link_options(${name} PRIVATE LINKER:--no-undefined)
    endif()
endfunction()
