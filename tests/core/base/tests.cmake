headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_headref LINK base LABELS unit)
headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_better LINK base LABELS unit)
headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_random LINK base LABELS unit)
