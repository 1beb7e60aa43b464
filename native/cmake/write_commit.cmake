# Writes OUTPUT, a header that defines MM_COMMIT, when it would change. Run at every build: a commit is not a file
# that could be depended on.
set(commit unknown)
if(GIT AND EXISTS ${SOURCE}/.git)
  execute_process(COMMAND ${GIT} describe --always --dirty --exclude * --abbrev=12 WORKING_DIRECTORY ${SOURCE}
                  OUTPUT_VARIABLE found OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE status)
  if(status EQUAL 0)
    set(commit ${found})
  endif()
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "#define MM_COMMIT \"${commit}\"\n" @ONLY)
