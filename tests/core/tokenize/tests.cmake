headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_sentencepiece LINK base formats tokenize LABELS unit)
headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_mariantokenizer LINK base formats tokenize LABELS unit)
headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_sentencepiecebesidetorch TORCH LINK base formats tokenize tensor LABELS unit)
