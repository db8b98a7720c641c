headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_jobqueue LINK ui_jobs LABELS ui)
headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_studystate LINK ui_state LABELS ui)
headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_headgridmodel LINK ui_delegates LABELS ui)
headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_window LINK ui_mainwindow tinymodel LABELS ui)
