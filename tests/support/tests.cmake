add_library(headscope_tinyclassifier STATIC ${CMAKE_CURRENT_LIST_DIR}/tinyclassifier.cpp)
target_link_libraries(headscope_tinyclassifier PUBLIC headscope_base headscope_formats PRIVATE nlohmann_json::nlohmann_json)

# Replaces calls of the C library: objects, which are linked whether or not anybody names them.
add_library(headscope_faultydisk OBJECT ${CMAKE_CURRENT_LIST_DIR}/faultydisk.cpp)
target_link_libraries(headscope_faultydisk PUBLIC headscope_build ${CMAKE_DL_LIBS})
add_library(headscope_tinylanguagemodel STATIC ${CMAKE_CURRENT_LIST_DIR}/tinylanguagemodel.cpp)
target_link_libraries(headscope_tinylanguagemodel PUBLIC headscope_base headscope_formats PRIVATE nlohmann_json::nlohmann_json)

# What only tests compute: sacreBLEU's own significance tests, and the tables of fields in FORMAT.md.
add_library(headscope_sacrebleutests STATIC ${CMAKE_CURRENT_LIST_DIR}/sacrebleutests.cpp)
target_link_libraries(headscope_sacrebleutests PUBLIC headscope_metrics headscope_build)
add_library(headscope_fieldtable STATIC ${CMAKE_CURRENT_LIST_DIR}/fieldtable.cpp)
target_link_libraries(headscope_fieldtable PUBLIC headscope_results headscope_build)
