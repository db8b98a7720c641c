headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_divergence LINK roles LABELS unit)
headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_handmadeheads LINK session LABELS unit)
headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_roleparts LINK roles LABELS unit)
headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_roles TORCH LINK session tinymodel LABELS unit)
