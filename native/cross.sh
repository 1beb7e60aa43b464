# For native/release.sh and tests/aarch64.sh to source, in the top folder: static programs for x86_64 or aarch64, by Debian's
# compilers for each, with the header-only packages of this machine.

# need_compiler PROCESSOR: installs it, except where g++ has brought it: Debian 12 has no such package for its own processor.
need_compiler() {
    command -v "$1-linux-gnu-g++" >/dev/null || need_packages "programs for $1" "g++-${1/_/-}-linux-gnu"
}

# cross_configure PROCESSOR FOLDER CMAKE-OPTION…
cross_configure() {
    local processor=$1 folder=$2 package found=() place
    shift 2
    # Where the packages are is asked of a configuration for this machine: CMake looks for none in another's folders.
    mkdir -p build/host
    {
        echo 'cmake_minimum_required(VERSION 3.25)'
        echo 'project(host LANGUAGES CXX)'
        for package in Boost CLI11 nlohmann_json xtensor; do echo "find_package($package CONFIG QUIET)"; done
    } >build/host/CMakeLists.txt
    cmake -S build/host -B build/host/build >/dev/null
    for package in Boost CLI11 nlohmann_json xtensor xtl; do
        place=$(sed -n "s/^${package}_DIR:PATH=//p" build/host/build/CMakeCache.txt)
        [ -z "$place" ] || found+=("-D${package}_DIR=$place")
    done
    cmake -S . -B "$folder" -G Ninja -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR="$processor" \
        -DCMAKE_C_COMPILER="$processor-linux-gnu-gcc" -DCMAKE_CXX_COMPILER="$processor-linux-gnu-g++" \
        -DCMAKE_CXX_FLAGS="-ffile-prefix-map=$PWD=." -DCMAKE_EXE_LINKER_FLAGS="-static -s" "${found[@]}" "$@" >/dev/null
}
