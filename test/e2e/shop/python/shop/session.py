from urllib.parse import urlencode

from .failures import NoAnswer, SignedOut
from .http_json import ask

SCOPES = "read-user read-accounts send-payments manage-webhooks"

# A renewal that has taken so many seconds has died with its process.
LONGEST_RENEWAL = 30


class Session:
    """The owner's permission to use the accounts, shared by all workers of the shop."""

    def __init__(self, database, auth_url, client_id, client_secret, redirect_uri, now, pause):
        self._database = database
        self._auth_url = auth_url
        self._client = {"client_id": client_id, "client_secret": client_secret}
        self._redirect_uri = redirect_uri
        self._now = now
        self._pause = pause

    def sign_in_url(self, state):
        query = {
            "client_id": self._client["client_id"],
            "redirect_uri": self._redirect_uri,
            "response_type": "code",
            "scope": SCOPES,
            "state": state,
        }
        return "%s/oauth/authorize?%s" % (self._auth_url, urlencode(query))

    def sign_in(self, code):
        self._ask({"grant_type": "authorization_code", "redirect_uri": self._redirect_uri, "code": code})

    def token(self):
        token = self._row()["access_token"]
        if token is None:
            raise SignedOut()
        return token

    def renew(self, stale):
        """Replaces a token that was refused. A refresh token works once: one worker renews, the others wait for it."""
        while self.token() == stale:
            claimed = self._database.run(
                "UPDATE session SET renewal_since = ? WHERE access_token = ? AND renewal_since < ?",
                self._now(), stale, self._now() - LONGEST_RENEWAL,
            )
            if not claimed:
                self._pause(0.1)
                continue
            refresh_token = self._row()["refresh_token"]
            if refresh_token is None:
                raise SignedOut()
            self._ask({"grant_type": "refresh_token", "refresh_token": refresh_token})

    def _ask(self, grant):
        try:
            status, _, answer = ask("POST", self._auth_url + "/oauth/token", {}, dict(self._client, **grant))
            if status >= 500:
                raise NoAnswer("The bank answered a sign-in with %d" % status)
        except NoAnswer:
            self._database.run("UPDATE session SET renewal_since = 0")
            raise
        tokens = (answer["access_token"], answer["refresh_token"]) if status < 300 else (None, None)
        self._database.run("UPDATE session SET access_token = ?, refresh_token = ?, renewal_since = 0", *tokens)
        if status >= 300:
            raise SignedOut()

    def _row(self):
        return self._database.one("SELECT * FROM session")
