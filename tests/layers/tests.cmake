add_test(NAME layers COMMAND ${CMAKE_COMMAND} -DROOT=${PROJECT_SOURCE_DIR}
    -P ${CMAKE_CURRENT_LIST_DIR}/check_layers.cmake)
set_tests_properties(layers PROPERTIES LABELS unit)
add_test(NAME one_walk COMMAND ${CMAKE_COMMAND} -DROOT=${PROJECT_SOURCE_DIR} -P ${CMAKE_CURRENT_LIST_DIR}/one_walk.cmake)
set_tests_properties(one_walk PROPERTIES LABELS unit)

add_test(NAME std_headers COMMAND ${CMAKE_COMMAND} -DROOT=${PROJECT_SOURCE_DIR}
    -P ${CMAKE_CURRENT_LIST_DIR}/check_std_headers.cmake)
set_tests_properties(std_headers PROPERTIES LABELS unit)

# Needs clang-format 14, and is skipped without it.
add_test(NAME format COMMAND ${PROJECT_SOURCE_DIR}/packaging/format.sh --check)
set_tests_properties(format PROPERTIES LABELS unit SKIP_REGULAR_EXPRESSION "format: not checked")

# What is written in comments and texts, how long functions and how large classes are; need Python 3.
find_program(HEADSCOPE_PYTHON python3)
if(HEADSCOPE_PYTHON)
    foreach(check words function_lengths class_sizes)
        add_test(NAME ${check} COMMAND ${HEADSCOPE_PYTHON} ${CMAKE_CURRENT_LIST_DIR}/${check}.py ${PROJECT_SOURCE_DIR})
        set_tests_properties(${check} PROPERTIES LABELS unit)
    endforeach()
    add_test(NAME throwaway_analysis COMMAND ${HEADSCOPE_PYTHON} ${CMAKE_CURRENT_LIST_DIR}/throwaway_analysis.py
        ${PROJECT_SOURCE_DIR} ${CMAKE_CXX_COMPILER} -I${PROJECT_BINARY_DIR}/generated
        "-isystem$<JOIN:$<TARGET_PROPERTY:headscope_analysis,INCLUDE_DIRECTORIES>,;-isystem>" COMMAND_EXPAND_LISTS)
    set_tests_properties(throwaway_analysis PROPERTIES LABELS "unit;slow" TIMEOUT 900)
endif()
