if(TARGET headscope_ui_charts)
    headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_series LINK ui_charts LABELS unit ui)
    headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_charts LINK ui_charts ui_exporting LABELS unit ui)
endif()
