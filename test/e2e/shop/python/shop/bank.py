import uuid

from .failures import NoAnswer, Refused
from .http_json import ask
from .mistakes import mistaken


class Bank:
    """The bank's API. Repeats requests that may be repeated, and separates refusals from unknown outcomes."""

    def __init__(self, base_url, session, now, pause, attempts):
        self._base_url = base_url
        self._session = session
        self._now = now
        self._pause = pause
        self._attempts = attempts
        self._memory = str(uuid.uuid4())  # Part of the keys of a program that keeps them in memory.

    def get(self, path):
        return self._call("GET", path)

    def post(self, path, body):
        return self._call("POST", path, body)

    def pay(self, key, body, attempts=None):
        """Throws Refused when no payment was made, and NoAnswer when it is not known whether one was."""
        return self._call("POST", "/api/payments", body, key, attempts)

    def check(self, key, body):
        """Throws Refused when a payment would not be made."""
        return self._call("POST", "/api/payments/validate", body, key)

    def history(self):
        """Every payment and credit, newest first."""
        page = pages = 1
        while page <= pages:
            found = self.get("/api/payments/history?per_page=100&page=%d" % page)
            pages = found["last_page"]
            yield from found["data"]
            page += 1

    def _call(self, method, path, body=None, key=None, attempts=None):
        attempts = attempts or self._attempts
        repeatable = method == "GET" or key is not None
        renewed = False
        attempt = 0
        lost = None  # Once an answer was lost, a later refusal does not say that nothing was done.
        while True:
            attempt += 1
            token = self._session.token()
            wait = 0.5 * 2 ** attempt
            headers = {"Authorization": "Bearer " + token}
            sent, content = mistaken(key, body, self._now(), self._memory)
            if sent is not None:
                headers["X-Idempotency-Key"] = sent
            try:
                status, answered, answer = ask(method, self._base_url + path, headers, content)
                if status < 300:
                    return answer["data"]
                if status == 401 and not renewed:
                    renewed = True
                    self._session.renew(token)
                    attempt -= 1
                    continue
                if status >= 500:
                    raise NoAnswer("%d %s" % (status, answer["message"]))
                if status != 429 or attempt == attempts:
                    if lost is not None:
                        raise NoAnswer(answer["message"]) from lost
                    raise Refused(status, answer["message"])
                wait = float(answered.get("Retry-After") or wait)
            except NoAnswer as error:
                if not repeatable or attempt == attempts:
                    raise
                lost = error
            self._pause(wait)
