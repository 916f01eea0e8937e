"""examples/descheduler/checkpoint: what a training script sends to the API server."""
import datetime
import http.server
import importlib.util
import json
import os
import pathlib
import ssl
import sys
import tempfile
import threading
import unittest
import unittest.mock
import urllib.error

SOURCE = pathlib.Path(__file__).resolve().parents[3]
sys.path.append(str(SOURCE / "tests" / "e2e"))
# pylint: disable=wrong-import-position
import certificates


def load():
    path = SOURCE / "examples" / "descheduler" / "checkpoint" / "checkpoint.py"
    spec = importlib.util.spec_from_file_location("checkpoint", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Handler(http.server.BaseHTTPRequestHandler):
    def do_PATCH(self):  # pylint: disable=invalid-name
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append((self.path, self.headers["Authorization"],
                                     self.headers["Content-Type"], body))
        self.send_response(self.server.status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


class CheckpointTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        certificate, key = certificates.make(self.folder, "ca")
        (self.folder / "token").write_text("secret\n")
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.requests, self.server.status = [], 200
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        thread = threading.Thread(target=self.server.serve_forever)
        thread.start()
        self.addCleanup(lambda: (self.server.shutdown(), thread.join(), self.server.server_close()))
        environment = {"KUBERNETES_SERVICE_HOST": "127.0.0.1", "POD_NAMESPACE": "team",
                       "KUBERNETES_SERVICE_PORT": str(self.server.server_port), "POD_NAME": "train-1"}
        patch = unittest.mock.patch.dict(os.environ, environment)
        patch.start()
        self.addCleanup(patch.stop)
        self.checkpoint = load()
        self.checkpoint.ACCOUNT = str(self.folder)

    def test_the_annotation_says_now(self):
        before = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0)
        self.checkpoint.done()
        [(path, token, kind, body)] = self.server.requests
        self.assertEqual((path, token, kind),
                         ("/api/v1/namespaces/team/pods/train-1", "Bearer secret",
                          "application/merge-patch+json"))
        text = body["metadata"]["annotations"].pop("precedent.dev/last-checkpoint")
        self.assertEqual(body, {"metadata": {"annotations": {}}})
        said = datetime.datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ")
        said = said.replace(tzinfo=datetime.timezone.utc)
        self.assertTrue(before <= said <= datetime.datetime.now(datetime.timezone.utc))

    def test_a_refusal_is_an_os_error(self):
        self.server.status = 403
        with self.assertRaises(OSError):
            self.checkpoint.done()

    def test_a_stranger_gets_no_token(self):
        certificates.make(self.folder, "stranger")
        (self.folder / "stranger.crt").replace(self.folder / "ca.crt")
        with self.assertRaises(urllib.error.URLError):
            self.checkpoint.done()
        self.assertEqual(self.server.requests, [])


if __name__ == "__main__":
    if not certificates.can_make():
        print("skipped: no openssl to make certificates with")
        sys.exit(77)
    unittest.main(verbosity=1)
