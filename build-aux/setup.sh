# shellcheck shell=sh disable=SC2034
# SPDX-License-Identifier: MIT
# What quickstart and check share: the packages they need, and configuring a build folder.
# Sourced in the top folder of the source. Every function prints what it does, one line for a step.

# What the library and the example are built with, and what they can do without: pipelines, the bound by a
# linear program, fast kernels. "a|b": either will do, a is installed.
needed_packages="gcc make libc6-dev autoconf automake libtool pkg-config|pkgconf libhwloc-dev"
build_packages="$needed_packages libyaml-dev libsqlite3-dev libglpk-dev
	libopenblas-dev|libopenblas-pthread-dev|libopenblas-openmp-dev|libopenblas-serial-dev"

jobs=$(nproc 2>/dev/null || echo 2)

die() {
	echo "$(basename "$0"): $*" >&2
	exit 1
}

[ -w . ] && { [ ! -e build ] || [ -w build ]; } || die "can't write to $PWD or to build in it"

package_is_installed() {
	dpkg-query -W -f='${db:Status-Status}\n' "$1" 2>/dev/null | grep -qx installed
}

# Prints the packages to install for a list such as $build_packages.
packages_missing() {
	for package in "$@"; do
		for choice in $(echo "$package" | tr '|' ' '); do
			! package_is_installed "$choice" || continue 2
		done
		echo "${package%%|*}"
	done
}

# Prints how to become root: nothing for root itself, "sudo" if it works. Fails if there is no way.
packages_root() {
	[ "$(id -u)" != 0 ] || return 0
	command -v sudo >/dev/null || return 1
	sudo -n true 2>/dev/null || { [ -t 0 ] && [ -t 2 ]; } || return 1
	echo sudo
}

# packages_install PACKAGE...: installs what is missing, or says what to install; then it ends the script if one of
# $packages_at_least is missing.
packages_install() {
	if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
		echo "packages: not a Debian system, so configure will tell what is missing"
		return
	fi
	missing=$(packages_missing "$@" | tr '\n' ' ')
	if [ -z "$missing" ]; then
		echo "packages: all there"
		return
	fi
	echo "packages: missing ${missing% }"
	if ! root=$(packages_root); then
		echo "packages: to install them, as root: apt-get install --no-install-recommends ${missing% }"
		# shellcheck disable=SC2086
		[ -z "$(packages_missing $packages_at_least)" ] || exit 1
		echo "packages: going on without them"
		return
	fi
	mkdir -p build
	echo "packages: installing them${root:+ with $root} (log: build/packages.log)"
	# shellcheck disable=SC2086
	{ $root apt-get update &&
		$root env DEBIAN_FRONTEND=noninteractive \
			apt-get install -y --no-install-recommends $missing; } >build/packages.log 2>&1 </dev/null || {
		tail -n 20 build/packages.log >&2
		die "apt-get failed; the whole log is in build/packages.log"
	}
	touch build/packages.installed # folders configured before look again, see configure_again
}

# configure_script: makes ./configure if it or something it needs is not there. Later changes of its
# sources are seen by make.
configure_script() {
	for file in configure Makefile.in build-config.h.in build-aux/ltmain.sh build-aux/tap-driver.sh; do
		[ -s "$file" ] || {
			./autogen.sh
			return
		}
	done
}

# configure_parts_gone FOLDER: has a part of the makefile gone since? make can't see that by itself.
configure_parts_gone() {
	for part in $(tr -s ' \t' '\n' <"$1/Makefile" | sed -n 's|^$(srcdir)/\(.*local\.mk\)$|\1|p'); do
		[ -e "$part" ] || return 0
	done
	return 1
}

# configure_kept FOLDER OPTION...: a folder that was configured by hand. It stays as it is; that is an error where
# certain options are needed.
configure_kept() {
	folder=$1
	shift
	echo "configure: $folder was configured by hand and stays as it is"
	[ $# = 0 ] || {
		echo "configure: $folder is needed with the options $*: move it away" >&2
		return 1
	}
}

# configure_again FOLDER: configures it once more with its own options, to find packages installed since.
configure_again() {
	[ -n "$(find build/packages.installed -newer "$1/configured" 2>/dev/null)" ] || return 0
	(cd "$1" && ./config.status --recheck && ./config.status) && touch "$1/configured"
}

# configure_folder FOLDER OPTION...: configures a build folder, unless it was with these options. The file
# FOLDER/configured tells the folders configured here from those that a user configured.
configure_folder() {
	folder=$1
	shift
	if [ -e "$folder/config.status" ] && [ -e "$folder/Makefile" ]; then
		[ -e "$folder/configured" ] || {
			configure_kept "$folder" "$@"
			return
		}
		if configure_parts_gone "$folder"; then
			rm -f configure
			echo "unfinished" >"$folder/configured"
		fi
	fi
	configure_script || return
	if [ -e "$folder/config.status" ] && [ -e "$folder/Makefile" ] &&
		[ "$(cat "$folder/configured" 2>/dev/null)" = "options: $*" ]; then
		configure_again "$folder"
		return
	fi
	mkdir -p "$folder" && echo "unfinished" >"$folder/configured" || return
	top=$PWD
	(cd "$folder" && "$top/configure" "$@") || return
	echo "options: $*" >"$folder/configured"
}
