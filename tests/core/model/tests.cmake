add_library(headscope_testmodel STATIC ${CMAKE_CURRENT_LIST_DIR}/fixturemodel.cpp)
target_link_libraries(headscope_testmodel PUBLIC headscope_model)
headscope_use_torch_pch(headscope_testmodel)

headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_transformer TORCH LINK model testmodel LABELS unit)
headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_gates TORCH LINK model testmodel LABELS unit)
headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_generate TORCH LINK model testmodel LABELS unit)
headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_removeheads TORCH LINK model testmodel LABELS unit)
headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_prunedfaults TORCH LINK model tinymodel faultydisk LABELS unit)
