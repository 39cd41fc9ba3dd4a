"""The emulator that this suite is the child of: `payctl emulate --settle manual -- python3 run.py`."""

import json
import os
import urllib.error
import urllib.parse
import urllib.request
from datetime import datetime
from functools import lru_cache

from shop.database import Database
from shop.shop import Shop

SNAPSHOT = "shop-opened"
ALL_SCOPES = ("read-user", "read-accounts", "send-payments", "manage-webhooks")

# Attempts to pay an order again.
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../doubles.sql")) as file:
    DOUBLES = file.read()

# Morning of a Friday, in Costa Rica.
MORNING = "2040-01-27T09:00:00-06:00"


def control(base, method, path, body=None):
    """Calls a control endpoint, of the emulator or of one of its worlds."""
    headers = {"Content-Type": "application/json"}
    if "PAYCTL_CONTROL_TOKEN" in os.environ:
        headers["Authorization"] = "Bearer " + os.environ["PAYCTL_CONTROL_TOKEN"]
    data = json.dumps(body or {}).encode() if method == "POST" else None
    request = urllib.request.Request("%s/_emulator/%s" % (base, path), data=data, headers=headers, method=method)
    try:
        with urllib.request.urlopen(request) as response:
            return json.load(response)["data"]
    except urllib.error.HTTPError as error:
        raise AssertionError("%s %s: %s" % (method, path, json.load(error)["message"])) from None


def emulator(method, path, body=None):
    return control(os.environ["PAYCTL_CONTROL_URL"], method, path, body)


@lru_cache(maxsize=None)
def prepared():
    """The OAuth client and the tokens of a shop whose owner has signed in, in the snapshot that all tests fork."""
    if "SHOP_PREPARED" in os.environ:
        return json.loads(os.environ["SHOP_PREPARED"])
    emulator("POST", "clock/at", {"time": MORNING})
    emulator("POST", "fees", {"pin": 150, "sinpe_movil": 0})
    emulator("POST", "fx", {"bid": 500, "ask": 510})
    client = {"name": "Tienda El Roble", "redirect_uris": ["http://127.0.0.1/signed-in"]}
    made = emulator("POST", "oauth-clients", client)
    credentials = {"client_id": made["client_id"], "client_secret": made["client_secret"]}
    urls = {"base_url": os.environ["PAYCTL_BASE_URL"], "auth_url": os.environ["PAYCTL_AUTH_URL"]}
    shop = Shop(**urls, **credentials)
    consent(shop.sign_in(), emulator("GET", "worlds/default")["user"])
    shop.close()
    emulator("POST", "snapshots", {"name": SNAPSHOT})
    tokens = shop.database.one("SELECT access_token, refresh_token FROM session")
    return {"client": credentials, "tokens": tokens}


def consent(link, user, scopes=ALL_SCOPES):
    """A user of the bank's page: grants the shop so much, and is sent back to it."""
    fields = [("user", user["id"]), ("decision", "allow")] + [("grant", scope) for scope in scopes]
    urllib.request.urlopen(link, data=urllib.parse.urlencode(fields).encode()).close()


class World:
    """A world forked from the prepared one. Its time stands still until it is advanced. A test's world draws by its name."""

    def __init__(self, name=None, stream=None):
        named = {"name": name, "rng_stream": stream}
        given = {member: value for member, value in named.items() if value}
        made = emulator("POST", "worlds", dict(given, ttl_seconds=600, **{"from": {"snapshot": SNAPSHOT}}))
        self.name = made["name"]
        self.base_url = made["base_url"]
        self.auth_url = made["auth_url"]
        self.user = made["user"]
        self.accounts = {account["currency"]: account for account in made["accounts"]}
        self._time = seconds(MORNING)
        self._shops = []
        self._ended = False

    def get(self, path):
        return control(self.base_url, "GET", path)

    def post(self, path, **body):
        return control(self.base_url, "POST", path, body)

    def delete(self, path):
        return control(self.base_url, "DELETE", path)

    def now(self):
        return self._time

    def advance(self, duration):
        """Lets time pass: what falls due happens, and its webhooks are answered."""
        self._time = seconds(self.post("clock/advance", ms=round(duration * 1000))["now"])

    def open(self, signed_in=True, database=None, pause=None, attempts=5):
        """Opens a shop. It is not started."""
        database = database or Database()
        if signed_in:
            database.run(
                "UPDATE session SET access_token = ?, refresh_token = ? WHERE access_token IS NULL",
                *prepared()["tokens"].values(),
            )
        urls = {"base_url": self.base_url, "auth_url": self.auth_url}
        times = {"now": self.now, "pause": pause or self.advance, "attempts": attempts}
        shop = Shop(**urls, **prepared()["client"], database=database, **times)
        self._shops.append(shop)
        return shop

    def receive(self, amount, phone=None, iban=None, dollars=False):
        """Lets money arrive, and waits until the shops have heard of it."""
        to = self.accounts["USD"]["iban"] if dollars else self.user["phone"] if phone else self.accounts["CRC"]["iban"]
        credit = self.post("credits", to=to, amount=amount, from_phone=phone, from_iban=iban)
        self.advance(0)  # Its webhooks have been answered then.
        return credit["id"]

    def end(self):
        if not self._ended:
            self._ended = True
            emulator("DELETE", "worlds/" + self.name)

    def close(self):
        """Closes the shops, and ends it."""
        for shop in self._shops:
            shop.close()
        if not self._ended:
            self.count_doubles()
        self.end()

    def count_doubles(self):
        """Adds the orders that were paid twice, by the bank's books, to the counts of the run."""
        if "SHOP_COUNTS" not in os.environ:
            return
        if sum(self.get("state")["payments"].values()) < 2:
            return  # Each query starts a process.
        count = self.post("sql", query=DOUBLES)["rows"][0][0]
        with open(os.path.join(os.environ["SHOP_COUNTS"], os.environ["SHOP_RUN"] + ".counts"), "a") as file:
            file.write("%d\n" % count)


def seconds(time):
    return datetime.fromisoformat(time.replace("Z", "+00:00")).timestamp()
