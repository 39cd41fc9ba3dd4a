from .shop_test import MINUTE, ShopTest


class PaymentsWithoutAnAnswer(ShopTest):
    def assertPaidOnce(self, payout):
        """The shop has one payment, and it is the bank's only one."""
        self.world.advance(MINUTE)
        self.assertPayout(payout, status="completed", in_doubt=0)
        self.assertEqual({"completed": 1}, self.payments())
        self.assertClosing("2040-01-27", paid=payout["amount"], strangers=[], difference=0)

    def fault(self, fault, **more):
        self.world.post("faults", endpoint="payments.create", fault=fault, **more)

    def test_one_that_was_made_is_not_made_again(self):
        self.fault("lose_answer")
        payout = self.invoice()
        self.payouts.run()
        self.assertPaidOnce(payout)

    def test_one_that_never_arrived_is_sent_again(self):
        self.fault("reset", times=2)
        payout = self.invoice()
        self.payouts.run()
        self.assertPaidOnce(payout)

    def test_one_with_an_answer_that_can_not_be_read_is_not_made_again(self):
        for fault in ("truncate", "malformed", "drip"):
            self.fault(fault)
        payout = self.invoice()
        self.payouts.run()
        self.assertEqual([1, 1, 1], [rule["fired"] for rule in self.world.get("faults?which=all")])
        self.assertPaidOnce(payout)

    def test_one_stays_in_doubt_as_long_as_the_bank_is_out_of_order(self):
        self.world.post("faults", endpoint="payments.create", status=500, until="2040-01-27T09:30:00-06:00")
        payout = self.invoice()
        for minutes in (10, 20):
            self.payouts.run()
            self.assertPayout(payout, status="queued", in_doubt=1)
            self.world.advance(minutes * MINUTE)
        self.payouts.run()
        self.assertPaidOnce(payout)

    def test_one_is_looked_for_in_the_history_before_it_is_sent_again(self):
        self.world.post("faults", event="*", fault="drop", times=None)
        self.fault("lose_answer")
        self.fault("reset", times=None)
        payout = self.invoice()
        self.payouts.run()
        self.assertPayout(payout, status="queued", in_doubt=1)
        before = self.resets()
        self.world.advance(MINUTE)
        self.world.post("faults", endpoint="payments.history", status=403)
        self.payouts.run()
        self.assertPayout(payout, status="held", in_doubt=1)
        self.payouts.release(payout)
        self.payouts.run()
        self.assertEqual(before, self.resets())
        self.assertPaidOnce(payout)

    def resets(self):
        """How many payments did not arrive."""
        return [rule["fired"] for rule in self.world.get("faults") if rule.get("fault") == "reset"]
