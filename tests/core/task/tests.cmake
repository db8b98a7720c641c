headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_classificationblock TORCH LINK task data tinyclassifier LABELS unit)
