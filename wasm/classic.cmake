# The ES module minimind.js as a classic script: a Blob's script cannot import.
# cmake -D INPUT=minimind.js -D OUTPUT=minimind.classic.js -P classic.cmake
file(READ ${INPUT} module)
string(REPLACE "export default async function createMiniMindModule" "async function createMiniMindModule" classic "${module}")
if(classic STREQUAL module OR classic MATCHES "(^|\n)(import|export) ")
  message(FATAL_ERROR "${INPUT} is not the module this script knows")
endif()
file(WRITE ${OUTPUT} "${classic}")
