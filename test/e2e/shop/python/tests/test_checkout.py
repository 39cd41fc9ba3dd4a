from .shop_test import ANA, CARLOS, DOLLARS_ELSEWHERE, IMPORTS, MINUTE, ShopTest


class Checkout(ShopTest):
    def test_an_order_is_paid_by_sinpe_movil(self):
        order = self.orders.place(1_250_000, "CRC", phone=CARLOS.phone)
        credit = self.world.receive(1_250_000, phone=CARLOS.phone)
        self.assertEqual("paid", self.orders.status(order))
        paid = self.orders.credit_of(order)
        self.assertEqual((credit, CARLOS.name), (paid["id"], paid["payer_name"]))

    def test_an_order_is_paid_from_an_account_and_not_by_another_customer(self):
        order = self.orders.place(25_00, "USD", iban=IMPORTS.iban)
        self.world.receive(25_00, iban=DOLLARS_ELSEWHERE.iban, dollars=True)
        self.assertEqual("open", self.orders.status(order))
        self.world.receive(25_00, iban=IMPORTS.iban, dollars=True)
        self.assertEqual("paid", self.orders.status(order))

    def test_a_price_in_dollars_is_paid_in_colones_at_the_rate_when_it_was_asked_for(self):
        order = self.orders.place(10_00, "USD", phone=CARLOS.phone)
        self.assertEqual((512_040, "CRC"), (order["due"], order["currency"]))
        self.world.post("fx", bid=600, ask=620)
        self.world.receive(512_040, phone=CARLOS.phone)
        self.assertEqual("paid", self.orders.status(order))

    def test_too_little_money_pays_nothing_and_goes_back(self):
        order = self.orders.place(900_000, "CRC", phone=ANA.phone)
        self.world.receive(899_999, phone=ANA.phone)
        [credit] = self.orders.unmatched()
        refund = self.payouts.refund(credit)
        self.pay()
        self.assertPayout(refund, status="completed", phone=ANA.phone, amount=899_999)
        self.assertEqual("open", self.orders.status(order))

    def test_money_for_an_order_that_has_expired_waits_for_a_person(self):
        order = self.orders.place(400_000, "CRC", phone=CARLOS.phone)
        self.world.advance(16 * MINUTE)
        self.world.receive(400_000, phone=CARLOS.phone)
        self.assertEqual("expired", self.orders.status(order))
        self.assertEqual([400_000], [credit["amount"] for credit in self.orders.unmatched()])
