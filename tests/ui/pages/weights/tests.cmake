if(TARGET headscope_ui_pages)
    headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_weightspage LINK ui_pages tinylanguagemodel tinymodel LABELS ui)
endif()
