# The ES module's glue as a classic script: no import.meta, no export, else the same text.
# cmake -D INPUT=minimind.js -D OUTPUT=minimind.classic.js -P classic.cmake
file(READ ${INPUT} glue)
string(REPLACE "import.meta.url" "''" classic "${glue}")
string(REGEX REPLACE "export default [A-Za-z]+;?" "" classic "${classic}")
if(classic STREQUAL glue OR classic MATCHES "import\\.meta|export default")
  message(FATAL_ERROR "${INPUT} is not the glue this script knows")
endif()
file(WRITE ${OUTPUT} "${classic}")
