headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_blocks TORCH LINK task data tinyclassifier tinymodel LABELS unit)
headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_prefixtree LINK task LABELS unit)
headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_realsweep TORCH LINK task data LABELS slow)
headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_prunedmodels TORCH LINK task data tinyclassifier tinymodel LABELS unit)
