headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_csv LINK exporting formats LABELS unit)
