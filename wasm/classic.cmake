# The ES module's glue as a classic script: no import.meta, no export, else the same text.
# cmake -D INPUT=minimind.js -D OUTPUT=minimind.classic.js -P classic.cmake
file(READ ${INPUT} glue)
# A Blob's address is no base for others; whoever starts the module brings its bytes along (wasmBinary).
string(REPLACE "new URL(\"minimind.wasm\",import.meta.url).toString()" "\"minimind.wasm\"" classic "${glue}")
string(REPLACE "import.meta.url" "''" classic "${classic}")
string(REGEX REPLACE "export default [A-Za-z]+;?" "" classic "${classic}")
if(classic STREQUAL glue OR classic MATCHES "import\\.meta|export default|new URL")
  message(FATAL_ERROR "${INPUT} is not the glue this script knows")
endif()
file(WRITE ${OUTPUT} "${classic}")
