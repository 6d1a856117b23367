# Tests that are scripts: the installed library used from outside (tests/install/try), the rules tried on a
# tree with known faults (tests/rules/try), the core as one file (tests/install/amalgamated) and inside another project
# (tests/install/embed), and the page of ./run published.
if(LANDFALL_SANITIZE)
    set(install_flags -fsanitize=${LANDFALL_SANITIZE})
elseif(LANDFALL_COVERAGE)
    set(install_flags --coverage)
endif()
add_test(NAME install COMMAND ${PROJECT_SOURCE_DIR}/tests/install/try ${PROJECT_BINARY_DIR}
                              ${CMAKE_C_COMPILER} ${install_flags})
add_test(NAME rules COMMAND ${PROJECT_SOURCE_DIR}/tests/rules/try ${PROJECT_BINARY_DIR}/rules-test)
add_test(NAME tools_published COMMAND ${PROJECT_SOURCE_DIR}/tests/tools/test_published.py ${PROJECT_SOURCE_DIR}/tools/published)
add_test(NAME tools_schedule COMMAND ${PROJECT_SOURCE_DIR}/tests/tools/test_schedule.py ${PROJECT_SOURCE_DIR}/tools/schedule)
add_test(NAME install_amalgamated COMMAND ${PROJECT_SOURCE_DIR}/tests/install/amalgamated ${PROJECT_BINARY_DIR}/amalgamated
                                          ${CMAKE_C_COMPILER} c++)
add_test(NAME install_embedded COMMAND ${PROJECT_SOURCE_DIR}/tests/install/embed ${PROJECT_BINARY_DIR}/embedded
                                       ${CMAKE_C_COMPILER})

# Golden answers of the core: the same bits for every machine, compiler, flag and instruction set.
file(GLOB golden_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/golden/*.c)
set(golden_answers ${PROJECT_SOURCE_DIR}/tests/golden/answers.txt)
add_executable(golden ${golden_sources})
target_link_libraries(golden PRIVATE landfall-static m)
add_test(NAME golden COMMAND golden ${golden_answers} ${CMAKE_CURRENT_BINARY_DIR})
add_test(NAME golden_scalar COMMAND golden ${golden_answers} ${PROJECT_BINARY_DIR})
set_tests_properties(golden_scalar PROPERTIES ENVIRONMENT LANDFALL_ISA=scalar)
if(NOT LANDFALL_SANITIZE)
    add_test(NAME golden_masked COMMAND ${PROJECT_SOURCE_DIR}/tests/golden/masked $<TARGET_FILE:golden>)
    add_test(NAME install_arithmetic COMMAND ${PROJECT_SOURCE_DIR}/tests/install/arithmetic ${PROJECT_BINARY_DIR}/arithmetic
                                             ${CMAKE_C_COMPILER})
endif()
