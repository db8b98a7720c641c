if(TARGET headscope_ui_pages AND TARGET headscope_ui_charts)
    headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_headspage LINK ui_pages LABELS ui)
endif()
headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_headquery LINK ui_models LABELS unit ui)
