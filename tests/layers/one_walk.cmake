cmake_minimum_required(VERSION 3.22)
# The order of operations in a layer is said once (core/model/walk.h), and what a layer computes only by its executors.
# A line: a pattern, and the files that may have it.
file(GLOB_RECURSE sources RELATIVE ${ROOT} ${ROOT}/core/*.h ${ROOT}/core/*.cpp)
function(only_in pattern)
    foreach(source IN LISTS sources)
        file(READ ${ROOT}/${source} text)
        if(text MATCHES "${pattern}")
            list(FIND ARGN ${source} allowed)
            if(allowed EQUAL -1)
                message(SEND_ERROR "${source} has \"${CMAKE_MATCH_0}\": a second way through the layers? The walk is in "
                                   "core/model/walk.h; executors know what an operation does.")
            endif()
        endif()
    endforeach()
endfunction()

only_in("executor\\.(feedForward|attend)\\(" core/model/walk.h)
only_in("[=!]= NormPlacement" core/model/spec.h)
only_in("torch::softmax\\(" core/model/paddedexecutor.cpp core/packed/torchattention.cpp core/relevance/tape.cpp
    core/train/trainedgates.cpp # of gates, not of scores
    core/model/experts.cpp # of routers, not of scores
    core/task/lasttokenruns.cpp # of answers, not of scores
    core/analysis/attentioninputs.cpp) # by other projections than the model's
only_in("norms(Sum|Input|Output)\\(" core/model/spec.h core/model/walk.h core/model/weights.cpp
    core/task/directeffects.cpp # backwards, along what the walk has recorded
    core/task/patchedruns.cpp # what an attention reads, of which parts are patched
    core/analysis/functions.cpp # what the vector of heads is behind the norm of their output
    core/analysis/detect.cpp # the norms behind a head's output, as they were in the run
    core/sharing/circuits.cpp) # their weights are folded into what reads through them
only_in("kernels::attend\\(" core/packed/packedmodel.cpp)
