# Model folders of well-known sizes with random weights.
add_library(headscope_randommodel STATIC ${CMAKE_CURRENT_LIST_DIR}/randommodel.cpp)
target_link_libraries(headscope_randommodel PUBLIC headscope_model PRIVATE nlohmann_json::nlohmann_json)
headscope_use_precompiled(headscope_randommodel torchtest)

# headscope-sweep: the ablation sweep, plain and fast. Not a test, it asserts no times.
add_executable(headscope-sweep ${CMAKE_CURRENT_LIST_DIR}/sweep.cpp)
target_link_libraries(headscope-sweep PRIVATE headscope_build headscope_session headscope_task headscope_model
    headscope_analysis headscope_tinyclassifier headscope_randommodel CLI11::CLI11)
headscope_use_precompiled(headscope-sweep torchtest)

# headscope-trainbench CONFIG.json: the trainer beside a plain LibTorch loop.
add_executable(headscope-trainbench ${CMAKE_CURRENT_LIST_DIR}/trainbench.cpp)
target_link_libraries(headscope-trainbench PRIVATE headscope_build headscope_session headscope_train headscope_task)
headscope_use_precompiled(headscope-trainbench torchtest)

# headscope-openbench: opening a model of BERT-base's size, in seconds and memory.
add_executable(headscope-openbench ${CMAKE_CURRENT_LIST_DIR}/openbench.cpp)
target_link_libraries(headscope-openbench PRIVATE headscope_build headscope_session headscope_randommodel)

# headscope-rolesbench: roles of heads beside one forward pass, in seconds and memory.
add_executable(headscope-rolesbench ${CMAKE_CURRENT_LIST_DIR}/rolesbench.cpp)
target_link_libraries(headscope-rolesbench PRIVATE headscope_build headscope_session headscope_analysis headscope_data
    headscope_task headscope_model)
headscope_use_precompiled(headscope-rolesbench torchtest)

# headscope-relevancebench: relevance by every rule, beside a forward pass; and how far the rules agree.
add_executable(headscope-relevancebench ${CMAKE_CURRENT_LIST_DIR}/relevancebench.cpp)
target_link_libraries(headscope-relevancebench PRIVATE headscope_build headscope_analysis headscope_data headscope_metrics)
headscope_use_precompiled(headscope-relevancebench torchtest)

# headscope-bootstrapbench: the tests of an ablation sweep, in seconds.
add_executable(headscope-bootstrapbench ${CMAKE_CURRENT_LIST_DIR}/bootstrapbench.cpp)
target_link_libraries(headscope-bootstrapbench PRIVATE headscope_build headscope_metrics fmt::fmt)

# headscope-coveragebench: how often intervals hold the truth, and heads are called significant by chance.
add_executable(headscope-coveragebench ${CMAKE_CURRENT_LIST_DIR}/coveragebench.cpp)
target_link_libraries(headscope-coveragebench PRIVATE headscope_build headscope_analysis headscope_data headscope_task
    headscope_model headscope_metrics headscope_randommodel fmt::fmt)
headscope_use_precompiled(headscope-coveragebench torchtest)

# headscope-decodebench: the base run of a translation model, plain and fast, in seconds.
add_executable(headscope-decodebench ${CMAKE_CURRENT_LIST_DIR}/decodebench.cpp)
target_link_libraries(headscope-decodebench PRIVATE headscope_build headscope_task headscope_model headscope_data)
headscope_use_precompiled(headscope-decodebench torchtest)

# headscope-windowbench: what somebody waits for at the window.
if(HEADSCOPE_GUI)
    add_executable(headscope-windowbench ${CMAKE_CURRENT_LIST_DIR}/windowbench.cpp)
    target_link_libraries(headscope-windowbench PRIVATE headscope_build headscope_ui_mainwindow)
    set_target_properties(headscope-windowbench PROPERTIES AUTOMOC ON)
    # headscope-pictureshare: the share of the window that each page's main picture takes.
    add_executable(headscope-pictureshare ${CMAKE_CURRENT_LIST_DIR}/pictureshare.cpp)
    target_link_libraries(headscope-pictureshare PRIVATE headscope_build headscope_ui_mainwindow)
    # headscope-clickbench: from a click to the screen, in milliseconds.
    add_executable(headscope-clickbench ${CMAKE_CURRENT_LIST_DIR}/clickbench.cpp)
    target_link_libraries(headscope-clickbench PRIVATE headscope_build headscope_ui_mainwindow Qt6::Test)
    # headscope-looks: pictures of every page at all sizes and in all themes.
    add_executable(headscope-looks ${CMAKE_CURRENT_LIST_DIR}/looks.cpp)
    target_link_libraries(headscope-looks PRIVATE headscope_build headscope_ui_mainwindow headscope_tinylanguagemodel headscope_tinymodel)
    # headscope-firstvaluesbench: the results that start by themselves.
    add_executable(headscope-firstvaluesbench ${CMAKE_CURRENT_LIST_DIR}/firstvaluesbench.cpp)
    target_link_libraries(headscope-firstvaluesbench PRIVATE headscope_build headscope_ui_state)
    # headscope-timesbench: times that are said before work begins, beside the fact.
    add_executable(headscope-timesbench ${CMAKE_CURRENT_LIST_DIR}/timesbench.cpp)
    target_link_libraries(headscope-timesbench PRIVATE headscope_build headscope_ui_state)
    # headscope-framesbench: frames of the attention page's views of a long text.
    add_executable(headscope-framesbench ${CMAKE_CURRENT_LIST_DIR}/framesbench.cpp)
    target_link_libraries(headscope-framesbench PRIVATE headscope_build headscope_ui_pages)
endif()

# headscope-sharingbench: the factorization of a layer's query and key projections, in seconds.
add_executable(headscope-sharingbench ${CMAKE_CURRENT_LIST_DIR}/sharingbench.cpp)
target_link_libraries(headscope-sharingbench PRIVATE headscope_build headscope_sharing fmt::fmt)
headscope_use_precompiled(headscope-sharingbench torchtest)

# headscope-remotebench: what somebody waits for whose core is on another machine.
add_executable(headscope-remotebench ${CMAKE_CURRENT_LIST_DIR}/remotebench.cpp)
target_link_libraries(headscope-remotebench PRIVATE headscope_build headscope_session fmt::fmt)

# headscope-productsbench: products by packed weights, in GFLOP/s by kind and number of rows.
add_executable(headscope-productsbench ${CMAKE_CURRENT_LIST_DIR}/productsbench.cpp)
target_link_libraries(headscope-productsbench PRIVATE headscope_build headscope_packed)
headscope_use_precompiled(headscope-productsbench torchtest)
