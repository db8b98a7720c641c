headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_csvexport LINK exporting formats LABELS unit)
headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_csvformat LINK exporting formats fieldtable LABELS unit)
headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_report LINK exporting formats LABELS unit)
headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_exportfaults LINK exporting formats faultydisk LABELS unit)
