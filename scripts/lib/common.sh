# Sourced by the scripts: goes to the repository's root, and defines the functions that several of them call.
# shellcheck shell=bash

cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 2
export PATH="${CARGO_HOME:-$HOME/.cargo}/bin:$PATH"

step() { printf '\n== %s %s\n' "$(date +%T)" "$*"; }

fail() {
    printf '%s: %s\n' "$0" "$*" >&2
    exit 1
}

# The packages that are tested. Cargo chooses the features of dependencies for all packages of a command together. So
# other builds name the same packages as the tests, and nothing is built twice.
tested=(--workspace --exclude gridhunt-benches --exclude gridhunt-examples --exclude gridhunt-mpi --exclude gridhunt-web
    --features gridhunt/schema,gridhunt/man)

# beside NAME COMMAND..: runs a command beside what follows: one that keeps one processor busy, or mostly waits.
# `meet NAME` waits for it, shows what it has said, and returns its exit code. Before a script calls these, it makes a
# folder $outputs; when it ends, it calls `end_besides`.
beside() {
    # In a process group of its own, which can be ended as a whole.
    set -m
    "${@:2}" </dev/null &>"$outputs/$1.log" &
    set +m
    echo $! >"$outputs/$1.pid"
}
meet() {
    local code=0
    wait "$(<"$outputs/$1.pid")" || code=$?
    rm "$outputs/$1.pid"
    cat "$outputs/$1.log"
    [ "$code" = 0 ] || printf '%s: %s: ended with exit code %s\n' "$0" "$1" "$code" >&2
    return "$code"
}
end_besides() {
    local pid
    for pid in "$outputs"/*.pid; do
        [ -e "$pid" ] || continue
        kill -- "-$(<"$pid")" 2>/dev/null || true
        wait "$(<"$pid")" || true
    done
}

# install_package PACKAGE: a Debian package, where apt may be used. Scripts side by side install one after the other.
install_package() {
    [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null && flock /var/lib/dpkg apt-get update -qq &&
        DEBIAN_FRONTEND=noninteractive flock /var/lib/dpkg apt-get install -y -qq "$1" >/dev/null
}

# need_command COMMAND PACKAGE: installs a Debian package where the command is missing and apt may be used.
need_command() {
    command -v "$1" >/dev/null || install_package "$2" || true
    command -v "$1" >/dev/null || fail "$1 is missing: install it (Debian: apt-get install $2)"
}

# need_file 'PATTERN..' PACKAGE: installs a Debian package where no file matches and apt may be used.
need_file() {
    local pattern
    for pattern in $1; do
        [ -e "$pattern" ] && return
    done
    install_package "$2" || fail "$1 is missing: install it (Debian: apt-get install $2)"
}

# need_browser: Node.js, Chromium, and a driver of the browser, without a browser of its own. Scripts of Node.js find them
# by NODE_PATH and CHROMIUM.
need_browser() {
    local folder=target/browser
    need_command node nodejs
    need_command npm npm
    need_command chromium chromium
    mkdir -p "$folder"
    # Scripts side by side install it once.
    (flock 9 && [ -d "$folder/node_modules/playwright-core" ] || PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1 npm install --silent \
        --no-save --no-fund --no-audit --prefix "$folder" playwright-core@1.65.1) 9>"$folder/lock"
    NODE_PATH="$PWD/$folder/node_modules" CHROMIUM=$(command -v chromium)
    export NODE_PATH CHROMIUM
}

# need_miri: a nightly toolchain with Miri, and the sources that Miri interprets.
need_miri() {
    cargo +nightly miri --version >/dev/null 2>&1 && return
    rustup toolchain install nightly --profile minimal --component miri,rust-src ||
        fail "Miri is missing and rustup cannot install it: rustup toolchain install nightly --component miri,rust-src"
}

# need_rust COMPONENT..: cargo, a C compiler for the allocator, and the named rustup components.
need_rust() {
    command -v cargo >/dev/null || fail "cargo is missing: install Rust from https://rustup.rs"
    need_command cc build-essential
    local component
    for component in "$@"; do
        case $component in
        rustfmt) cargo fmt --version >/dev/null 2>&1 && continue ;;
        clippy) cargo clippy --version >/dev/null 2>&1 && continue ;;
        esac
        rustup component add "$component" || fail "the component $component is missing and rustup cannot add it"
    done
}

# need_targets TARGET..: the standard library for other systems.
need_targets() {
    local installed target
    installed=$(rustup target list --installed)
    for target in "$@"; do
        grep -qx "$target" <<<"$installed" || rustup target add "$target" ||
            fail "the target $target is missing and rustup cannot add it"
    done
}

# need_veripb: the checker of pseudo-Boolean proofs, in a folder of its own.
need_veripb() {
    local place=${CARGO_TARGET_DIR:-$PWD/target}/veripb
    export PATH="$place/bin:$PATH"
    veripb --version 2>/dev/null | grep -qx 'veripb 3.0.2' && return
    cargo install veripb --version 3.0.2 --locked --quiet --root "$place" --target-dir "$place/build"
}

# need_venv FOLDER PACKAGE..: a virtual environment of Python with these packages. Fails where they cannot be installed.
need_venv() {
    local place=$1
    shift
    need_command python3 python3
    [ -x "$place/bin/pip" ] || python3 -m venv "$place" 2>/dev/null ||
        { need_file '/usr/lib/python3*/ensurepip' python3-venv && python3 -m venv "$place"; }
    "$place/bin/pip" install --quiet "$@"
}

# need_python_tools: a virtual environment with what builds and tests the module of Python, in the folder $venv. Fails
# where it cannot be installed.
need_python_tools() {
    venv=${GRIDHUNT_PYTHON_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/gridhunt/python}
    need_venv "$venv" 'maturin>=1.9,<2' pytest mypy numpy pandas polars
}

# need_openmpi: Open MPI with its headers, and what reads them.
need_openmpi() {
    need_file '/usr/lib/*/libclang*.so* /usr/lib/llvm-*/lib/libclang*.so*' libclang-dev
    need_command clang clang
    need_command mpirun.openmpi openmpi-bin
    # The compilers come with the launchers, the headers do not.
    need_file '/usr/lib/*/openmpi/include/mpi.h' libopenmpi-dev
}

# need_planners FOLDER: need_venv with the solvers that others wrote.
need_planners() {
    need_venv "$1" didppy==0.11.1 up-fast-downward==1.0.0 unified-planning==1.3.0
}

# need_zig: a linker for macOS and musl, in a folder of its own.
need_zig() {
    cargo zigbuild --version >/dev/null 2>&1 && return
    local place=${CARGO_TARGET_DIR:-$PWD/target}/zig
    [ -x "$place/bin/cargo-zigbuild" ] || need_venv "$place" ziglang==0.17.1 cargo-zigbuild==0.24.1
    export PATH="$place/bin:$PATH"
}
