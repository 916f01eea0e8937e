#!/usr/bin/env bash
# Makes the zip of the function, for the runtime provided.al2023.
#
#   examples/batch_lambda/package.sh POLICY OUTPUT.zip [BUILD]
#
# POLICY: file of the policy, in any of its formats. BUILD: folder of the build (default:
# build). In the zip are the program with all the libraries that it needs, the dynamic
# loader among them, because that runtime's glibc is older than that of the system that
# built the program; the certificates and time zones of this system; and the policy.
set -eu
[ $# -ge 2 ] || { sed -n '2,9s/^# \{0,1\}//p' "$0" >&2; exit 2; }
policy=$1
output=$2
build=${3:-build}
program=$build/examples/batch_lambda/bootstrap
[ -f "$policy" ] || { echo "$policy: no such policy" >&2; exit 2; }
[ -x "$program" ] || { echo "$program: is not built; run: cmake --build $build --target precedent_batch_bootstrap" >&2; exit 2; }

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/lib"
cp "$program" "$folder/precedent-bootstrap"
cp "$policy" "$folder/policy.txtpb"
# `name => path (address)`, and of the loader `path (address)`.
ldd "$program" | sed -n 's/^.* => \(\/[^ ]*\) .*$/\1/p; s/^[[:space:]]*\(\/[^ ]*\) .*$/\1/p' |
  while read -r library; do cp -L "$library" "$folder/lib/"; done
loader=$(basename "$(ldd "$program" | sed -n 's/^[[:space:]]*\(\/[^ ]*ld-linux[^ ]*\) .*$/\1/p')")
for certificates in /etc/ssl/certs/ca-certificates.crt /etc/pki/tls/certs/ca-bundle.crt; do
  [ ! -f "$certificates" ] || { cp -L "$certificates" "$folder/certificates.pem"; break; }
done
if [ -d /usr/share/zoneinfo ]; then
  mkdir "$folder/zoneinfo"
  (cd /usr/share/zoneinfo && tar -ch --exclude=right --exclude=posix --exclude=localtime .) |
    tar -x -C "$folder/zoneinfo"
fi
cat >"$folder/bootstrap" <<EOF
#!/bin/sh
root=\${LAMBDA_TASK_ROOT:-\$(dirname "\$0")}
export LAMBDA_TASK_ROOT="\$root"
export AWS_CA_BUNDLE="\${AWS_CA_BUNDLE:-\$root/certificates.pem}"
export TZDIR="\${TZDIR:-\$root/zoneinfo}"
exec "\$root/lib/$loader" --library-path "\$root/lib" "\$root/precedent-bootstrap"
EOF
chmod 755 "$folder/bootstrap"
rm -f "$output"
case "$output" in /*) ;; *) output=$PWD/$output ;; esac
(cd "$folder" && python3 -m zipfile -c "$output" ./*)
echo "$output: $(du -k "$output" | cut -f1) KiB"
