"""Every review gets the answer that the library gives, whoever asks and however."""
import concurrent.futures
import json
import shutil
import subprocess
import unittest

import webhook
from webhook import SHARED, SOURCE, review


def reviews():
    """Files with requests: the project's own, and real ones where they are."""
    files = [SOURCE / "examples" / "kubernetes" / "review.json"]
    for folder in (SHARED / "data" / "kubernetes", SHARED / "data" / "kubernetes" / "admission"):
        if folder.is_dir():
            files += [path for path in sorted(folder.glob("*.json"))
                      if json.loads(path.read_bytes()).get("kind", "") == "AdmissionReview"
                      and "request" in json.loads(path.read_bytes())]
    return files


class Reviews(webhook.TestCase):
    def library(self, path):
        """What the library says, through the other program that uses it."""
        completed = subprocess.run(
            [webhook.PROGRAM, "admit", f"--policy={self.folder / 'policy.txtpb'}",
             f"--options={webhook.OPTIONS}", str(path)], stdout=subprocess.PIPE, check=False)
        return json.loads(completed.stdout)

    def test_answers_are_the_librarys(self):
        server = self.start()
        files = reviews()
        connection = server.connect()
        for path in files:
            with self.subTest(path.name):
                expected = self.library(path)
                # One connection for all: HTTP keep-alive.
                status, content = server.ask("POST", "/mutate", path.read_bytes(), connection=connection)
                self.assertEqual(status, 200)
                self.assertEqual(json.loads(content), expected)
        if len(files) == 1:
            self.skipTest("../shared is not here: only the project's own review was asked")
        self.assertGreater(len(files), 10)
        self.assertEqual(server.metric("precedent_webhook_connections_dropped_total{why=\"network\"}"), 0)

    @unittest.skipUnless(shutil.which("curl"), "curl is not installed")
    def test_curl(self):
        server = self.start()
        path = SOURCE / "examples" / "kubernetes" / "review.json"
        for extra in ([], ["-H", "Transfer-Encoding: chunked"], ["-H", "Expect: 100-continue"],
                      ["--http1.0"], ["--tlsv1.2", "--tls-max", "1.2"], ["--tlsv1.3"]):
            with self.subTest(extra):
                completed = subprocess.run(
                    ["curl", "-sS", "--cacert", str(self.folder / "ca.crt"), "-H",
                     "Content-Type: application/json; charset=utf-8", "--data-binary", f"@{path}", *extra,
                     f"https://localhost:{server.port}/mutate", f"https://localhost:{server.port}/mutate"],
                    stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, timeout=60)
                self.assertEqual(completed.returncode, 0, completed.stderr)
                answers = completed.stdout.decode().replace("}{", "}\n{").splitlines()
                self.assertEqual([json.loads(answer) for answer in answers], [self.library(path)] * 2)

    def test_500_at_once(self):
        server = self.start()

        def ask(i):
            answer = server.mutate(review(f"uid-{i}", padding=i * 7))
            return answer["response"]["uid"], answer["response"]["auditAnnotations"]["decision"]

        with concurrent.futures.ThreadPoolExecutor(100) as pool:
            answers = list(pool.map(ask, range(500)))
        self.assertEqual([uid for uid, _ in answers], [f"uid-{i}" for i in range(500)])
        self.assertEqual({decision for _, decision in answers}, {answers[0][1]})
        self.assertIn("priority=550", answers[0][1])
        metrics = server.metrics()
        self.assertEqual(metrics['precedent_webhook_reviews_total{operation="CREATE",outcome="patched",'
                                 'reason="DERIVED"}'], 500)
        self.assertEqual(metrics['precedent_webhook_decisions_total{class="low"}'], 500)
        self.assertEqual(metrics['precedent_webhook_review_seconds_count'], 500)

    def test_one_write_per_answer(self):
        """Two packets an answer cost a real API server 40 ms a call."""
        server = self.start()
        raw = server.raw()
        body = review()
        for _ in range(20):
            raw.sendall(b"POST /mutate HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                        b"Content-Length: %d\r\n\r\n" % len(body) + body)
            first = raw.recv(65536)  # one TLS record
            head, _, rest = first.partition(b"\r\n\r\n")
            length = int([line for line in head.split(b"\r\n")
                          if line.lower().startswith(b"content-length:")][0].split(b":")[1])
            self.assertEqual(len(rest), length)

    def test_undecodable_bodies_are_answered_and_counted(self):
        server = self.start()
        for body in (b"", b"{", b"null", b"\xff\xfe", b"[" * 100_000, review()[:-1]):
            with self.subTest(body[:10]):
                answer = server.mutate(body or b" ")
                self.assertTrue(answer["response"]["allowed"])
        self.assertEqual(server.metric("precedent_webhook_undecodable_total"), 6)
        self.assertEqual(server.wait_log("undecodable review")["level"], "warning")
        self.assertServes(server)

    def test_logs_hold_no_control_characters(self):
        server = self.start("--log_level=debug")
        server.mutate(review("a\u202eb\u001b[31m\n\u2028", name="evil\u0085\u200f"))
        self.assertServes(server)
        server.wait_log("decided")
        raw = server.log_path.read_bytes()
        self.assertTrue(all(byte >= 0x20 or byte == 0x0a for byte in raw))
        text = raw.decode()
        for bad in "\u202e\u2028\u0085\u200f\x7f":
            self.assertNotIn(bad, text)
        decided = server.wait_log("decided")
        self.assertEqual(decided["uid"], "a\u202eb\u001b[31m\n\u2028")  # nothing is lost
        self.assertEqual(decided["priority"], 550)


if __name__ == "__main__":
    unittest.main(warnings="ignore")
