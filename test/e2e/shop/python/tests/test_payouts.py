from contextlib import suppress

from shop.failures import NoAnswer, Refused

from .shop_test import ANA, CARLOS, CLOSED, HARDWARE, HOUR, IMPORTS, MINUTE, REJECTING, ShopTest


class Payouts(ShopTest):
    def test_a_supplier_is_paid_by_iban_with_the_fee_of_the_rail(self):
        payout = self.payouts.pay_supplier(
            "FERRETERIA EL ROBLE S.A.", 12_345_600, "CRC", "Invoice 4711, January", iban=HARDWARE.iban
        )
        self.pay()
        payment = self.payouts.get(payout["id"])["payment_id"]
        self.world.post("wait", payment=payment, status="completed")
        self.assertPayout(payout, status="completed")
        self.assertClosing("2040-01-27", paid=12_345_600, fees=150, difference=0)

    def test_one_in_dollars_leaves_the_account_in_dollars(self):
        payout = self.invoice(150_000, IMPORTS, currency="USD")
        self.pay()
        self.assertPayout(payout, status="completed")
        self.assertClosing("2040-01-27", paid={"CRC": 0, "USD": 150_000}, difference=0)

    def test_an_account_of_another_holder_or_of_nobody_is_not_paid(self):
        wrong = self.payouts.pay_supplier(HARDWARE.name, 500_000, "CRC", "Invoice 4711, January", phone=ANA.phone)
        self.assertPayout(wrong, status="held", reason="The account is that of " + ANA.name)
        nobody = self.payouts.pay_supplier(ANA.name, 500_000, "CRC", "Invoice 4711, January", phone="89999999")
        self.assertPayout(nobody, status="held", reason="There is no such account")
        self.payouts.run()
        self.assertEqual({}, self.payments())

    def test_a_refund_goes_back_to_who_paid_once(self):
        order = self.orders.place(640_000, "CRC", phone=CARLOS.phone)
        self.world.receive(640_000, phone=CARLOS.phone)
        credit = self.orders.credit_of(order)
        refund = self.payouts.refund(credit)
        self.assertEqual(refund, self.payouts.refund(credit))
        self.pay()
        self.assertPayout(refund, phone=CARLOS.phone, amount=640_000, status="completed")
        self.assertEqual(1, len(self.payouts.all()))
        self.assertEqual("refunded", self.orders.status(order))

    def test_what_the_payees_bank_refuses_is_held_with_the_reason(self):
        self.assertPayout(self.invoice(100_000, CLOSED), status="held", reason="The account is closed")
        payout = self.invoice(100_000, REJECTING, by="phone")
        self.pay()
        held = self.payouts.get(payout["id"])
        self.assertEqual("held", held["status"])
        self.assertTrue(held["payment_id"] and held["reason"])
        self.assertClosing("2040-01-27", paid=0, difference=0)
        self.world.advance(HOUR)
        self.assertPayout(payout, status="held")


class Workers(ShopTest):
    def start(self):
        self.shop.books.open()  # The bank sends the shop no webhooks.

    def test_a_worker_that_is_started_again_and_again_pays_each_supplier_once(self):
        payouts = [self.invoice(100_000 + number) for number in range(1, 7)]
        for _ in range(60):
            worker = self.world.open(database=self.shop.database, attempts=1)  # It ends with the first failure.
            worker.payouts.run()
            self.world.advance(MINUTE)
            with suppress(NoAnswer, Refused):
                worker.payouts.follow()
            if all(payout["status"] == "completed" for payout in self.payouts.all()):
                break
        for payout in payouts:
            self.assertPayout(payout, status="completed")
