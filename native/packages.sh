# For quickstart.sh and tests/run.sh to source: installs Debian packages that are missing, and none when all
# are there, so that both scripts work again without a network.

say() { printf '%s\n' "$*"; }
fail() {
    printf '%s\n' "$*" >&2
    exit 1
}

# need_packages WHAT-FOR PACKAGE…
need_packages() {
    local purpose=$1 package
    shift
    command -v apt-get >/dev/null && command -v dpkg-query >/dev/null ||
        fail "This script installs Debian packages and finds no apt-get here. Needed for $purpose: $*"
    local missing=()
    for package in "$@"; do
        [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
    done
    if [ ${#missing[@]} -eq 0 ]; then
        say "Packages for $purpose: all there."
        return
    fi
    local as_root=()
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null ||
            fail "Run this as root once, or install sudo: apt-get install ${missing[*]}"
        as_root=(sudo)
    fi
    say "Packages for $purpose: installing ${missing[*]}"
    # Another apt at work is waited for; the package lists may be missing altogether in a fresh container.
    local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=600)
    "${apt[@]}" update || say "The package lists could not be updated; trying with those that are there."
    "${apt[@]}" install -y --no-install-recommends "${missing[@]}" >/dev/null ||
        fail "apt-get could not install: ${missing[*]} (is there a network?)"
}

# has_package PACKAGE: whether this release has it.
has_package() { [ -n "$(apt-cache policy "$1" 2>/dev/null | sed -n 's/.*Candidate: \([^(]\)/\1/p')" ]; }
