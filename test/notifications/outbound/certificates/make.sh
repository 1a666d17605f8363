#!/bin/sh
# Makes the certificates of these tests anew: an authority of our own, and what it signed. All but one are valid for
# 100 years. The authority's key is thrown away.
set -e
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
touch "$work/index.txt"
cat >"$work/config" <<END
[ca]
default_ca = tests
[tests]
database = $work/index.txt
new_certs_dir = $work
rand_serial = yes
unique_subject = no
default_md = sha256
policy = any
[any]
commonName = supplied
[authority]
basicConstraints = critical, CA:true
[good]
subjectAltName = DNS:hooks.example.com, IP:127.0.0.1
[other]
subjectAltName = DNS:other.example.com
END
new_key() {
	openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$1" -out "$2" -subj "/CN=$3"
}
sign() {
	request=$1 out=$2 extensions=$3 end=$4
	shift 4
	openssl ca -batch -notext -config "$work/config" -in "$request" -out "$out" -extensions "$extensions" \
		-startdate 20200101000000Z -enddate "$end" "$@"
}
new_key "$work/authority.key" "$work/authority.csr" 'Slotwise tests'
new_key server.key "$work/server.csr" hooks.example.com
sign "$work/authority.csr" authority.pem authority 21200101000000Z -selfsign -keyfile "$work/authority.key"
sign "$work/server.csr" self-signed.pem good 21200101000000Z -selfsign -keyfile server.key
for each in 'good good 2120' 'other-name other 2120' 'expired good 2021'; do
	set -- $each
	sign "$work/server.csr" "$1.pem" "$2" "$3"0101000000Z -cert authority.pem -keyfile "$work/authority.key"
done
