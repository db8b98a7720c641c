headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_frames LINK remote LABELS unit)
headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_wire LINK remote session LABELS unit)
headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_server LINK remote session tinyclassifier LABELS unit)
headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_remotesession LINK session tinyclassifier tinymodel LABELS unit)
add_dependencies(tst_remotesession headscope-cli)
# Skipped where there is no sshd.
headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_overssh LINK session tinymodel LABELS slow)
add_dependencies(tst_overssh headscope-cli)
