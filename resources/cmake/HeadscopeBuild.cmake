# How all code of the project is compiled, and the libraries it is compiled against.
include_guard()

set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON) # of a LibTorch that is not the system's
if(HEADSCOPE_WHEEL)
    # Installed as headscope/native/bin in a folder that has torch and PyQt6 too. The older form of the path also holds for what
    # the libraries themselves need, and for the libraries of the distribution that packaging/wheel.sh lays beside.
    set(CMAKE_INSTALL_RPATH_USE_LINK_PATH OFF)
    set(CMAKE_INSTALL_RPATH "$ORIGIN/../lib/headscope:$ORIGIN/../../../torch/lib:$ORIGIN/../../../PyQt6/Qt6/lib")
    # Symbols of archives that are linked in are nobody else's. What a torch with CUDA needs lies in wheels that are not here.
    add_link_options(-Wl,--allow-shlib-undefined -Wl,--disable-new-dtags -Wl,--exclude-libs,libutf8proc.a:libxxhash.a:libfmt.a)
endif()
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "" FORCE)
endif()

# The heavy loops are LibTorch's; -O3 would only cost compile time.
string(REPLACE "-O3" "-O2" CMAKE_CXX_FLAGS_RELEASE "${CMAKE_CXX_FLAGS_RELEASE}")

# Folders that hold no heavy loops of their own call this: -O1 takes a quarter less time to compile than -O2.
macro(headscope_compile_quickly)
    string(REPLACE "-O2" "-O1" CMAKE_CXX_FLAGS_RELEASE "${CMAKE_CXX_FLAGS_RELEASE}")
endmacro()

find_program(HEADSCOPE_CCACHE ccache)
if(HEADSCOPE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    # Precompiled headers need the sloppiness settings, or nothing is ever found in the cache, and the cache of inodes, or
    # their hundreds of megabytes are read anew for every file. Relative to the checkout, what was compiled in one serves another.
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 CCACHE_INODECACHE=1
        CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${HEADSCOPE_CCACHE})
endif()

add_library(headscope_build INTERFACE)
target_compile_features(headscope_build INTERFACE cxx_std_20)
target_include_directories(headscope_build INTERFACE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/generated)
# GCC 12 sees impossible copies and deletions inside std::string (GCC bugs 105329, 105651), GCC 14 inside std::vector: five
# warnings are off for GCC.
target_compile_options(headscope_build INTERFACE -Wall -Wextra
    $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread -Wno-free-nonheap-object>
    $<$<BOOL:${HEADSCOPE_WERROR}>:-Werror>)
target_compile_definitions(headscope_build INTERFACE
    QT_NO_KEYWORDS QT_NO_CAST_FROM_ASCII QT_NO_CAST_TO_ASCII QT_USE_QSTRINGBUILDER
    QT_NO_CONTEXTLESS_CONNECT)
if(HEADSCOPE_SANITIZE)
    # Little optimization and line numbers only: what checks add to templates takes GCC many times as long to optimise and to
    # describe. The thread sanitizer adds calls alone, and needs none.
    set(level 1)
    if(HEADSCOPE_SANITIZE STREQUAL thread)
        set(level 0)
    endif()
    target_compile_options(headscope_build INTERFACE -fsanitize=${HEADSCOPE_SANITIZE} -fno-omit-frame-pointer -O${level} -g1
        -fno-var-tracking)
    if(HEADSCOPE_SANITIZE MATCHES undefined)
        # Checks of every pointer and reference take four times as long to compile; null ends in the address sanitizer, too.
        target_compile_options(headscope_build INTERFACE -fno-sanitize=null,alignment,object-size,vptr,nonnull-attribute
            -fno-sanitize=returns-nonnull-attribute)
    endif()
    target_link_options(headscope_build INTERFACE -fsanitize=${HEADSCOPE_SANITIZE})
endif()
configure_file(${CMAKE_CURRENT_LIST_DIR}/version.h.in ${PROJECT_BINARY_DIR}/generated/headscope/version.h)

find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(nlohmann_json 3.10 REQUIRED)
find_package(fmt REQUIRED)
find_package(CLI11 REQUIRED)
find_path(HEADSCOPE_BOOST_INCLUDE boost/math/distributions.hpp REQUIRED) # headers only
find_package(LibArchive REQUIRED)
find_package(TBB REQUIRED)
pkg_check_modules(utf8proc REQUIRED IMPORTED_TARGET libutf8proc)
pkg_check_modules(oniguruma REQUIRED IMPORTED_TARGET oniguruma)
pkg_check_modules(xxhash REQUIRED IMPORTED_TARGET libxxhash)
pkg_check_modules(yaml REQUIRED IMPORTED_TARGET yaml-0.1)
find_path(HEADSCOPE_SENTENCEPIECE_INCLUDE sentencepiece_processor.h REQUIRED)
find_library(HEADSCOPE_SENTENCEPIECE_LIBRARY sentencepiece REQUIRED)
find_library(HEADSCOPE_SENTENCEPIECE_TRAIN_LIBRARY sentencepiece_train REQUIRED)

if(NOT HEADSCOPE_FUZZ)
    include(HeadscopeTorch)
endif()

# oneDNN makes matrix products with weights laid out beforehand. Without it the fast paths use LibTorch's own.
add_library(headscope_dnnl INTERFACE)
find_library(HEADSCOPE_DNNL_LIBRARY dnnl)
if(HEADSCOPE_DNNL_LIBRARY) # a pip-installed LibTorch carries headers of another version
    cmake_path(GET HEADSCOPE_DNNL_LIBRARY PARENT_PATH folder)
    find_path(HEADSCOPE_DNNL_INCLUDE dnnl.hpp HINTS ${folder}/../include ${folder}/../../include NO_DEFAULT_PATH)
endif()
find_package(OpenMP)
if(HEADSCOPE_DNNL_INCLUDE AND HEADSCOPE_DNNL_LIBRARY AND OpenMP_CXX_FOUND)
    target_compile_definitions(headscope_dnnl INTERFACE HEADSCOPE_HAS_DNNL=1)
    target_include_directories(headscope_dnnl SYSTEM INTERFACE ${HEADSCOPE_DNNL_INCLUDE})
    target_link_libraries(headscope_dnnl INTERFACE ${HEADSCOPE_DNNL_LIBRARY} ${OpenMP_CXX_LIBRARIES}) # without its compiler flag, which precompiled headers lack
endif()

if(HEADSCOPE_GUI)
    find_package(Qt6 6.4 REQUIRED COMPONENTS Core Gui Widgets Charts Svg LinguistTools)
endif()

# Headers that many files see are compiled once for all of them: headscope_precompile(NAME LINK … HEADERS …) says which,
# headscope_use_precompiled(TARGET NAME) has a target see them. Files include what they use all the same. Both must be compiled with
# the same optimisation, or GCC 14 does not take them: those for files that are compiled quickly are made in such a folder.
function(headscope_precompile name)
    cmake_parse_arguments(ARG "" "" "LINK;HEADERS" ${ARGN})
    add_library(headscope_${name}_pch STATIC EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/resources/cmake/precompiled.cpp)
    target_link_libraries(headscope_${name}_pch PUBLIC headscope_build ${ARG_LINK})
    target_precompile_headers(headscope_${name}_pch PRIVATE ${ARG_HEADERS})
endfunction()

function(headscope_use_precompiled target name)
    target_precompile_headers(${target} REUSE_FROM headscope_${name}_pch)
    target_compile_options(${target} PRIVATE -fPIC) # as the headers were compiled; programs would get -fPIE
endfunction()

set(std_headers <algorithm> <filesystem> <functional> <map> <memory> <optional> <string> <variant> <vector>)
set(torch_headers <torch/types.h> <ATen/core/grad_mode.h> <torch/csrc/autograd/autograd.h>)
headscope_precompile(plain LINK nlohmann_json::nlohmann_json HEADERS ${std_headers} <nlohmann/json.hpp>)
if(TARGET headscope_torch)
    headscope_precompile(torch LINK headscope_torch HEADERS ${std_headers} ${torch_headers})
endif()

# Files of plain loops over floats, which the compiler turns into vector code. FUSED: products and sums may be rounded once
# together, as the processor has it; else after every step, on every processor.
function(headscope_vectorize)
    cmake_parse_arguments(ARG "FUSED" "" "SOURCES" ${ARGN})
    set(options -O3 -Wno-psabi $<$<STREQUAL:${CMAKE_SYSTEM_PROCESSOR},x86_64>:-mprefer-vector-width=512>)
    if(ARG_FUSED)
        list(APPEND options -fopenmp-simd -fno-math-errno -fno-trapping-math -ffp-contract=fast)
    else()
        list(APPEND options -ffp-contract=off)
    endif()
    set_source_files_properties(${ARG_SOURCES} PROPERTIES COMPILE_OPTIONS "${options}"
        SKIP_PRECOMPILE_HEADERS ON) # those are compiled with other options
endfunction()

# Several files are compiled as one: whatever templates the precompiled headers use are instantiated anew in every file
# (1.2 s with LibTorch's, 0.7 s with Qt's). So names in unnamed namespaces must differ within a folder; which files come
# together differs among versions of CMake, and -DHEADSCOPE_TOGETHER=0 puts all of a folder into one. 1: every file by itself.
set(HEADSCOPE_TOGETHER 8 CACHE STRING "How many files of a folder are compiled as one; 0: all")
function(headscope_compile_together target)
    get_target_property(sources ${target} SOURCES)
    list(LENGTH sources count)
    if(count GREATER 2 AND NOT HEADSCOPE_TOGETHER EQUAL 1)
        set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${HEADSCOPE_TOGETHER})
        # GCC means classes of headers, and sees those of files.
        target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
    endif()
endfunction()

# headscope_add_core(NAME [TORCH] [APART] SOURCES … DEPENDS …): one folder of core/ = one static library.
function(headscope_add_core name)
    cmake_parse_arguments(ARG "TORCH;APART" "" "SOURCES;DEPENDS;LINK" ${ARGN})
    add_library(headscope_${name} STATIC ${ARG_SOURCES})
    list(TRANSFORM ARG_DEPENDS PREPEND headscope_)
    target_link_libraries(headscope_${name} PUBLIC headscope_build ${ARG_DEPENDS} PRIVATE ${ARG_LINK})
    if(ARG_TORCH)
        target_link_libraries(headscope_${name} PUBLIC headscope_torch)
        headscope_use_precompiled(headscope_${name} torch)
    else()
        headscope_use_precompiled(headscope_${name} plain)
    endif()
    if(NOT ARG_APART)
        headscope_compile_together(headscope_${name})
    endif()
endfunction()
