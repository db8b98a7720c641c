headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_relevancerules TORCH LINK relevance LABELS unit)
headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_traversal TORCH LINK relevance testmodel LABELS unit)
headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_relevance TORCH LINK analysis exporting session data tinyclassifier tinymodel LABELS unit)
