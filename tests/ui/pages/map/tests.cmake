if(TARGET headscope_ui_pages AND TARGET headscope_tinymodel)
    headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_mappage LINK ui_pages metrics tinymodel LABELS ui)
endif()
