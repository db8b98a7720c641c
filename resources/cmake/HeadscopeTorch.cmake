# LibTorch as the target headscope_torch, found by its files: in CMAKE_PREFIX_PATH (an unpacked archive, or the folder
# `torch` of a pip-installed one), else the system's. Its own package asks for CUDA's compiler and development files
# wherever it was built with CUDA, and carries flags for old language standards; a program that only calls LibTorch
# needs neither, and the files lie alike in versions 1.13 and 2.15.
include_guard()

find_path(HEADSCOPE_TORCH_INCLUDE torch/csrc/api/include/torch/torch.h
    DOC "Headers of LibTorch: name its folder in CMAKE_PREFIX_PATH" REQUIRED)
find_library(HEADSCOPE_TORCH_CPU torch_cpu REQUIRED)
cmake_path(GET HEADSCOPE_TORCH_CPU PARENT_PATH folder)
find_library(HEADSCOPE_TORCH_C10 c10 HINTS ${folder} NO_DEFAULT_PATH REQUIRED)
find_library(HEADSCOPE_TORCH_CUDA torch_cuda HINTS ${folder} NO_DEFAULT_PATH)
find_library(HEADSCOPE_TORCH_C10_CUDA c10_cuda HINTS ${folder} NO_DEFAULT_PATH)

set(config ${folder}/../share/cmake/Torch/TorchConfig.cmake)
if(EXISTS ${config})
    file(STRINGS ${config} old_strings REGEX "_GLIBCXX_USE_CXX11_ABI=0")
    if(old_strings)
        message(FATAL_ERROR "The LibTorch in ${folder} was built for the strings of GCC 4, which no other library here has. "
            "Take the archive named cxx11-abi, or version 2.6 or newer.")
    endif()
endif()

# A pip-installed one carries headers of libraries that are here in versions of their own (fmt, oneDNN): only its own are seen.
set(headers ${HEADSCOPE_TORCH_INCLUDE})
if(NOT headers IN_LIST CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES)
    set(headers ${CMAKE_BINARY_DIR}/libtorch)
    file(MAKE_DIRECTORY ${headers})
    foreach(part ATen c10 caffe2 torch)
        file(CREATE_LINK ${HEADSCOPE_TORCH_INCLUDE}/${part} ${headers}/${part} SYMBOLIC)
    endforeach()
endif()

add_library(headscope_torch INTERFACE)
target_include_directories(headscope_torch SYSTEM INTERFACE ${headers} ${headers}/torch/csrc/api/include)
target_link_libraries(headscope_torch INTERFACE ${HEADSCOPE_TORCH_CPU} ${HEADSCOPE_TORCH_C10})
if(HEADSCOPE_WHEEL)
    # An empty library that names the parts there are: of a torch with CUDA its kernels, too, which register themselves.
    find_library(HEADSCOPE_TORCH_ALL torch HINTS ${folder} NO_DEFAULT_PATH REQUIRED)
    target_link_libraries(headscope_torch INTERFACE "-Wl,--push-state,--no-as-needed,${HEADSCOPE_TORCH_ALL},--pop-state")
elseif(HEADSCOPE_TORCH_CUDA AND HEADSCOPE_TORCH_C10_CUDA)
    # Nothing refers to them: being loaded, they register their kernels. One item, so that nothing comes between the switches.
    target_link_libraries(headscope_torch INTERFACE
        "-Wl,--push-state,--no-as-needed,${HEADSCOPE_TORCH_CUDA},${HEADSCOPE_TORCH_C10_CUDA},--pop-state")
    message(STATUS "LibTorch with CUDA in ${folder}")
else()
    message(STATUS "LibTorch in ${folder}")
endif()
