if(TARGET headscope_ui_pages)
    headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_patchingpage LINK ui_pages LABELS ui)
    headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_pathsview LINK ui_pages tinylanguagemodel LABELS ui)
endif()
