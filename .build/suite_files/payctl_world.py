"""A world of the payctl emulator for each test. Made by: payctl emulator helper pytest

In conftest.py:  pytest_plugins = ["payctl_world"]
Run the suite:   payctl emulate --settle manual -- pytest

    def test_an_order_is_paid(world):
        payment = pay_order(world.base_url, world.token, world.accounts[0]["id"])
        world.advance(minutes=1)
        world.wait_for_payment(payment, "completed")
        world.assert_paid("87000001", 1000)
"""

import json
import os
import urllib.error
import urllib.parse
import urllib.request
from datetime import datetime, timedelta

import pytest


@pytest.fixture
def world():
    """A world for this test alone. The test fails if the program broke the contract of the service."""
    if "PAYCTL_CONTROL_URL" not in os.environ:
        pytest.fail("Run the suite under the emulator: payctl emulate --settle manual -- pytest")
    emulator = os.environ["PAYCTL_CONTROL_URL"]
    world = World(call(emulator, "POST", "worlds", {"ttl_seconds": 3600, "strict": True}))
    try:
        yield world
        breaches = world.control("GET", "breaches")
        if breaches["count"] > 0:
            pytest.fail("\n".join(f"{one['method']} {one['path']}: {one['what']}" for one in breaches["first"]))
    finally:
        call(emulator, "DELETE", f"worlds/{world.name}")


class World:
    """Access for the program to its world, and controls for the test. Amounts are in minor units."""

    def __init__(self, made):
        self.name = made["name"]
        self.base_url = made["base_url"]
        self.auth_url = made["auth_url"]
        self.token = made["token"]
        self.client_id = made["client_id"]
        self.client_secret = made["client_secret"]
        self.user = made["user"]
        self.accounts = made["accounts"]

    def control(self, method, path, body=None):
        """Calls a control endpoint of this world, such as ("POST", "rails", {"pin": "offline"})."""
        return call(self.base_url, method, path, body)

    def now(self):
        return datetime.fromisoformat(self.control("GET", "clock")["now"].replace("Z", "+00:00"))

    def advance(self, **duration):
        """Moves the clock by days=, hours=, minutes= or seconds=, and waits for everything that is due by then."""
        self.control("POST", "clock/advance", {"ms": round(timedelta(**duration) / timedelta(milliseconds=1))})

    def fail(self, endpoint, **fault):
        """Makes requests fail: fail("payments.create", fault="lose_answer"), fail("accounts.list", status=503)."""
        self.control("POST", "faults", {"endpoint": endpoint, **fault})

    def receive(self, amount, **credit):
        """Sends money to the first account, or to= another account, IBAN or phone."""
        if "to" not in credit:
            credit["to"] = self.accounts[0]["id"]
        return self.control("POST", "credits", {"amount": amount, **credit})

    def wait_for_payment(self, payment, status, timeout=10):
        return self._wait(timeout, payment=payment, status=status)["payment"]

    def wait_for_deliveries(self, count, timeout=10, **which):
        """Waits until as many webhooks were accepted; url= and event= count only some."""
        return self._wait(timeout, deliveries=count, **which)["deliveries"]

    def wait_for_requests(self, endpoint, count, timeout=10):
        return self._wait(timeout, requests=count, endpoint=endpoint)["requests"]

    def wait_until_idle(self, timeout=10):
        """Waits until nothing is due at any time and no webhook is being sent."""
        self._wait(timeout, idle=True)

    def _wait(self, timeout, **condition):
        return self.control("POST", "wait", {**condition, "timeout_ms": round(timeout * 1000)})

    def assert_received(self, endpoint, **expected):
        """A request came. times=, key=, body=, params=, query= and status= narrow it; times=0: none came."""
        self._assert("received", {"endpoint": endpoint, **expected})

    def assert_delivered(self, event, **expected):
        """A webhook was accepted. times=, payment=, url= and attempts= narrow it."""
        self._assert("delivered", {"event": event, **expected})

    def assert_paid(self, payee, amount, **expected):
        """The payee, by IBAN or phone, was paid the amount exactly once, or times=."""
        self._assert("paid", {"payee": payee, "amount": amount, **expected})

    def assert_balanced(self):
        result = self.control("GET", "assertions/balanced")
        assert result["pass"], "\n".join([result["message"], *result["problems"]])

    def _assert(self, name, expected):
        result = self.control("POST", f"assertions/{name}", expected)
        assert result["pass"], "\n".join([result["message"], *map(described, result["nearest"])])


def described(candidate):
    lines = [f"{one['path']}: {one.get('actual')!r} instead of {one['expected']!r}" for one in candidate["differences"]]
    return "\n  ".join([f"{candidate['id']}, {candidate['what']}", *lines])


def opener(url):
    """Opens URLs of this machine directly: a proxy in the environment can't reach the emulator."""
    is_this_machine = urllib.parse.urlsplit(url).hostname in ("127.0.0.1", "localhost", "::1")
    return urllib.request.build_opener(*[urllib.request.ProxyHandler({})] if is_this_machine else [])


def call(url, method, path, body=None):
    headers = {"Content-Type": "application/json"}
    if "PAYCTL_CONTROL_TOKEN" in os.environ:
        headers["Authorization"] = f"Bearer {os.environ['PAYCTL_CONTROL_TOKEN']}"
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"{url}/_emulator/{path}", data, headers, method=method)
    try:
        with opener(url).open(request) as answer:
            return json.load(answer)["data"]
    except urllib.error.HTTPError as error:
        raise AssertionError(f"{method} {path}: {json.load(error)['message']}") from None
