import json
import urllib.error
import urllib.request

from .shop_test import ANA, CARLOS, HOUR, MINUTE, ShopTest


class Deliveries(ShopTest):
    def deliveries(self):
        return self.world.get("deliveries")["data"]

    def test_one_that_comes_twice_pays_once(self):
        self.world.post("faults", event="transaction.received", fault="duplicate")
        orders = [self.orders.place(70_000, "CRC", phone=CARLOS.phone) for _ in range(2)]
        self.world.receive(70_000, phone=CARLOS.phone)
        self.assertEqual([2], [delivery["attempts"] for delivery in self.deliveries()])
        self.assertEqual(["paid", "open"], [self.orders.status(order) for order in orders])

    def test_one_that_is_late_finds_its_order_paid_by_then(self):
        self.world.post("faults", event="transaction.received", delay_ms=10 * MINUTE * 1000)
        order = self.orders.place(70_000, "CRC", iban=CARLOS.iban)
        self.world.post("credits", to=self.world.accounts["CRC"]["iban"], amount=70_000, from_iban=CARLOS.iban)
        self.assertEqual("open", self.orders.status(order))
        self.assertClosing("2040-01-27", received=70_000, difference=0)
        self.assertEqual("paid", self.orders.status(order))
        self.world.advance(10 * MINUTE)
        self.assertEqual(["delivered"], [delivery["status"] for delivery in self.deliveries()])
        self.assertEqual([], self.orders.unmatched())

    def test_those_of_a_payment_may_come_in_the_wrong_order(self):
        self.world.post("faults", event="payment.processing", fault="reorder")
        payout = self.invoice()
        self.pay(minutes=5)
        delivered = sorted((delivery["event"], delivery["status"]) for delivery in self.deliveries())
        self.assertEqual([("payment.completed", "delivered"), ("payment.processing", "delivered")], delivered)
        self.assertPayout(payout, status="completed")

    def test_one_that_never_comes_is_found_when_the_day_is_closed(self):
        self.world.post("faults", event="*", fault="drop", times=None)
        order = self.orders.place(55_500, "CRC", iban=CARLOS.iban)
        self.world.receive(55_500, iban=CARLOS.iban)
        self.assertEqual("open", self.orders.status(order))
        self.shop.close_day("2040-01-27")
        self.assertEqual("paid", self.orders.status(order))
        self.assertEqual(1, self.world.get("faults")[0]["fired"])

    def test_one_from_a_stranger_is_refused(self):
        order = self.orders.place(80_000, "CRC", phone=CARLOS.phone)
        self.world.receive(80_000, phone=ANA.phone)
        body = self.world.get("deliveries/" + self.deliveries()[0]["id"])["body"]
        body["data"] = dict(body["data"], id="another", payer=dict(body["data"]["payer"], phone_number=CARLOS.phone))
        for secret in ("", "Bearer ", "Bearer guessed", "Bearer " + 32 * "x"):
            forged = urllib.request.Request(
                self.shop.hook_url, data=json.dumps(body).encode(), headers={"Authorization": secret}
            )
            with self.assertRaises(urllib.error.HTTPError) as refusal:
                urllib.request.urlopen(forged)
            self.assertEqual(401, refusal.exception.code)
            refusal.exception.close()
        self.assertEqual("open", self.orders.status(order))

    def test_those_that_came_while_the_shop_was_down_are_tried_again(self):
        order = self.orders.place(91_000, "CRC", phone=CARLOS.phone)
        self.shop.maintenance = True
        credit = self.world.post("credits", to=self.world.user["phone"], amount=91_000, from_phone=CARLOS.phone)
        self.world.advance(MINUTE)
        self.assertEqual("open", self.orders.status(order))
        self.shop.maintenance = False
        self.world.advance(HOUR)
        self.assertEqual(credit["id"], self.orders.credit_of(order)["id"])
