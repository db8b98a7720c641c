headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_modelspage LINK ui_mainwindow tinymodel LABELS ui)
