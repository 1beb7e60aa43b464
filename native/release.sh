#!/usr/bin/env bash
# Makes what is handed out, in build/release/out: mm-native for x86-64 and for aarch64, one static program each that runs on
# any Linux (kernel 3.2 or later), the page as a zip and as one HTML file, checksums, and a list of what all of it is made of.
# On Debian 12 or 13, as root or as a user with sudo. The same commit gives the same bytes on the same packages.
#
#   bash native/release.sh          MM_PAGE=no bash native/release.sh: the programs alone
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. native/packages.sh
export TZ=UTC LC_ALL=C
umask 022

need_packages "the programs" g++ cmake ninja-build libxtensor-dev nlohmann-json3-dev libcli11-dev libboost-dev git nodejs
. native/cross.sh
need_compiler x86_64
need_compiler aarch64
[ -z "$(git status --porcelain --untracked-files=no)" ] || say "Sources differ from the commit that --version will tell."
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
version=$(sed -n 's/^project(minimind_lab VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
release=$PWD/build/release
out=$release/out
rm -rf "$out"
mkdir -p "$out"

# The compilers of both are named alike, so that an ARM machine makes the same archives.
build_program() {
    say "mm-native for $1"
    cross_configure "$1" "build/release/$1"
    cmake --build "build/release/$1" --target mm-native
}
build_program x86_64
build_program aarch64

if [ "${MM_PAGE:-yes}" = yes ]; then
    need_packages "the page" emscripten zip ca-certificates
    command -v npm >/dev/null || need_packages "npm" npm
    say "The page"
    cmake --preset web >/dev/null
    cmake --build --preset web --target web_page
    rm -rf "$release/page"
    mkdir -p "$release/page"
    cp -R build/web/site "$release/page/minimind-lab"
    cp LICENSE "$release/page/minimind-lab/LICENSE.txt"
    find "$release/page" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
    (cd "$release/page" && find minimind-lab | sort | zip -qX9 "$out/minimind-lab-$version-page.zip" -@)
    cp build/web/minimind-lab.html "$out/minimind-lab-$version.html"
fi

for processor in x86_64 aarch64; do
    name=mm-native-$version-$processor
    rm -rf "${release:?}/$name"
    mkdir "$release/$name"
    cp "build/release/$processor/mm-native" LICENSE native/GRADING.md "$release/$name/"
    [ ! -d "$release/page" ] || [ "${MM_PAGE:-yes}" = no ] || cp -R build/web/site "$release/$name/site"
    tar -C "$release" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --mode=u+w,go-w -cf - "$name" |
        gzip -9n >"$out/$name.tar.gz"
done
node native/sbom.mjs "$version" >"$out/minimind-lab-$version.spdx.json"
(cd "$out" && sha256sum -- * >SHA256SUMS && cat SHA256SUMS)

# Each program alone in an empty root: it needs nothing beside it. (As root only; the other processor's through qemu.)
if [ "$(id -u)" -eq 0 ]; then
    for processor in x86_64 aarch64; do
        empty=$(mktemp -d)
        cp "build/release/$processor/mm-native" "$empty/"
        run=(/mm-native)
        if [ "$(uname -m)" != "$processor" ]; then
            emulator=$(command -v "qemu-$processor-static") || { say "Not tried: $processor (no qemu-user-static)"; continue; }
            cp "$emulator" "$empty/emulator"
            run=(/emulator /mm-native)
        fi
        chroot "$empty" "${run[@]}" --version
        chroot "$empty" "${run[@]}" lab --pretrain demo:pretrain --sft demo:sft --out /infer >/dev/null
        chroot "$empty" "${run[@]}" grade --lang en /infer >/dev/null
        # Without /proc the page cannot be served; that is said, and not that the page is missing.
        said=$(chroot "$empty" "${run[@]}" serve --port 0 2>&1) || true
        [[ $said == *"/proc: is not mounted"* ]] || fail "serve without /proc: $said"
        say "$processor: lab and grade pass in an empty root"
        rm -rf "$empty"
    done
fi
