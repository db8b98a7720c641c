if(TARGET headscope_ui_pages)
    headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_pictures LINK ui_pages metrics LABELS unit ui)
endif()
