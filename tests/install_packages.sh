#!/usr/bin/env bash
# install_packages.sh PACKAGE...: installs those Debian packages that are missing.
# Does nothing, and asks the network nothing, when none is.
set -eu

if ! command -v dpkg-query >/dev/null; then
  echo "not a Debian system: these packages, or what they are called here, have to be there: $*" >&2
  exit 0
fi

missing=()
for package in "$@"; do
  state=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) || state=
  [ "$state" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

as_root=()
if [ "$(id -u)" != 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "missing packages, and neither root nor sudo to install them; as root, run:" >&2
    echo "  apt-get update && apt-get install -y --no-install-recommends ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi
apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300)

echo "installing ${missing[*]}"
"${apt[@]}" update || echo "apt-get update failed; trying with the package lists that are here" >&2
"${apt[@]}" install -y --no-install-recommends "${missing[@]}" >/dev/null
