class Refused(Exception):
    """The bank refused a request. Nothing was done."""

    def __init__(self, status, message):
        super().__init__(message)
        self.status = status


class NoAnswer(Exception):
    """No answer came, or none to rely on. If it was a payment, it may have been made."""


class SignedOut(Exception):
    """The owner has to sign in at the bank."""
