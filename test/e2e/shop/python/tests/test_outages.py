from shop.failures import NoAnswer

from .emulator import seconds
from .shop_test import CARLOS, HOUR, ShopTest


class Outages(ShopTest):
    def test_the_bank_says_how_long_to_wait_and_is_obeyed(self):
        self.world.post("faults", endpoint="payments.create", status=429, retry_after=90)
        before = self.world.now()
        payout = self.invoice(by="phone")
        self.payouts.run()
        self.assertEqual(90, self.world.now() - before)
        self.assertPayout(payout, status="sent")

    def test_the_limit_is_used_up_until_the_minute_is_over(self):
        payout = self.invoice(by="phone")
        self.world.advance(10)
        self.world.post("rate-limit", exhausted=True)
        self.payouts.run()
        self.assertEqual(seconds("2040-01-27T15:01:00Z"), self.world.now())
        self.assertPayout(payout, status="sent")

    def test_the_bank_does_not_know_its_balances_for_a_while(self):
        self.world.post("faults", endpoint="accounts.balance", status=503, times=3)
        self.assertClosing("2040-01-27", difference=0)
        self.assertEqual(3, self.world.get("faults?which=all")[0]["fired"])

    def test_the_bank_has_no_rates_what_is_priced_in_colones_is_sold_all_the_same(self):
        self.world.post("fx", offline=True)
        with self.assertRaisesRegex(NoAnswer, "Exchange rates are currently unavailable"):
            self.orders.place(10_00, "USD", phone=CARLOS.phone)
        order = self.orders.place(110_000, "CRC", phone=CARLOS.phone)
        self.world.receive(110_000, phone=CARLOS.phone)
        self.assertEqual("paid", self.orders.status(order))
        self.world.post("fx", offline=False)
        self.assertEqual(512_040, self.orders.place(10_00, "USD", phone=CARLOS.phone)["due"])

    def test_a_rail_is_out_of_order_until_the_afternoon(self):
        self.world.post("rails", sinpe_movil="offline")
        payout = self.invoice(by="phone")
        while self.world.now() < seconds("2040-01-27T14:00:00-06:00"):
            self.payouts.run()
            self.assertPayout(payout, status="queued", payment_id=None)
            self.world.advance(HOUR)
        self.world.post("rails", sinpe_movil="online")
        self.pay()
        self.assertPayout(payout, status="completed", attempt=6)
        self.assertClosing("2040-01-27", paid=110_000, difference=0)
