# What `cmake --install` puts where: headers, libraries, the command, and what find_package and pkg-config read.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(DIRECTORY include/landfall DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(TARGETS landfall-command)
if(TARGET landfall-serve)
    install(TARGETS landfall-serve)
endif()

# Manual pages and completion come from the command's own table.
set(pages ${PROJECT_BINARY_DIR}/manuals)
install(CODE "execute_process(COMMAND ${PROJECT_SOURCE_DIR}/tools/manuals $<TARGET_FILE:landfall-command> ${pages}
                              COMMAND_ERROR_IS_FATAL ANY)")
install(DIRECTORY ${pages}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 FILES_MATCHING PATTERN "*.1")
install(FILES ${pages}/landfall.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME landfall)

# Each part is an export set of its own, so that a program needs only what its part needs: the static parts
# ask for the libraries behind them, the shared ones do not.
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/landfall)
function(landfall_install_part part)
    install(TARGETS ${ARGN} EXPORT landfall-${part} INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
    install(EXPORT landfall-${part} NAMESPACE landfall:: DESTINATION ${package_folder})
endfunction()
landfall_install_part(core landfall landfall-static)
landfall_install_part(published landfall-published)
landfall_install_part(io-shared landfall-io)
landfall_install_part(io-static landfall-io-static)
landfall_install_part(omp-shared landfall-omp)
landfall_install_part(omp-static landfall-omp-static)
landfall_install_part(script-shared landfall-script)
landfall_install_part(script-static landfall-script-static)

if(PROJECT_VERSION_MAJOR EQUAL 0)
    set(compatibility SameMinorVersion)
else()
    set(compatibility SameMajorVersion)
endif()
write_basic_package_version_file(${PROJECT_BINARY_DIR}/landfall-config-version.cmake
                                 COMPATIBILITY ${compatibility})
install(FILES cmake/landfall-config.cmake cmake/nova.cmake ${PROJECT_BINARY_DIR}/landfall-config-version.cmake
        DESTINATION ${package_folder})

# pkg-config finds its files' own folder, so the tree may be moved; absolute folders stay what they are.
foreach(folder LIBDIR INCLUDEDIR)
    if(IS_ABSOLUTE ${CMAKE_INSTALL_${folder}})
        set(pc_${folder} ${CMAKE_INSTALL_${folder}})
    else()
        set(pc_${folder} "\${prefix}/${CMAKE_INSTALL_${folder}}")
    endif()
endforeach()
if(IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR})
    set(pc_prefix ${CMAKE_INSTALL_PREFIX})
else()
    file(RELATIVE_PATH pc_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
    string(REGEX REPLACE "/$" "" pc_prefix ${pc_prefix})
    set(pc_prefix "\${pcfiledir}/${pc_prefix}")
endif()
# What the archive of landfall-io needs. Those libraries are shared ones and know what they need themselves, so only
# they are named, not all that stands behind them (which "Requires.private" would bring).
set(pc_io_private ${cairo_LDFLAGS} ${jansson_LDFLAGS} -lpng -lnova -lm)
list(JOIN pc_io_private " " pc_io_private)
list(JOIN lua_LDFLAGS " " pc_lua_private)
foreach(library landfall landfall-io landfall-omp landfall-published landfall-script)
    configure_file(cmake/${library}.pc.in ${PROJECT_BINARY_DIR}/${library}.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/${library}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()
