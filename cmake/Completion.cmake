# Shells complete the words of programs that are installed: each program prints
# its own scripts, made of its table of options.

# npu_install_completions(COMPONENT PROGRAMS...): of targets, and of the Python
# programs.
function(npu_install_completions component)
  set(folder "${PROJECT_BINARY_DIR}/completions")
  file(MAKE_DIRECTORY "${folder}")
  file(GLOB_RECURSE python CONFIGURE_DEPENDS
       "${PROJECT_SOURCE_DIR}/bench/np*/*.py")
  set(scripts)
  foreach(program IN LISTS ARGN)
    set(files "${folder}/${program}" "${folder}/_${program}"
              "${folder}/${program}.fish")
    if(TARGET ${program})
      set(call $<TARGET_FILE:${program}>)
      set(made_of ${program})
    else()
      set(call "${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/${program}")
      set(made_of ${python})
    endif()
    set(commands)
    foreach(shell file IN ZIP_LISTS NPU_SHELLS files)
      list(APPEND commands COMMAND ${call} --completion=${shell} > "${file}")
    endforeach()
    add_custom_command(
      OUTPUT ${files}
      ${commands}
      DEPENDS ${made_of}
      VERBATIM)
    list(APPEND scripts ${files})
    foreach(file place IN ZIP_LISTS files NPU_COMPLETION_FOLDERS)
      install(
        FILES "${file}"
        DESTINATION "${CMAKE_INSTALL_DATADIR}/${place}"
        COMPONENT ${component})
    endforeach()
  endforeach()
  add_custom_target(completions-${component} ALL DEPENDS ${scripts})
endfunction()

set(NPU_SHELLS bash zsh fish)
set(NPU_COMPLETION_FOLDERS bash-completion/completions zsh/site-functions
                           fish/vendor_completions.d)
