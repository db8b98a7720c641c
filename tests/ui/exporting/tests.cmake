if(TARGET headscope_ui_exporting)
    headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_exporter LINK ui_exporting LABELS unit ui)
endif()
