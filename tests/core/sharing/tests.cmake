headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_cpfactors TORCH LINK sharing LABELS unit)
headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_sharedmodel TORCH LINK sharing testmodel tinymodel LABELS unit)
