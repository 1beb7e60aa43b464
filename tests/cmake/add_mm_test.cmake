# mm_add_test(NAME SOURCES…): a GoogleTest program over mm_core, labelled by its folder (the layer).
# The same sources run natively and, built by emscripten, under Node.
if(CMAKE_CROSSCOMPILING)
  # Built from its sources for the other machine; distributions that ship none: name a folder of them.
  set(MM_GOOGLETEST /usr/src/googletest CACHE PATH "Sources of GoogleTest")
  if(EMSCRIPTEN)
    set(gtest_disable_pthreads ON CACHE BOOL "" FORCE)
  endif()
  add_subdirectory(${MM_GOOGLETEST} googletest EXCLUDE_FROM_ALL)
else()
  find_package(GTest REQUIRED)
endif()
if(EMSCRIPTEN)
  # Programs for Node that see its files. One file each: Node has a fetch, which the glue would try on a path.
  add_link_options(-sSINGLE_FILE=1 -sNODERAWFS=1 -sENVIRONMENT=node -sEXIT_RUNTIME=1 -sALLOW_MEMORY_GROWTH=1
                   -sINITIAL_MEMORY=64MB -sTOTAL_STACK=1MB)
endif()

function(mm_add_test name)
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE mm_core GTest::gtest_main)
  # Data is found from the source tree, so a test runs from any folder.
  target_compile_definitions(${name} PRIVATE MM_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  add_test(NAME ${name} COMMAND ${name})
  get_filename_component(layer ${CMAKE_CURRENT_SOURCE_DIR} NAME)
  set_tests_properties(${name} PROPERTIES LABELS ${layer})
endfunction()
