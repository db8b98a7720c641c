headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_optionsjson LINK results LABELS unit)
headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_resultjson LINK results LABELS unit)
headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_compare LINK results LABELS unit)
headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_study LINK results LABELS unit)
