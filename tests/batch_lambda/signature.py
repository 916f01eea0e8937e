"""Signature Version 4, recomputed from a request as it arrived."""
import hashlib
import hmac
import re

ACCESS_KEY = "AKIDEXAMPLE"
SECRET_KEY = "example-not-a-secret"
HEADER = re.compile(r"AWS4-HMAC-SHA256 Credential=([^/]+)/(\d{8})/([^/]+)/([^/]+)/aws4_request, ?"
                    r"SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})\Z")


def _mac(key, text):
    return hmac.new(key, text.encode(), hashlib.sha256).digest()


def problem(method, path, headers, body, secret_key=SECRET_KEY, must=("host", "x-amz-date")):
    """What is wrong with the signature, or None. `headers`: names in lower case."""
    match = HEADER.match(headers.get("authorization", ""))
    if not match:
        return f"no signature: {headers.get('authorization')!r}"
    key, day, region, service, signed, signature = match.groups()
    names = signed.split(";")
    if names != sorted(names) or any(name not in names for name in must):
        return f"signed headers: {signed}"
    # Whatever speaks to the service has to be signed.
    for name in headers:
        if (name.startswith("x-amz") or name == "content-type") and name not in names:
            return f"header {name} is not signed"
    canonical = "\n".join([
        method, path, "",
        *(f"{name}:{' '.join(headers.get(name, '').split())}" for name in names), "",
        signed, hashlib.sha256(body).hexdigest()])
    date = headers.get("x-amz-date", "")
    text = "\n".join(["AWS4-HMAC-SHA256", date, f"{day}/{region}/{service}/aws4_request",
                      hashlib.sha256(canonical.encode()).hexdigest()])
    mac = _mac(_mac(_mac(_mac(f"AWS4{secret_key}".encode(), day), region), service), "aws4_request")
    if hmac.new(mac, text.encode(), hashlib.sha256).hexdigest() != signature:
        return f"signature does not match; canonical request:\n{canonical}"
    return None if date.startswith(day) else "the day is not that of the date"


def service_of(headers):
    match = HEADER.match(headers.get("authorization", ""))
    return match.group(4) if match else ""
