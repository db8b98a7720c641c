headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_dataset LINK base formats data LABELS unit)
