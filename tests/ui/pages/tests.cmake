if(TARGET headscope_ui_views AND TARGET headscope_ui_charts)
    headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_worddiff LINK ui_views LABELS unit ui)
    headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_pages LINK ui_views LABELS ui)
endif()
