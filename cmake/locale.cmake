# A German locale for the tests that prove that numbers do not depend on it: made inside the build folder, where
# LOCPATH points to, so that the machine's own settings stay as they are.
find_program(LOCALEDEF localedef)
set(locale_folder ${PROJECT_BINARY_DIR}/locale)
if(LOCALEDEF AND NOT EXISTS ${locale_folder}/de_DE.UTF-8/LC_NUMERIC)
    file(MAKE_DIRECTORY ${locale_folder})
    execute_process(COMMAND ${LOCALEDEF} -i de_DE -f UTF-8 ${locale_folder}/de_DE.UTF-8
                    OUTPUT_QUIET ERROR_QUIET)
endif()
if(NOT EXISTS ${locale_folder}/de_DE.UTF-8/LC_NUMERIC)
    message(STATUS "no locale de_DE.UTF-8: tests that want it are skipped (Debian: apt install locales)")
endif()
