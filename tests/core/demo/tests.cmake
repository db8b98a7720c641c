headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_democorpus LINK base formats demo LABELS unit)
headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_demogrammar LINK base demo LABELS unit)
