if(TARGET headscope_ui_exporting)
    headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_exporter LINK ui_exporting LABELS unit ui)
    headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_exporterfaults LINK ui_exporting faultydisk LABELS unit ui)
endif()
