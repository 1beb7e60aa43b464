// What this run has read: no command writes over it.
#pragma once

#include <string>

namespace mm {

/// Remembers an open file (device and inode). Called wherever files are opened for reading.
void remember_input(int fd, const std::string& file);

/// @param file    about to be replaced; need not exist
/// @param option  that named it, e.g. "--out"
/// @throws Error{range} naming the option, when this run has read the file under this or any other name (a
///         symbolic or a hard link)
void refuse_to_replace_input(const std::string& file, const std::string& option);

}  // namespace mm
