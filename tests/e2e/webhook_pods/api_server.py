"""As much of an API server as lists and watches pods, with faults to order."""
import collections
import http.server
import json
import queue
import ssl
import threading
import time
import urllib.parse

Request = collections.namedtuple("Request", "path query authorization")


def pod(name, priority_class="", phase="Pending", node="", created=0):
    spec = {"containers": [{"name": "main"}]}
    if priority_class:
        spec["priorityClassName"] = priority_class
    if node:
        spec["nodeName"] = node
    at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(created or time.time()))
    return {"apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": name, "uid": f"uid-{name}", "creationTimestamp": at},
            "spec": spec, "status": {"phase": phase}}


class ApiServer:
    """Pods by name. `faults` are taken one by one, each by the next request that it is for."""

    def __init__(self, certificate=None, token=None):
        self.lock = threading.RLock()
        self.version = 100
        self.pods = {}
        self.events = []  # (version, line)
        self.oldest = 0  # versions up to this are forgotten
        self.watchers = []
        self.requests = []
        self.faults = collections.deque()  # ("list" or "watch", function of a handler)
        self.token = token
        self.empty_watches = False
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):  # pylint: disable=invalid-name
                outer.answer(self)

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_):
                pass

        self.server = Server(("127.0.0.1", 0), Handler)
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*certificate)
            # The handshake belongs to a connection's own thread.
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True,
                                                     do_handshake_on_connect=False)
        self.address = f"127.0.0.1:{self.server.server_address[1]}"
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True)
        self.thread.start()

    def close(self):
        self.end_watches()
        self.server.shutdown()
        self.server.server_close()

    # What happens in the cluster.

    def put(self, one):
        with self.lock:
            name = one["metadata"]["name"]
            self._event("MODIFIED" if name in self.pods else "ADDED", one)
            self.pods[name] = one

    def delete(self, name):
        with self.lock:
            self._event("DELETED", self.pods.pop(name))

    def bookmark(self):
        with self.lock:
            self._event("BOOKMARK", {"kind": "Pod", "metadata": {}})

    def _event(self, kind, one):
        self.version += 1
        one["metadata"]["resourceVersion"] = str(self.version)
        self.send(json.dumps({"type": kind, "object": one}).encode() + b"\n", self.version)

    # What the server does.

    def send(self, line, version=None):
        with self.lock:
            if version is not None:
                self.events.append((version, line))
            for watcher in self.watchers:
                watcher.put(line)

    def forget(self, without_events=()):
        """Forgets all versions so far, and, without a word, some pods."""
        with self.lock:
            self.version += 1
            self.oldest = self.version
            for name in without_events:
                del self.pods[name]

    def gone(self):
        self.send(json.dumps({"type": "ERROR", "object": {
            "kind": "Status", "code": 410, "message": "too old resource version"}}).encode() + b"\n")

    def end_watches(self):
        with self.lock:
            for watcher in self.watchers:
                watcher.put(None)

    def fault(self, which, what):
        with self.lock:
            self.faults.append((which, what))

    def count(self, which):
        with self.lock:
            return len([one for one in self.requests if ("watch" in one.query) == (which == "watch")])

    # Answers.

    def answer(self, handler):
        path, _, text = handler.path.partition("?")
        query = dict(urllib.parse.parse_qsl(text))
        which = "watch" if "watch" in query else "list"
        with self.lock:
            self.requests.append(Request(path, query, handler.headers["Authorization"]))
            fault = None
            if self.faults and self.faults[0][0] == which:
                fault = self.faults.popleft()[1]
            denied = self.token and handler.headers["Authorization"] != f"Bearer {self.token}"
        if denied:
            status(401)(handler)
        elif fault:
            fault(handler)
        elif which == "watch":
            self.watch(handler, int(query["resourceVersion"]))
        else:
            self.list(handler, int(query["limit"]), query.get("continue", ""))

    def list(self, handler, limit, token):
        with self.lock:
            begin, version = (int(part) for part in token.split("&")) if token else (0, self.version)
            if version < self.oldest:
                return status(410)(handler)
            names = sorted(self.pods)
            metadata = {"resourceVersion": str(version)}
            if begin + limit < len(names):
                metadata["continue"] = f"{begin + limit}&{version}"
            items = [self.pods[name] for name in names[begin:begin + limit]]
            body = json.dumps({"kind": "PodList", "apiVersion": "v1", "metadata": metadata,
                               "items": items or None}).encode()
        return reply(handler, 200, body)

    def watch(self, handler, version):
        mine = queue.Queue()
        with self.lock:
            if version < self.oldest:
                return status(410)(handler)
            for at, line in self.events:
                if at > version:
                    mine.put(line)
            self.watchers.append(mine)
        handler.send_response(200)
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        try:
            while not self.empty_watches:
                line = mine.get()
                if line is None:
                    break
                # In two pieces: a line is not what arrives at once.
                for piece in (line[:7], line[7:]):
                    if piece:
                        handler.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
                        handler.wfile.flush()
            handler.wfile.write(b"0\r\n\r\n")
        except OSError:
            handler.close_connection = True
        finally:
            with self.lock:
                self.watchers.remove(mine)
        return None


def reply(handler, code, body, headers=()):
    handler.send_response(code)
    for name, value in headers:
        handler.send_header(name, value)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)


def status(code, headers=()):
    body = json.dumps({"kind": "Status", "code": code, "message": f"ordered {code}"}).encode()
    return lambda handler: reply(handler, code, body, headers)


def reset(handler):
    """Ends the connection in the middle of an answer."""
    handler.close_connection = True
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{\"kind\":")
    handler.wfile.flush()
