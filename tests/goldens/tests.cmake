add_library(headscope_goldens STATIC ${CMAKE_CURRENT_LIST_DIR}/goldens.cpp ${CMAKE_CURRENT_LIST_DIR}/classifiergolden.cpp
    ${CMAKE_CURRENT_LIST_DIR}/familygolden.cpp)
target_link_libraries(headscope_goldens PUBLIC headscope_model PRIVATE headscope_build)
headscope_use_precompiled(headscope_goldens torchtest)

headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_classifiergoldens TORCH LINK task model testmodel goldens LABELS unit)
headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_classifiersession TORCH LINK session goldens LABELS unit)
headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_familygoldens TORCH LINK model packed goldens LABELS unit)
headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_adaptergoldens TORCH LINK base formats io model goldens LABELS unit)
headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_version5goldens TORCH LINK base formats io model goldens LABELS unit)
headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_sweepgoldens TORCH LINK analysis data goldens LABELS unit)
headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_smollm2 LINK session formats LABELS slow)
headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_questiongoldens LINK session data formats LABELS unit)
headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_headgoldens TORCH LINK session formats goldens LABELS unit)
