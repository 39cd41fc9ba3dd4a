from concurrent.futures import ThreadPoolExecutor

from shop.failures import Refused

from .emulator import World, emulator
from .shop_test import ANA, CARLOS, HOUR, IMPORTS, MINUTE, ShopTest


class Killed(Exception):
    pass


class EndOfTheMonth(ShopTest):
    def test_the_last_minute_is_january_the_next_one_february(self):
        self.world.post("clock/at", time="2040-01-31T23:59:30-06:00")
        self.world.receive(1_000, phone=CARLOS.phone)
        self.world.advance(MINUTE)
        self.world.receive(2_000, phone=ANA.phone)
        self.assertClosing("2040-01-31", received=1_000)
        self.assertClosing("2040-02-01", received=2_000)

    def test_a_batch_that_was_cut_off_is_resumed_each_supplier_is_paid_once(self):
        payouts = [self.invoice(1000 * number) for number in range(1, 11)]
        self.world.post("faults", endpoint="payments.create", fault="lose_answer", after=4, times=None)

        def die(_):
            raise Killed()

        dying = self.world.open(database=self.shop.database, pause=die)
        with self.assertRaises(Killed):
            dying.payouts.run()
        self.world.delete("faults")
        self.assertEqual(4, len([payout for payout in self.payouts.all() if payout["status"] == "sent"]))
        self.world.advance(MINUTE)
        self.pay()
        for payout in payouts:
            self.assertPayout(payout, status="completed")
        self.assertClosing("2040-01-27", paid=55_000, fees=1500, difference=0)

    def test_two_workers_on_one_queue_pay_each_supplier_once(self):
        for number in range(1, 13):
            self.invoice(1000 * number)
        other = self.world.open(database=self.shop.database)
        with ThreadPoolExecutor(2) as threads:
            list(threads.map(lambda shop: shop.payouts.run(), [self.shop, other]))
        self.world.advance(MINUTE)
        self.assertEqual({"completed": 12}, self.payments())
        self.assertClosing("2040-01-27", paid=78_000, difference=0)

    def test_work_that_goes_on_when_its_world_has_ended_is_told_so_and_counted(self):
        ended = World("ends-early")
        self.addCleanup(ended.close)
        shop = ended.open()
        shop.start()
        ended.end()
        with self.assertRaisesRegex(Refused, "ends-early.*ended"):
            shop.close_day("2040-01-27")
        [found] = [world for world in emulator("GET", "worlds?status=ended&per_page=1000")["data"] if world["name"] == "ends-early"]
        self.assertEqual(("ended", "deletion", 1), (found["status"], found["ended_by"], found["late_requests"]))
        self.assertEqual({}, self.payments())

    def test_a_busy_month_adds_up_in_both_currencies_what_somebody_else_paid_is_noticed(self):
        for day in range(3):
            self.world.receive(400_000 + day, phone=CARLOS.phone)
            self.world.receive(9_000 + day, iban=IMPORTS.iban, dollars=True)
            self.invoice(123_000 + day)
            self.payouts.run()
            self.world.advance(24 * HOUR)
        source = self.world.accounts["CRC"]["id"]
        order = {"source_account_id": source, "recipient_phone": ANA.phone, "amount": 5_000}
        stranger = self.shop.bank.pay("from-a-telephone", order)["id"]
        self.world.post("payments/%s/move" % stranger, to="completed")
        self.assertClosing("2040-01-28", received={"CRC": 400_001, "USD": 9_001}, paid=123_001, fees=150)
        self.assertClosing("2040-01-30", received=0, paid=5_000, fees=0, strangers=[stranger], unfinished=0, difference=0)
