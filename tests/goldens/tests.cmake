add_library(headscope_classifiergolden STATIC ${CMAKE_CURRENT_LIST_DIR}/classifiergolden.cpp)
target_link_libraries(headscope_classifiergolden PUBLIC headscope_model PRIVATE headscope_build)
headscope_use_torch_pch(headscope_classifiergolden)

headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_classifiergoldens TORCH LINK model testmodel classifiergolden
    LABELS unit)
headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_classifiersession TORCH LINK session classifiergolden LABELS unit)

add_library(headscope_familygolden STATIC ${CMAKE_CURRENT_LIST_DIR}/familygolden.cpp)
target_link_libraries(headscope_familygolden PUBLIC headscope_model PRIVATE headscope_build)
headscope_use_torch_pch(headscope_familygolden)

headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_familygoldens TORCH LINK model classifiergolden familygolden
    LABELS unit)
