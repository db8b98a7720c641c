add_library(headscope_tinymodel STATIC ${PROJECT_SOURCE_DIR}/tests/support/tinymodel.cpp)
target_link_libraries(headscope_tinymodel PUBLIC headscope_base headscope_formats PRIVATE nlohmann_json::nlohmann_json)

headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_pruning LINK analysis tinymodel LABELS unit)
headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_session LINK session tinymodel LABELS unit)
headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_importance TORCH LINK analysis data tinymodel LABELS unit)
headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_realmodel LINK session LABELS slow)
headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_realclassifier LINK session LABELS slow)
headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_shippeddemo LINK session demo LABELS unit)
