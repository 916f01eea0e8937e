"""For a training script: `checkpoint.done()` after each checkpoint that is safely stored."""
import datetime
import json
import os
import ssl
import urllib.request

ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount"


def done():
    """Writes the time into the annotation of this pod. Raises OSError: train on, try next time."""
    now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    patch = {"metadata": {"annotations": {"precedent.dev/last-checkpoint": now}}}
    with open(f"{ACCOUNT}/token", encoding="utf-8") as file:
        token = file.read().strip()
    server = os.environ["KUBERNETES_SERVICE_HOST"] + ":" + os.environ["KUBERNETES_SERVICE_PORT"]
    pod = f"{os.environ['POD_NAMESPACE']}/pods/{os.environ['POD_NAME']}"
    request = urllib.request.Request(
        f"https://{server}/api/v1/namespaces/{pod}", json.dumps(patch).encode(),
        {"Authorization": f"Bearer {token}", "Content-Type": "application/merge-patch+json"},
        method="PATCH")
    trusted = ssl.create_default_context(cafile=f"{ACCOUNT}/ca.crt")
    urllib.request.urlopen(request, timeout=10, context=trusted).close()
