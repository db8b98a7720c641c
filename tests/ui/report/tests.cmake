if(TARGET headscope_ui_report)
    headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_reportfigures LINK ui_report LABELS unit ui)
    headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_reportjob LINK ui_report tinymodel LABELS ui)
endif()
