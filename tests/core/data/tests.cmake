foreach(name coreferencedata dataset questions tables labels classifierdata languagedata wordvectors)
    headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_${name} LINK base formats data LABELS unit)
endforeach()
target_link_libraries(tst_classifierdata PRIVATE LibArchive::LibArchive)
