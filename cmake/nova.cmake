# libnova::libnova. The library brings neither a CMake nor a pkg-config file.
if(NOT TARGET libnova::libnova)
    find_path(LIBNOVA_INCLUDE libnova/solar.h)
    find_library(LIBNOVA_LIBRARY nova)
    mark_as_advanced(LIBNOVA_INCLUDE LIBNOVA_LIBRARY)
    if(LIBNOVA_INCLUDE AND LIBNOVA_LIBRARY)
        add_library(libnova::libnova UNKNOWN IMPORTED)
        set_target_properties(libnova::libnova PROPERTIES
            IMPORTED_LOCATION ${LIBNOVA_LIBRARY}
            INTERFACE_INCLUDE_DIRECTORIES ${LIBNOVA_INCLUDE})
    endif()
endif()
