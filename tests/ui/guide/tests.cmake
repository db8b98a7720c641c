headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_guide LINK ui_mainwindow LABELS ui)
