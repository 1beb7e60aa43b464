#!/usr/bin/env bash
# Makes a fresh root of a Debian release, puts a clone into it and runs a README command there: as root, then in another
# fresh root as a user with sudo. Needs root and debootstrap; the packages come from where this machine's come from.
#
#   bash tests/distro.sh trixie                            # bash native/quickstart.sh
#   MM_AS=root bash tests/distro.sh bookworm 'bash tests/run.sh'
#
# MM_AS: "root user" unless told; MM_ROOTS: folder of the roots, unless told a temporary one. The log of each run,
# build/distro/SUITE-root.log, is the proof; a run that fails leaves its root behind to be looked at.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
suite=${1:?usage: bash tests/distro.sh SUITE [COMMAND]}
command=${2:-bash native/quickstart.sh}
[ "$(id -u)" -eq 0 ] || { echo "This makes a root and enters it: run it as root." >&2; exit 1; }
command -v debootstrap >/dev/null || { echo "debootstrap is missing: apt-get install debootstrap" >&2; exit 1; }
# The mounts of the roots are seen by nobody else and end with this script.
[ -n "${MM_MOUNTS_APART:-}" ] || MM_MOUNTS_APART=1 exec unshare --mount --propagation private bash "$0" "$@"

mirror=${MM_MIRROR:-$(apt-get indextargets --format '$(SITE)' 'Identifier: Packages' 'Origin: Debian' 'Component: main' |
    head -n 1)}
[ -n "$mirror" ] || { echo "apt-get here knows no Debian archive: name one with MM_MIRROR" >&2; exit 1; }
roots=${MM_ROOTS:-$(mktemp -d)}
mkdir -p build/distro "$roots"
fresh=$roots/$suite
# A release newer than this debootstrap is made as Debian unstable is.
[ -e "/usr/share/debootstrap/scripts/$suite" ] && like=$suite || like=sid
[ -e "$fresh/etc/debian_version" ] ||
    debootstrap --variant=minbase "$suite" "$fresh" "$mirror" "$like" >"build/distro/$suite.log"

run_as() {
    local who=$1 root=$roots/$suite-$1 log=build/distro/$suite-$1.log home=/root trust=
    cp -a --one-file-system "$fresh" "$root"
    # A name server and the certificate authorities added to this machine's, and a user with sudo and nothing more.
    cp /etc/resolv.conf /etc/hosts "$root/etc/"
    if compgen -G '/usr/local/share/ca-certificates/*.crt' >/dev/null; then
        mkdir -p "$root/usr/local/share/ca-certificates"
        cp /usr/local/share/ca-certificates/*.crt "$root/usr/local/share/ca-certificates/"
        trust=NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt
    fi
    mount -t proc proc "$root/proc"
    mount -t devpts devpts "$root/dev/pts"
    mount -t tmpfs tmpfs "$root/dev/shm"
    if [ "$who" = user ]; then
        home=/home/user
        chroot "$root" sh -ec 'apt-get -qq update; apt-get -qq install -y --no-install-recommends sudo >/dev/null
            useradd --create-home --shell /bin/bash user; echo "user ALL=(ALL) NOPASSWD: ALL" >/etc/sudoers.d/user' 2>/dev/null
    fi
    git clone --quiet --no-hardlinks . "$root$home/minimind-lab"
    [ "$who" = root ] || chroot "$root" chown -R user: "$home/minimind-lab"
    local status=0
    {
        echo "Debian $(cat "$root/etc/debian_version") ($suite), $(git rev-parse --short HEAD), as $who: $command"
        chroot "$root" env -i HOME="$home" USER="$who" TERM=dumb LANG=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin \
            $trust runuser -u "$who" -- bash -c "cd $home/minimind-lab && $command" || status=$?
        echo "exit status $status after $((SECONDS / 60)) min $((SECONDS % 60)) s"
    } 2>&1 | tee "$log"
    umount "$root/proc" "$root/dev/pts" "$root/dev/shm"
    grep -q '^exit status 0 ' "$log" || return 1
    rm -rf --one-file-system "$root"
}

for who in ${MM_AS:-root user}; do
    SECONDS=0
    run_as "$who" || { echo "It failed; the root is $roots/$suite-$who." >&2; exit 1; }
done
[ -n "${MM_ROOTS:-}" ] || rm -rf --one-file-system "$roots"
