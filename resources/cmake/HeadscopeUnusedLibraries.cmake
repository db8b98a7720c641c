# Debian's LibTorch names OpenCV and FFmpeg among the libraries that it needs, and refers to nothing in them. The two hundred
# libraries that come with them take a third of the time that LibTorch takes to be loaded, at every start. Empty libraries with
# their names are loaded in their place: those that a program itself names come first. Where they are missing, the system's are
# loaded.
include_guard()

option(HEADSCOPE_SKIP_UNUSED "Do not load the OpenCV and FFmpeg that LibTorch names and does not use" ON)

# Those of them that `library` names among what it needs and does not use.
function(headscope_find_unused library result)
    set(${result} "" PARENT_SCOPE)
    find_program(HEADSCOPE_LDD ldd)
    if(HEADSCOPE_LDD AND EXISTS "${library}")
        execute_process(COMMAND ${HEADSCOPE_LDD} --unused "${library}" OUTPUT_VARIABLE unused ERROR_QUIET)
        string(REGEX MATCHALL "lib(opencv_[a-z0-9]+|avcodec|avformat|avutil|swscale|swresample)\\.so\\.[0-9.]+" names "${unused}")
        set(${result} "${names}" PARENT_SCOPE)
    endif()
endfunction()

# Makes an empty library `file`.
function(headscope_make_empty_library file)
    get_filename_component(name "${file}" NAME)
    if(NOT EXISTS "${file}")
        execute_process(COMMAND ${CMAKE_CXX_COMPILER} -shared -nostdlib -Wl,-soname,${name} -o "${file}" -x c++ /dev/null
            COMMAND_ERROR_IS_FATAL ANY)
    endif()
endfunction()

if(HEADSCOPE_SKIP_UNUSED AND TARGET headscope_torch)
    headscope_find_unused("${HEADSCOPE_TORCH_CPU}" names)
    set(folder ${CMAKE_BINARY_DIR}/lib/headscope)
    file(MAKE_DIRECTORY ${folder})
    set(files ${names})
    list(TRANSFORM files PREPEND ${folder}/)
    foreach(file ${files})
        headscope_make_empty_library(${file})
    endforeach()
    if(files)
        # One item, so that nothing comes between the switches.
        list(JOIN files "," items)
        target_link_libraries(headscope_torch INTERFACE "-Wl,--push-state,--no-as-needed,${items},--pop-state")
        set(CMAKE_BUILD_RPATH ${folder})
        set(CMAKE_INSTALL_RPATH "$ORIGIN/../lib/headscope")
        install(FILES ${files} DESTINATION lib/headscope)
    endif()
endif()
