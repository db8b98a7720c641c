headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_checkpoint TORCH LINK base formats tensor io LABELS unit)
headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_hubcache TORCH LINK base io LABELS unit)
