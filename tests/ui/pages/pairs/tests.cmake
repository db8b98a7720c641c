if(TARGET headscope_ui_pages)
    headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_pairspage LINK ui_pages LABELS ui)
endif()
