if(TARGET headscope_ui_heatmap)
    headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_colorscale LINK ui_heatmap LABELS unit ui)
    headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_heatmap LINK ui_heatmap LABELS unit ui)
endif()
