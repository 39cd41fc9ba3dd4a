import unittest

from .emulator import World, prepared

MINUTE = 60
HOUR = 60 * MINUTE


class Payee:
    """A customer or supplier of another bank, as the seed has them."""

    def __init__(self, name, iban, phone=None):
        self.name = name
        self.iban = iban
        self.phone = phone


CARLOS = Payee("Carlos Jiménez Mora", "CR73015100100000000001", "87000001")
ANA = Payee("Ana Lucía Vargas Solano", "CR70015200100000000002", "87000002")
HARDWARE = Payee("Ferretería El Roble S.A.", "CR07010200100000000003", "87000003")
IMPORTS = Payee("Pacific Imports LLC", "CR50010200100000000005")
DOLLARS_ELSEWHERE = Payee("Dollar Refusals LLC", "CR48016100100000000018")
REJECTING = Payee("Rechazo Siempre", "CR81016100100000000006", "87000006")
LOST = Payee("Tiempo Agotado", "CR54016100100000000007", "87000007")
CLOSED = Payee("Cuenta Cerrada", "CR86016100100000000013", "87000013")


class ShopTest(unittest.TestCase):
    """Each test has a world, and a shop that has started in it. At the end, the world's ledger balances."""

    maxDiff = None

    def setUp(self):
        prepared()
        self.invoices = 0
        self.world = World(stream=self.id())
        self.addCleanup(self.world.close)
        self.shop = self.world.open()
        self.start()
        self.orders = self.shop.orders
        self.payouts = self.shop.payouts

    def start(self):
        self.shop.start()

    def tearDown(self):
        self.assertEqual([], self.world.get("ledger")["problems"])

    def invoice(self, value=110_000, payee=HARDWARE, by="iban", currency="CRC"):
        """Queues a supplier's invoice."""
        address = {by: getattr(payee, by)}
        self.invoices += 1
        description = "Invoice %d, January" % (4710 + self.invoices)
        return self.payouts.pay_supplier(payee.name, value, currency, description, **address)

    def pay(self, minutes=1):
        """Sends what is queued, and lets the rail do its work."""
        self.payouts.run()
        self.world.advance(minutes * MINUTE)

    def assertPayout(self, payout, **wanted):
        found = self.payouts.get(payout["id"])
        self.assertEqual(wanted, {name: found[name] for name in wanted})

    def assertClosing(self, day, **wanted):
        """`paid=5` stands for five units of colones and no dollars."""
        closing = self.shop.close_day(day)
        for name, value in wanted.items():
            both = isinstance(closing[name], dict) and not isinstance(value, dict)
            self.assertEqual({"CRC": value, "USD": 0} if both else value, closing[name], name)

    def payments(self):
        """How many payments the bank has, by status."""
        return {status: count for status, count in self.world.get("state")["payments"].items() if count}
