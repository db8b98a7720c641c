headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_trainparts TORCH LINK train LABELS unit)
headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_trainingconfig LINK train LABELS unit)
headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_training LINK session tinymodel LABELS unit)
headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_trainingfaults LINK session faultydisk LABELS unit)
