headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_execution TORCH LINK tensor LABELS unit)
headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_freememory TORCH LINK tensor LABELS unit)
headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_widenedproduct TORCH LINK tensor LABELS unit)
