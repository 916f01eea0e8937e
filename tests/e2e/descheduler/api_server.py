"""As much of an API server as a descheduler needs, over TLS; it writes down what it was asked.

It is strict where a real one is: uid preconditions, budgets, resourceVersions, pages that
expire. What a descheduler has no business to ask is kept in `unexpected`.
"""
import copy
import dataclasses
import http.server
import json
import random
import re
import socket
import ssl
import struct
import threading
import time
import urllib.parse

from cluster import stops

SEGMENT = "[a-z0-9]([-a-z0-9.]*[a-z0-9])?"
LISTS = {
    "/api/v1/pods": ("pods", "v1", "PodList"),
    "/api/v1/nodes": ("nodes", "v1", "NodeList"),
    "/apis/policy/v1/poddisruptionbudgets": ("budgets", "policy/v1", "PodDisruptionBudgetList"),
    "/apis/scheduling.k8s.io/v1/priorityclasses":
        ("classes", "scheduling.k8s.io/v1", "PriorityClassList"),
    "/apis/batch/v1/jobs": ("jobs", "batch/v1", "JobList"),
}
# Asked for where a cluster has them; this one has not.
ABSENT = re.compile(r"/apis/resource\.k8s\.io/v1[a-z0-9]*/resourceclaim(template)?s")
CONFIG_MAP = re.compile(rf"/api/v1/namespaces/({SEGMENT})/configmaps(/(?P<name>{SEGMENT}))?")
POD = re.compile(rf"/api/v1/namespaces/(?P<namespace>{SEGMENT})/pods/(?P<name>{SEGMENT})"
                 r"(?P<eviction>/eviction)?")
EVENTS = re.compile(rf"/api/v1/namespaces/(?P<namespace>{SEGMENT})/events")
WRITES = ("create state", "update state", "evict", "event")


@dataclasses.dataclass
class Entry:
    """One request, and what became of it."""
    number: int
    at: float
    client: str
    method: str
    path: str
    query: dict
    body: object = None
    verb: str = "?"
    code: int = 0
    fault: str = ""
    uid: str = ""        # of an eviction: whose it was asked for
    accepted: bool = False  # of an eviction: it had an effect
    ordered: bool = False   # its client had written that it would, and nobody else since
    illegal: str = ""       # why it should not have been
    answer: object = None


class Failure(Exception):
    def __init__(self, code, reason, message, headers=(), details=None):
        super().__init__(message)
        self.code = code
        self.headers = list(headers)
        self.status = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
                       "message": message, "reason": reason, "code": code}
        if details:
            self.status["details"] = details


class Faults:
    """Which request goes wrong, and how: by seed, each with its own chance."""

    KINDS = ("429", "500", "reset before", "reset after", "cut", "short", "slow", "410", "409")

    def __init__(self, seed, chance, slow=0.02):
        self.random = random.Random(seed)
        self.chance = chance
        self.slow = slow
        self.counts = dict.fromkeys(self.KINDS, 0)
        self.quiet = False

    def next(self, entry):
        writes_state = entry.verb in ("create state", "update state")
        # Of those there are few.
        chance = max(self.chance, 0.4) if writes_state else self.chance
        if self.quiet or self.random.random() >= chance:
            return ""
        possible = [one for one in self.KINDS
                    if (one != "410" or "continue" in entry.query)
                    and (one != "409" or writes_state)]
        # The rare ones go first where they can happen at all.
        special = [one for one in ("410", "409") if one in possible]
        kind = special[0] if special and self.random.random() < 0.5 else self.random.choice(possible)
        self.counts[kind] += 1
        return kind


class ApiServer:
    """`tokens`: name of a client by its token."""

    def __init__(self, cluster, certificate, tokens):
        self.cluster = cluster
        self.lock = cluster.lock
        self.tokens = dict(tokens)
        self.log = []
        self.unexpected = []   # what is not in the list above, or lacks what it must have
        self.config_maps = {}  # name: object
        self.state_writer = None
        self.events = []
        self.pages = {}        # token: (kind, items that are left, version)
        self.expired = False   # every page that continues another is gone
        self.faults = None
        self.hook = None       # function of (entry, "before" or "after"); true: no answer
        self.denied = set()    # verbs that the client has no right to
        self.refuse = None     # function of an eviction's entry: a Failure, or None
        self.min_runtime = 0   # seconds; what evictions are held against
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_attribute = True
            timeout = 60

            def handle_one_request(self):
                try:
                    super().handle_one_request()
                except (OSError, ssl.SSLError):
                    self.close_connection = True

            def do_GET(self):  # pylint: disable=invalid-name
                outer.serve(self)

            do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = do_GET

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_):
                pass

        self.server = Server(("127.0.0.1", 0), Handler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*certificate)
        # The handshake belongs to a connection's own thread.
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True,
                                                 do_handshake_on_connect=False)
        self.address = f"127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    # Questions about the log.

    def entries(self, *verbs):
        with self.lock:
            return [one for one in self.log if one.verb in verbs]

    def writes(self):
        return self.entries(*WRITES) + [one for one in self.log if one.verb == "?"]

    def double_evictions(self):
        """Evictions asked for of pods whose eviction had been accepted.

        One that was refused by its precondition did no harm: whoever sent the first cannot know
        of it while that is still under way.
        """
        accepted, double = set(), []
        for one in self.entries("evict"):
            if one.uid in accepted and one.code != 409:
                double.append(one)
            if one.accepted:
                accepted.add(one.uid)
        return double

    # One request.

    def serve(self, handler):
        length = int(handler.headers["Content-Length"] or 0)
        text = handler.rfile.read(length)
        path, _, query = handler.path.partition("?")
        with self.lock:
            entry = Entry(len(self.log), time.time(), "", handler.command, path,
                          dict(urllib.parse.parse_qsl(query, keep_blank_values=True)))
            self.log.append(entry)
            kind, _, token = (handler.headers["Authorization"] or "").partition(" ")
            entry.client = self.tokens.get(token, "") if kind == "Bearer" else ""
            serve = self._route(entry)
            if not entry.client:
                serve = _fail(401, "Unauthorized", "Unauthorized")
            elif entry.verb in self.denied:
                serve = _fail(403, "Forbidden", f"it is not allowed to {entry.verb}")
            fault = entry.fault = self.faults.next(entry) if self.faults else ""
        if self.hook and self.hook(entry, "before"):
            return self._reset(handler)
        if fault == "slow":
            time.sleep(self.faults.slow)
        if fault == "reset before":
            return self._reset(handler)
        if fault in ("429", "500", "410", "409"):
            headers = [("Retry-After", "1")] if fault == "429" and entry.number % 4 == 0 else []
            serve = _fail(int(fault), {"429": "TooManyRequests", "500": "InternalError",
                                       "410": "Expired", "409": "Conflict"}[fault],
                          "a fault by order", headers)
        headers = []
        with self.lock:
            self.cluster.advance()
            try:
                entry.body = json.loads(text) if text else None
                entry.code, answer = serve(entry)
                entry.answer = answer
            except Failure as failure:
                entry.code, answer, headers = failure.code, failure.status, failure.headers
            except (KeyError, TypeError, ValueError) as error:
                self._mark(entry, f"unreadable: {error!r}")
                entry.code, answer = 400, {"kind": "Status", "code": 400, "message": repr(error)}
            answer = json.dumps(answer).encode()
            self.cluster.advance()
        if self.hook and self.hook(entry, "after"):
            return self._reset(handler)
        if fault == "reset after":
            return self._reset(handler)
        sent = answer[:len(answer) // 2] if fault in ("cut", "short") else answer
        # `cut`: the connection ends in the middle. `short`: the text does, and nothing says so.
        self._send(handler, entry.code, sent, len(sent) if fault == "short" else len(answer), headers)
        if fault == "cut":
            self._reset(handler)
        return None

    def _send(self, handler, code, body, length, headers):
        head = [f"HTTP/1.1 {code} {http.HTTPStatus(code).phrase}", "Content-Type: application/json",
                f"Content-Length: {length}",
                time.strftime("Date: %a, %d %b %Y %H:%M:%S GMT", time.gmtime(self.cluster.now()))]
        head += [f"{name}: {value}" for name, value in headers]
        handler.wfile.write("\r\n".join(head).encode() + b"\r\n\r\n" + body)

    @staticmethod
    def _reset(handler):
        handler.close_connection = True
        handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        handler.connection.shutdown(socket.SHUT_RDWR)

    def _mark(self, entry, why):
        self.unexpected.append(f"{entry.method} {entry.path}: {why}")

    def _route(self, entry):
        """Names the request, and says who answers it."""
        path, method = entry.path, entry.method
        if path in LISTS and method == "GET":
            entry.verb = f"list {LISTS[path][0]}"
            return self._list
        if ABSENT.fullmatch(path) and method == "GET":
            entry.verb = "list claims"
            return _fail(404, "NotFound", "the server could not find the requested resource")
        found = CONFIG_MAP.fullmatch(path)
        if found and found[1] == "precedent-system":
            for verb, wanted, named, answer in (("get state", "GET", True, self._get_state),
                                                ("create state", "POST", False, self._create_state),
                                                ("update state", "PUT", True, self._update_state)):
                if method == wanted and bool(found["name"]) == named:
                    entry.verb = verb
                    return lambda one: answer(one, found["name"])
        found = POD.fullmatch(path)
        if found and (method, bool(found["eviction"])) in (("GET", False), ("POST", True)):
            entry.verb = "evict" if found["eviction"] else "get pod"
            answer = self._evict if found["eviction"] else self._get_pod
            return lambda one: answer(one, found["namespace"], found["name"])
        found = EVENTS.fullmatch(path)
        if found and method == "POST":
            entry.verb = "event"
            return lambda one: self._event(one, found["namespace"])
        self._mark(entry, "is nobody's business here")
        return _fail(404, "NotFound", "the server could not find the requested resource")

    # Answers, each under the lock.

    def _list(self, entry):
        what, version, kind = LISTS[entry.path]
        allowed = {"limit", "continue", "resourceVersion", "fieldSelector", "resourceVersionMatch"}
        if set(entry.query) - allowed:
            self._mark(entry, f"query {sorted(entry.query)}")
        limit = int(entry.query.get("limit", 0))
        if limit <= 0:
            self._mark(entry, "a list without limit")
        token = entry.query.get("continue")
        if token:
            if self.expired or token not in self.pages:
                raise Failure(410, "Expired", "The provided continue parameter is too old")
            of, items, at = self.pages[token]
            if of != what:
                raise Failure(400, "BadRequest", "continue key is not valid")
        else:
            found = getattr(self.cluster, what)
            items = [copy.deepcopy(found[key]) for key in sorted(found)]
            if entry.query.get("fieldSelector") == "status.phase!=Succeeded,status.phase!=Failed":
                items = [one for one in items if one["status"]["phase"] in ("Pending", "Running")]
            elif entry.query.get("fieldSelector"):
                self._mark(entry, f"field selector {entry.query['fieldSelector']}")
            at = self.cluster.version
        page, rest = (items[:limit], items[limit:]) if limit > 0 else (items, [])
        metadata = {"resourceVersion": str(at)}
        if rest:
            metadata["continue"] = f"page{len(self.pages)}-{entry.number}"
            metadata["remainingItemCount"] = len(rest)
            self.pages[metadata["continue"]] = (what, rest, at)
        # The kind of a list's items is left out, and an empty list is null, as it may be.
        page = [{key: value for key, value in one.items() if key not in ("kind", "apiVersion")}
                for one in page]
        return 200, {"kind": kind, "apiVersion": version, "metadata": metadata,
                     "items": page or None}

    def _get_state(self, _, name):
        if name not in self.config_maps:
            raise Failure(404, "NotFound", f'configmaps "{name}" not found')
        return 200, self.config_maps[name]

    def _create_state(self, entry, _):
        name = self._check_state(entry)
        if "resourceVersion" in entry.body["metadata"]:
            raise Failure(400, "BadRequest",
                          "resourceVersion should not be set on objects to be created")
        if name in self.config_maps:
            raise Failure(409, "AlreadyExists", f'configmaps "{name}" already exists')
        return 201, self._keep_state(entry, name)

    def _update_state(self, entry, name):
        if self._check_state(entry) != name:
            raise Failure(400, "BadRequest", "the name of the object does not match the URL")
        if name not in self.config_maps:
            raise Failure(404, "NotFound", f'configmaps "{name}" not found')
        version = entry.body["metadata"].get("resourceVersion")
        if not version:
            self._mark(entry, "a PUT without resourceVersion overwrites what others wrote")
        elif version != self.config_maps[name]["metadata"]["resourceVersion"]:
            raise Failure(409, "Conflict", "the object has been modified; please apply your changes "
                                           "to the latest version and try again")
        return 200, self._keep_state(entry, name)

    def _check_state(self, entry):
        body = entry.body
        if (body.get("apiVersion"), body.get("kind")) != ("v1", "ConfigMap"):
            raise Failure(400, "BadRequest", "the object provided is no v1 ConfigMap")
        if body["metadata"].get("namespace", "precedent-system") != "precedent-system":
            raise Failure(400, "BadRequest", "the namespace of the object does not match the URL")
        data = body.get("data", {})
        if not all(isinstance(value, str) for value in data.values()):
            raise Failure(400, "BadRequest", "data holds what is no text")
        if sum(map(len, data.values())) > 1 << 20:
            raise Failure(422, "Invalid", "data: Too long: must have at most 1048576 bytes")
        return body["metadata"]["name"]

    def _keep_state(self, entry, name):
        kept = copy.deepcopy(entry.body)
        kept["metadata"].setdefault("uid", f"uid-{name}")
        kept["metadata"]["namespace"] = "precedent-system"
        self.config_maps[name] = kept
        self.cluster.touch(kept)
        self.state_writer = entry.client
        return kept

    def put_state(self, name, data):
        """As somebody else would write it."""
        with self.lock:
            self.config_maps[name] = {"apiVersion": "v1", "kind": "ConfigMap", "data": data,
                                      "metadata": {"name": name, "namespace": "precedent-system"}}
            self.cluster.touch(self.config_maps[name])

    def _get_pod(self, _, namespace, name):
        pod = self.cluster.pod(name, namespace)
        if not pod:
            raise Failure(404, "NotFound", f'pods "{name}" not found')
        return 200, pod

    def _evict(self, entry, namespace, name):
        body = entry.body
        unknown = set(body) - {"apiVersion", "kind", "metadata", "deleteOptions"}
        if (body.get("apiVersion"), body.get("kind")) != ("policy/v1", "Eviction") or unknown:
            self._mark(entry, f"no policy/v1 Eviction, or one with {sorted(unknown)}")
            raise Failure(400, "BadRequest", "the object provided is no policy/v1 Eviction")
        if (body["metadata"].get("name"), body["metadata"].get("namespace")) != (name, namespace):
            self._mark(entry, "the Eviction names another pod than the URL")
            raise Failure(400, "BadRequest", "name in URL does not match name in Eviction object")
        preconditions = body.get("deleteOptions", {}).get("preconditions", {})
        entry.uid = preconditions.get("uid", "")
        if not entry.uid:
            self._mark(entry, "an Eviction without a uid precondition")
        pod = self.cluster.pod(name, namespace)
        if not pod:
            raise Failure(404, "NotFound", f'pods "{name}" not found')
        uid = pod["metadata"]["uid"]
        if entry.uid and entry.uid != uid:
            raise Failure(409, "Conflict", f"the UID in the precondition ({entry.uid}) does not "
                                           f"match the UID in record ({uid})")
        version = pod["metadata"]["resourceVersion"]
        if preconditions.get("resourceVersion", version) != version:
            raise Failure(409, "Conflict", "the ResourceVersion in the precondition does not match "
                                           f"the ResourceVersion in record ({version})")
        if stops(pod):
            return 201, {"kind": "Status", "apiVersion": "v1", "status": "Success", "code": 201}
        budgets = self.cluster.budgets_of(pod)
        if pod["status"]["phase"] == "Running":
            if len(budgets) > 1:
                raise Failure(500, "InternalError", "This pod has more than one PodDisruptionBudget,"
                                                    " which the eviction subresource does not support.")
            for budget in budgets:
                if budget["status"]["disruptionsAllowed"] <= 0:
                    raise refusal(budget["metadata"]["name"])
        refused = self.refuse(entry) if self.refuse else None
        if refused:
            raise refused
        entry.accepted = True
        entry.illegal = self.cluster.why_not(pod, self.min_runtime)
        entry.ordered = entry.client == self.state_writer and any(
            uid in text for one in self.config_maps.values() for text in one["data"].values())
        entry.uid = uid
        self.cluster.evict(pod)
        return 201, {"kind": "Status", "apiVersion": "v1", "status": "Success", "code": 201}

    def _event(self, entry, namespace):
        body = entry.body
        metadata, about = body["metadata"], body["involvedObject"]
        if (body.get("apiVersion"), body.get("kind")) != ("v1", "Event"):
            raise Failure(400, "BadRequest", "the object provided is no v1 Event")
        if not metadata.get("name") and not metadata.get("generateName"):
            raise Failure(422, "Invalid", "name or generateName is required")
        if metadata.get("namespace", namespace) != namespace or about["namespace"] != namespace:
            raise Failure(422, "Invalid", "involvedObject.namespace: does not match event.namespace")
        if body.get("type") not in ("Normal", "Warning") or len(body.get("message", "")) > 1024:
            raise Failure(422, "Invalid", "type or message")
        self.events.append(body)
        return 201, body


def refusal(budget, headers=()):
    """What the eviction API says where a budget is used up."""
    return Failure(429, "TooManyRequests",
                   "Cannot evict pod as it would violate the pod's disruption budget.", headers,
                   {"causes": [{"reason": "DisruptionBudget",
                                "message": f"The disruption budget {budget} needs more healthy pods"}]})


def _fail(code, reason, message, headers=()):
    def answer(_):
        raise Failure(code, reason, message, headers)
    return answer
