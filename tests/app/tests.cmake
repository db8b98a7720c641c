headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_cli LINK base LABELS app)
add_dependencies(tst_cli headscope-cli)
headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_kill LINK session LABELS app)
add_dependencies(tst_kill headscope-cli)
