if(TARGET headscope_ui_mainwindow AND TARGET headscope_tinymodel)
    headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_analysespage LINK ui_mainwindow tinyclassifier LABELS ui)
endif()
