"""Each bad request gets its stated answer, and the server is none the worse."""
import http.client
import re
import socket
import ssl
import struct
import time
import unittest

import webhook
from webhook import JSON, review

FAST = ("--header_timeout=300ms", "--body_timeout=300ms", "--idle_timeout=400ms")


def head(length, path="/mutate", method="POST", more=b""):
    return (f"{method} {path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
            f"Content-Length: {length}\r\n").encode() + more + b"\r\n"


def status_of(raw):
    """Of the answer; 0: the connection was closed without one."""
    content = b""
    try:
        while b"\r\n\r\n" not in content:
            part = raw.recv(65536)
            if not part:
                break
            content += part
    except (ConnectionResetError, ssl.SSLError):
        pass
    found = re.match(rb"HTTP/1\.1 (\d+)", content)
    return int(found[1]) if found else 0


class Statuses(webhook.TestCase):
    def test_methods_paths_types(self):
        server = self.start()
        body = review()
        for method, path, headers, status in [
                ("GET", "/mutate", {}, 405), ("PUT", "/mutate", JSON, 405), ("POST", "/healthz", JSON, 405),
                ("POST", "/", JSON, 404), ("GET", "/metrics", {}, 404), ("GET", "/mutate/", {}, 404),
                ("POST", "/mutate", {"Content-Type": "text/plain"}, 415), ("POST", "/mutate", {"X": "y"}, 415),
                ("POST", "/mutate", {"Content-Type": "application/json; charset=utf-8"}, 200),
                ("POST", "/mutate?timeout=2s", JSON, 200), ("GET", "/healthz", {}, 200),
                ("HEAD", "/readyz", {}, 200)]:
            with self.subTest(f"{method} {path} {headers}"):
                got, _ = server.ask(method, path, body if method in ("POST", "PUT") else None, headers)
                self.assertEqual(got, status)
        connection = server.connect()
        connection.request("GET", "/mutate")
        answer = connection.getresponse()
        answer.read()
        self.assertEqual(answer.getheader("Allow"), "POST")
        # A refused request without body does not end the connection.
        self.assertEqual(server.mutate(body, connection)["response"]["uid"], "u")
        metrics = server.metrics()
        self.assertEqual(metrics['precedent_webhook_http_errors_total{status="405"}'], 4)
        self.assertEqual(metrics['precedent_webhook_http_errors_total{status="415"}'], 2)

    def test_large_bodies(self):
        server = self.start()
        limit = 7 << 20
        for chunked in (False, True):
            with self.subTest(chunked=chunked):
                connection = server.connect()
                body = b" " * (10 << 20)
                connection.request("POST", "/mutate", iter([body[i:i + 65536] for i in range(0, len(body), 65536)])
                                   if chunked else body, JSON, encode_chunked=chunked)
                answer = connection.getresponse()
                self.assertEqual(answer.status, 413)
                answer.read()
                connection.close()
        # As large as it may be.
        body = review()
        answer = server.mutate(body + b" " * (limit - len(body)))
        self.assertEqual(answer["response"]["uid"], "u")
        self.assertEqual(server.metric("precedent_webhook_oversize_total"), 2)
        # A length that no memory has is refused before anything is read.
        raw = server.raw()
        raw.sendall(head(1 << 60))
        self.assertEqual(status_of(raw), 413)
        self.assertServes(server)

    def test_all_bodies_together_are_bounded(self):
        server = self.start("--max_body_bytes=1000000", "--max_bodies_bytes=2500000")
        held = []
        statuses = []
        for _ in range(6):
            raw = server.raw()
            raw.sendall(head(900_000) + b" " * 899_999)
            held.append(raw)
        for raw in held:
            raw.settimeout(1)
            try:
                statuses.append(status_of(raw))
            except socket.timeout:
                statuses.append(None)  # it waits for the last byte
        self.assertGreaterEqual(statuses.count(503), 3, statuses)
        self.assertGreaterEqual(statuses.count(None), 1, statuses)
        for raw in held:
            raw.close()
        # Who goes gives back what he held.
        server.wait_until(lambda: server.ask("POST", "/mutate", b" " * 900_000)[0] == 200)
        self.assertServes(server)

    def test_what_is_no_http(self):
        server = self.start()
        for text, status in [(b"nonsense\r\n\r\n", 400), (b"POST /mutate HTTP/9.9\r\n\r\n", 400),
                             (b"GET /healthz HTTP/1.1\r\nbad header\r\n\r\n", 400),
                             (b"GET /" + b"a" * 40_000 + b" HTTP/1.1\r\n\r\n", 431),
                             (b"GET /healthz HTTP/1.1\r\nX: " + b"a" * 40_000 + b"\r\n\r\n", 431),
                             (head("-1"), 400), (head("1x"), 400), (head(5, more=b"Content-Length: 6\r\n"), 400),
                             (b"POST /mutate HTTP/1.1\r\nContent-Type: application/json\r\n"
                              b"Transfer-Encoding: chunked\r\n\r\nzz\r\n", 400)]:
            with self.subTest(text[:30]):
                raw = server.raw()
                raw.sendall(text)
                self.assertEqual(status_of(raw), status)
                raw.close()
        self.assertServes(server)

    def test_slow_and_silent_clients_are_closed(self):
        server = self.start(*FAST)
        body = review()
        cases = {
            "nothing after the handshake": b"",
            "half a header": b"POST /mutate HT",
            "half a body": head(len(body)) + body[:100],
        }
        for name, sent in cases.items():
            with self.subTest(name):
                raw = server.raw(timeout=10)
                raw.sendall(sent)
                begin = time.monotonic()
                self.assertEqual(status_of(raw), 0)
                self.assertGreater(time.monotonic() - begin, 0.1)
        # One byte at a time does not move the deadline.
        raw = server.raw(timeout=10)
        sent = 0
        with self.assertRaises((OSError, AssertionError)):
            for byte in head(len(body)):
                raw.sendall(bytes([byte]))
                sent += 1
                time.sleep(0.05)
            self.fail("was never closed")
        # No handshake at all.
        plain = socket.create_connection(("127.0.0.1", server.port), timeout=10)
        self.assertEqual(plain.recv(10), b"")
        # Half a header, half a body, one byte at a time, no handshake: not who is merely idle.
        server.wait_until(
            lambda: server.metric('precedent_webhook_connections_dropped_total{why="timeout"}') >= 4)
        self.assertServes(server)

    def test_slow_reader(self):
        """Pipelines requests and reads no answer until the server's buffers are full."""
        server = self.start(*FAST)
        plain = socket.socket()
        plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        plain.settimeout(2)
        plain.connect(("127.0.0.1", server.port))
        raw = server.context.wrap_socket(plain, server_hostname="localhost")
        body = review()
        request = head(len(body)) + body
        with self.assertRaises(OSError):
            for _ in range(20_000):
                raw.sendall(request)
        server.wait_until(lambda: server.metric("precedent_webhook_connections_dropped_total{why=\"timeout\"}") >= 1)
        self.assertServes(server)

    def test_half_open_and_reset(self):
        server = self.start()
        body = review()
        # Says that it will send no more, and still gets its answer.
        plain = socket.create_connection(("127.0.0.1", server.port), timeout=10)
        plain.shutdown(socket.SHUT_WR)
        self.assertEqual(plain.recv(10), b"")
        for sent in (b"", head(len(body)), head(len(body)) + body[:50], head(len(body)) + body):
            raw = server.raw()
            raw.sendall(sent)
            # Closes with a reset.
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            raw.close()
        self.assertServes(server)

    def test_pipelined_requests_are_answered_in_order(self):
        server = self.start()
        raw = server.raw()
        raw.sendall(b"".join(head(len(body)) + body for body in (review(f"p{i}") for i in range(50))))
        content = b""
        while content.count(b"HTTP/1.1 200") < 50 or not content.endswith(b"}"):
            content += raw.recv(65536)
        self.assertEqual(re.findall(rb'"uid":"(p\d+)"', content), [b"p%d" % i for i in range(50)])


class Tls(webhook.TestCase):
    def test_bad_tls(self):
        server = self.start()
        for sent in (b"GET /healthz HTTP/1.1\r\n\r\n", b"\x16\x03\x01\xff\xff" + b"\0" * 300, b"\x15\x03\x01\0\2\2\0"):
            plain = socket.create_connection(("127.0.0.1", server.port), timeout=10)
            plain.sendall(sent)
            try:
                while plain.recv(4096):
                    pass
            except ConnectionResetError:
                pass
            plain.close()
        old = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        old.load_verify_locations(str(self.folder / "ca.crt"))
        old.minimum_version = ssl.TLSVersion.TLSv1
        old.maximum_version = ssl.TLSVersion.TLSv1_1
        old.set_ciphers("ALL:@SECLEVEL=0")
        with self.assertRaises(OSError):
            old.wrap_socket(socket.create_connection(("127.0.0.1", server.port)), server_hostname="localhost")
        server.wait_until(lambda: server.metric(
            'precedent_webhook_connections_dropped_total{why="handshake"}') >= 3)
        self.assertServes(server)

    def test_alpn(self):
        """Go offers h2 before http/1.1."""
        server = self.start()
        server.context.set_alpn_protocols(["h2", "http/1.1"])
        raw = server.raw()
        self.assertEqual(raw.selected_alpn_protocol(), "http/1.1")
        self.assertServes(server)

    def test_client_certificates(self):
        certificate, key = self.authority.sign("client", subject="apiserver")
        expired = self.authority.sign("expired", days=-1)
        other = webhook.Authority(self.folder, "other").sign("stranger")
        server = self.start(f"--client_ca={self.folder / 'ca.crt'}")

        def ask(pair):
            context = ssl.create_default_context(cafile=str(self.folder / "ca.crt"))
            if pair:
                context.load_cert_chain(*pair)
            connection = http.client.HTTPSConnection("localhost", server.port, context=context, timeout=10)
            connection.request("POST", "/mutate", review(), JSON)
            return connection.getresponse().status

        self.assertEqual(ask((certificate, key)), 200)
        for pair in (None, expired, other):
            with self.assertRaises(OSError):  # of the handshake, by TLS 1.3 at the first read
                ask(pair)
        self.assertEqual(ask((certificate, key)), 200)


if __name__ == "__main__":
    unittest.main(warnings="ignore")
