import urllib.error
import urllib.parse
import urllib.request
from concurrent.futures import ThreadPoolExecutor

from shop.failures import SignedOut

from .emulator import seconds, consent, prepared
from .shop_test import HOUR, MINUTE, ShopTest


class SigningIn(ShopTest):
    def test_the_owner_signs_in_and_the_shop_may_use_the_accounts(self):
        shop = self.world.open(signed_in=False)
        with self.assertRaises(SignedOut):
            shop.start()
        consent(shop.sign_in(), self.world.user)
        shop.start()
        self.assertEqual(250_000_000, shop.books.account("CRC")["opening_balance"])

    def test_the_owner_grants_less_than_the_shop_needs_and_it_says_what_is_missing(self):
        self.shop.database.run("UPDATE session SET access_token = NULL")
        consent(self.shop.sign_in(), self.world.user, ["read-accounts", "manage-webhooks"])
        payout = self.invoice()
        self.payouts.run()
        self.assertPayout(payout, status="held", reason="Invalid scope(s) provided.")
        consent(self.shop.sign_in(), self.world.user)
        self.payouts.release(payout)
        self.payouts.run()
        self.assertPayout(payout, status="sent")

    def test_the_owner_is_not_asked_again_when_the_token_expires_between_two_payouts(self):
        payouts = [self.invoice() for _ in range(3)]
        self.world.post("faults", endpoint="payments.create", status=429, retry_after=3600, after=1)
        self.pay()
        for payout in payouts:
            self.assertPayout(payout, status="completed")

    def test_the_owner_is_not_asked_again_when_two_workers_find_the_token_expired_at_once(self):
        other = self.world.open(database=self.shop.database)
        self.world.advance(2 * HOUR)
        with ThreadPoolExecutor(4) as threads:
            answers = list(threads.map(lambda shop: shop.bank.get("/api/accounts"), [self.shop, other] * 2))
        self.assertEqual(4, len(answers))
        ends = [token["expires_at"] for token in self.world.get("tokens") if token["expires_at"]]
        self.assertEqual(1, len([end for end in ends if seconds(end) > self.world.now()]))

    def test_the_owner_signs_in_again_when_the_permission_was_stolen_payouts_wait_until_then(self):
        payout = self.invoice()
        self.world.advance(2 * HOUR)
        self.shop.bank.get("/api/accounts")
        self.steal()
        with self.assertRaises(SignedOut):
            self.payouts.run()
        self.assertPayout(payout, status="queued", payment_id=None)
        consent(self.shop.sign_in(), self.world.user)
        self.world.advance(MINUTE)
        self.pay()
        self.assertPayout(payout, status="completed")

    def steal(self):
        """Uses a refresh token that the shop has used before: the bank then ends the whole permission."""
        used = prepared()["tokens"]["refresh_token"]
        fields = dict(prepared()["client"], grant_type="refresh_token", refresh_token=used)
        with self.assertRaises(urllib.error.HTTPError) as refusal:
            urllib.request.urlopen(self.world.auth_url + "/oauth/token", urllib.parse.urlencode(fields).encode())
        self.assertEqual(400, refusal.exception.code)
        refusal.exception.close()
