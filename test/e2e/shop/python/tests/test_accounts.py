from .shop_test import ANA, HOUR, LOST, MINUTE, ShopTest


class Accounts(ShopTest):
    def setUp(self):
        super().setUp()
        self.source = "accounts/" + self.world.accounts["CRC"]["id"]

    def test_an_inactive_one_pays_when_it_is_active_again(self):
        self.world.post(self.source, status="inactive")
        payout = self.invoice()
        self.payouts.run()
        self.assertPayout(payout, status="held", reason="Source account is inactive")
        self.world.post(self.source, status="active")
        self.payouts.release(payout)
        self.pay()
        self.assertPayout(payout, status="completed")

    def test_one_that_is_too_low_pays_when_money_has_come(self):
        self.world.post(self.source, balance=1_000_100)
        payout = self.invoice(1_000_000)
        self.payouts.run()
        self.assertPayout(payout, status="held", reason="Insufficient balance")
        self.world.receive(50, phone=ANA.phone)
        self.payouts.release(payout)
        self.pay()
        self.assertPayout(payout, status="completed")
        self.assertEqual(0, self.world.get(self.source)["balance"]["value"])

    def test_the_fee_of_the_day_is_paid_a_change_of_it_is_in_the_books(self):
        self.invoice()
        self.payouts.run()
        self.world.post("fees", pin=275)
        self.invoice()
        self.pay()
        self.assertClosing("2040-01-27", fees=425, difference=0)

    def test_what_a_payment_held_that_the_rail_has_lost_comes_back(self):
        payout = self.invoice(payee=LOST, by="phone")
        self.payouts.run()
        self.assertClosing("2040-01-27", unfinished=1, difference=None)
        self.world.advance(HOUR)
        self.payouts.follow()
        self.assertPayout(payout, status="held")
        self.assertClosing("2040-01-27", unfinished=0, difference=0)
