if(TARGET headscope_ui_pages)
    headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_sharingpage LINK ui_pages tinymodel LABELS ui)
endif()
