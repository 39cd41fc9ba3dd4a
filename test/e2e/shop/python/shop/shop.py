import hmac
import json
import secrets
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from .bank import Bank
from .books import Books
from .database import Database
from .mistakes import has
from .orders import Orders
from .payouts import Payouts
from .session import Session

EVENTS = ["payment.processing", "payment.completed", "payment.failed", "transaction.received"]
LONGEST_BODY = 100_000


class Shop:
    """Open on a free port of this machine, for the bank's webhooks and for owners who come back from signing in."""

    def __init__(self, base_url, auth_url, client_id, client_secret, database=None, now=time.time, pause=time.sleep, attempts=5):
        self.database = database or Database()
        self.maintenance = False
        self._secret = secrets.token_urlsafe(24)
        self._state = None
        self._works = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _pages_of(self))
        self._server.daemon_threads = False  # Closing waits for them.
        self.url = "http://127.0.0.1:%d" % self._server.server_address[1]
        self.hook_url = self.url + "/hooks/payments"
        redirect_uri = self.url + "/signed-in"
        self.session = Session(self.database, auth_url, client_id, client_secret, redirect_uri, now, pause)
        self.bank = Bank(base_url, self.session, now, pause, attempts)
        self.orders = Orders(self.database, self.bank, now)
        self.payouts = Payouts(self.database, self.bank, now)
        self.books = Books(self.database, self.bank)
        # The interval is how long closing may take.
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()

    def sign_in(self):
        """Begins a sign-in: where to send the owner."""
        self._state = secrets.token_urlsafe(16)
        return self.session.sign_in_url(self._state)

    def start(self):
        """Opens the books and subscribes to the bank's events."""
        self.books.open()
        headers = {"Authorization": "Bearer " + self._secret}
        self.bank.post("/api/webhooks/subscriptions", {"url": self.hook_url, "events": EVENTS, "headers": headers})

    def close_day(self, day):
        return self.books.close(day, self.orders, self.payouts)

    def work(self, work):
        """Works before the bank is answered; with a mistake, afterwards."""
        if not has("answer-first"):
            return work()
        thread = threading.Thread(target=work)
        thread.start()
        self._works.append(thread)

    def close(self):
        for thread in self._works:
            thread.join()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def is_from_the_bank(self, header):
        return hmac.compare_digest(header.encode(), ("Bearer " + self._secret).encode())

    def take(self, event, data):
        """Events come twice, late, in any order and sometimes not at all: each is taken in as news that may be old."""
        if event == "transaction.received":
            self.orders.receive(data)
            if has("refund-twice", "answer-first"):
                self.payouts.refund_at_once(data)
        elif event.startswith("payment."):
            self.payouts.record(data)

    def signed_in(self, state, code):
        if state != self._state:
            return 400, "A sign-in of nobody here"
        if code is None:
            return 200, "The shop may not use the accounts"
        self.session.sign_in(code)
        return 200, "Signed in"


def _pages_of(shop):
    class Pages(BaseHTTPRequestHandler):
        def do_POST(self):
            if shop.maintenance:
                return self._answer(503)
            length = int(self.headers.get("Content-Length", 0))
            if urlsplit(self.path).path != "/hooks/payments":
                return self._answer(404)
            if length > LONGEST_BODY:
                return self._answer(413)
            body = self.rfile.read(length)
            if not shop.is_from_the_bank(self.headers.get("Authorization", "")):
                return self._answer(401)
            delivery = json.loads(body)
            shop.work(lambda: shop.take(delivery["event"], delivery["data"]))
            return self._answer(204)

        def do_GET(self):
            url = urlsplit(self.path)
            if url.path != "/signed-in":
                return self._answer(404)
            query = {name: values[0] for name, values in parse_qs(url.query).items()}
            return self._answer(*shop.signed_in(query.get("state"), query.get("code")))

        def log_message(self, *_):
            pass

        def _answer(self, status, text=""):
            self.send_response(status)
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text.encode())

    return Pages
