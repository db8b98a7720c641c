foreach(name aliveheads textlines jsonfile atomicfile hash rememberedhash csv safetensors zipreader zipfolder torchfile yaml npzfile)
    headscope_add_test(${CMAKE_CURRENT_LIST_DIR}/tst_${name} LINK base formats LABELS unit)
endforeach()
