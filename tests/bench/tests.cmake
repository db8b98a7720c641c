# headscope-bench MODEL SOURCE REFERENCE: not a test, it asserts no times.
add_executable(headscope-bench ${CMAKE_CURRENT_LIST_DIR}/bench.cpp)
target_link_libraries(headscope-bench PRIVATE headscope_build headscope_session headscope_task headscope_model
    headscope_analysis)
headscope_use_torch_pch(headscope-bench)
