# Tests that are scripts: the installed library used from outside (tests/install/try), the rules of the house tried on a
# tree with known sins (tests/rules/try).
if(LANDFALL_SANITIZE)
    set(install_flags -fsanitize=${LANDFALL_SANITIZE})
elseif(LANDFALL_COVERAGE)
    set(install_flags --coverage)
endif()
add_test(NAME install COMMAND ${PROJECT_SOURCE_DIR}/tests/install/try ${PROJECT_BINARY_DIR}
                              ${CMAKE_C_COMPILER} ${install_flags})
add_test(NAME rules COMMAND ${PROJECT_SOURCE_DIR}/tests/rules/try ${PROJECT_BINARY_DIR}/rules-test)
