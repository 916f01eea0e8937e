"""Policy, options and certificates change while it serves; whatever is wrong with them, the
last good ones serve, and the metrics and the log say so."""
import concurrent.futures
import os
import signal
import ssl
import subprocess
import threading
import time
import unittest

import webhook
from webhook import policy, review

FAILING = "precedent_webhook_policy_failing"


class Load:
    """Clients that ask all the time, on connections that live and on new ones."""

    def __init__(self, server, clients=4):
        self.server = server
        self.stop = threading.Event()
        self.pool = concurrent.futures.ThreadPoolExecutor(clients)
        self.futures = [self.pool.submit(self.run, keep=i % 2 == 0) for i in range(clients)]

    def run(self, keep):
        connection = self.server.connect()
        seen = []
        while not self.stop.is_set():
            seen.append(self.server.priority(connection if keep else None))
        connection.close()
        return seen

    def finish(self):
        """All priorities; raises what went wrong for any client."""
        self.stop.set()
        return [priority for future in self.futures for priority in future.result(60)]


class Policies(webhook.TestCase):
    def test_swap_under_load(self):
        server = self.start()
        load = Load(server)
        for generation in range(2, 42):
            self.write_policy(policy(generation, 100 * (generation % 8) + 100))
            server.wait_until(lambda: server.metric("precedent_webhook_policy_generation") == generation)
        seen = load.finish()
        self.assertGreater(len(seen), 100)
        self.assertLessEqual(set(seen), {100 * i + 150 for i in range(8)} | {550})
        self.assertGreater(len(set(seen)), 4)
        self.assertEqual(server.metric("precedent_webhook_policy_errors_total"), 0)
        self.assertEqual(sum(value for name, value in server.metrics().items()
                             if name.startswith("precedent_webhook_http_errors_total")), 0)

    def test_mounted_config_map(self):
        """The kubelet swaps a symbolic link to a folder."""
        for name, score in (("v1", 500), ("v2", 700)):
            (self.folder / name).mkdir()
            (self.folder / name / "policy.txtpb").write_text(policy(1, score))
        (self.folder / "..data").symlink_to("v1")
        (self.folder / "mounted.txtpb").symlink_to("..data/policy.txtpb")
        server = self.start(policy_file="mounted.txtpb")
        self.assertEqual(server.priority(), 550)
        (self.folder / "..tmp").symlink_to("v2")
        (self.folder / "..tmp").rename(self.folder / "..data")
        server.wait_until(lambda: server.priority() == 750)
        _, ready = server.ask("GET", "/readyz")
        self.assertIn(b"policy ", ready)

    def test_whatever_is_wrong_the_last_good_one_serves(self):
        server = self.start()
        wrong = {
            "garbage": b"\0\xff garbage",
            "a typing error": policy(2).replace("rules", "rulse"),
            "nothing": b"",
            "an older generation": policy(0, 900),
            "50 MB": b"# " + b"x" * (50 << 20) + b"\nnot a policy",
            "more than is read": b"#" * (65 << 20),
        }
        for errors, (name, content) in enumerate(wrong.items(), 1):
            with self.subTest(name):
                self.write_policy(content)
                server.wait_until(lambda: server.metric(FAILING) == 1)
                self.assertEqual(server.priority(), 550)
                # Back to what is live: no failure any more.
                self.write_policy(policy())
                server.wait_until(lambda: server.metric(FAILING) == 0)
                self.assertEqual(server.metric("precedent_webhook_policy_errors_total"), errors)
        with self.subTest("gone"):
            (self.folder / "policy.txtpb").unlink()
            server.wait_until(lambda: server.metric(FAILING) == 1)
            self.assertEqual(server.priority(), 550)
            self.write_policy(policy(2, 800))
            server.wait_until(lambda: server.metric(FAILING) == 0)
            self.assertEqual(server.priority(), 850)
        self.assertTrue(any(line["level"] == "error" and "rulse" in line["message"]
                            for line in server.lines()))

    def test_sighup_looks_at_once(self):
        server = self.start("--reload_interval=1h")
        self.write_policy(policy(2, 800))
        time.sleep(0.2)
        self.assertEqual(server.priority(), 550)
        server.process.send_signal(signal.SIGHUP)
        server.wait_until(lambda: server.priority() == 850)

    def test_start_without_a_policy(self):
        (self.folder / "policy.txtpb").write_text("broken")
        server = self.start("--on_no_policy=fallback")
        self.assertEqual(server.ask("GET", "/readyz"), (200, b"no policy: the fallback serves\n"))
        self.assertEqual(server.priority(), 500)  # of the options
        self.assertEqual(server.metric("precedent_webhook_policy_live"), 0)
        self.write_policy(policy())
        server.wait_until(lambda: server.priority() == 550)
        self.assertEqual(server.metric("precedent_webhook_policy_live"), 1)

        (self.folder / "policy.txtpb").write_text("broken")
        with self.assertRaises(AssertionError):
            self.start("--on_no_policy=fail")
        completed = subprocess.run([webhook.WEBHOOK, f"--policy={self.folder / 'none'}",
                                    f"--tls_certificate={self.folder / 'tls.crt'}",
                                    f"--tls_key={self.folder / 'tls.key'}", "--on_no_policy=fail"],
                                   stderr=subprocess.PIPE, check=False, timeout=30)
        self.assertEqual(completed.returncode, 1)
        self.assertIn(b"none", completed.stderr)

    def test_options(self):
        options = self.folder / "options.json"
        content = '{"bindings": [{"namespace": "search-*", "attribute": "TEAM", "value": "%s"}]}'
        options.write_text(content % "nlp")
        server = self.start(f"--options={options}")
        self.assertEqual(server.priority(), 500)
        options.write_text(content % "search")
        server.wait_until(lambda: server.priority() == 550)
        for bad in ("", '{"bindngs": []}', '{"keys": [{"attribute": "nobody", "keys": ["a"]}]}'):
            options.write_text(bad)
            server.wait_until(lambda: server.metric("precedent_webhook_options_failing") == 1)
            self.assertEqual(server.priority(), 550)
            options.write_text(content % "search")
            server.wait_until(lambda: server.metric("precedent_webhook_options_failing") == 0)


class Certificates(webhook.TestCase):
    def serial(self, server):
        return server.raw().getpeercert()["serialNumber"]

    def test_swap_under_load(self):
        server = self.start()
        load = Load(server)
        serials = {self.serial(server)}
        for i in range(10):
            before = self.serial(server)
            self.write_certificate(f"next{i}")
            server.wait_until(lambda: self.serial(server) != before)
            serials.add(self.serial(server))
        load.finish()
        self.assertEqual(len(serials), 11)
        self.assertEqual(server.metric('precedent_webhook_connections_dropped_total{why="handshake"}'), 0)

    def test_a_bad_pair_keeps_the_old_one(self):
        server = self.start()
        good = self.serial(server)
        certificate, key = self.folder / "tls.crt", self.folder / "tls.key"
        saved = certificate.read_bytes(), key.read_bytes()
        other = self.authority.sign("other")
        expired = self.authority.sign("expired", days=-1)
        failing = "precedent_webhook_certificate_failing"
        bad = {
            "half of a swap": (other[0].read_bytes(), saved[1]),
            "no PEM": (b"garbage", saved[1]),
            "no key": (saved[0], b""),
            "expired": (expired[0].read_bytes(), expired[1].read_bytes()),
            "huge": (b"x" * (2 << 20), saved[1]),
        }
        for errors, (name, (new_certificate, new_key)) in enumerate(bad.items(), 1):
            with self.subTest(name):
                certificate.write_bytes(new_certificate)
                key.write_bytes(new_key)
                server.wait_until(lambda: server.metric(failing) == 1)
                self.assertEqual(self.serial(server), good)
                certificate.write_bytes(saved[0])
                key.write_bytes(saved[1])
                server.wait_until(lambda: server.metric(failing) == 0)
                self.assertGreaterEqual(server.metric("precedent_webhook_certificate_errors_total"), errors)
        certificate.unlink()
        server.wait_until(lambda: server.metric(failing) == 1)
        self.assertEqual(self.serial(server), good)
        self.assertServes(server)

    def test_expiry(self):
        self.write_certificate("short", days=3)
        server = self.start()
        left = server.metric("precedent_webhook_certificate_expiry_timestamp_seconds") - time.time()
        self.assertAlmostEqual(left / 86400, 3, delta=0.1)

    def test_no_start_without_a_pair(self):
        (self.folder / "tls.key").write_bytes(self.authority.sign("other")[1].read_bytes())
        with self.assertRaisesRegex(AssertionError, "tls.key"):
            self.start()


if __name__ == "__main__":
    unittest.main(warnings="ignore")
