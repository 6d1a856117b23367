# The test that uses the installed library from outside, in C and C++ (tests/install/try).
if(LANDFALL_SANITIZE)
    set(install_flags -fsanitize=${LANDFALL_SANITIZE})
elseif(LANDFALL_COVERAGE)
    set(install_flags --coverage)
endif()
add_test(NAME install COMMAND ${PROJECT_SOURCE_DIR}/tests/install/try ${PROJECT_BINARY_DIR}
                              ${CMAKE_C_COMPILER} ${install_flags})
