headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_clusterparts SOURCES
    ${PROJECT_SOURCE_DIR}/app/cli/childprocess.cpp ${PROJECT_SOURCE_DIR}/app/cli/cluster/slurm.cpp ${PROJECT_SOURCE_DIR}/app/cli/progresstext.cpp
    LINK results base LABELS cluster)
foreach(name tst_cluster tst_ranks tst_batch)
    headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/${name} LINK base tinyclassifier LABELS cluster)
    add_dependencies(${name} headscope-cli)
endforeach()
# Skipped where there is no Slurm.
headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_slurm LINK base tinyclassifier tinymodel LABELS cluster)
add_dependencies(tst_slurm headscope-cli)
