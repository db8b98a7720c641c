headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_kernels LINK packed_kernels LABELS unit)
headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_packedlinear TORCH LINK packed LABELS unit)
headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_productspeed TORCH LINK packed LABELS unit)
headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_shortlists TORCH LINK packed LABELS unit)
