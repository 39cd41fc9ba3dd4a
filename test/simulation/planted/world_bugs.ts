import type { Bug } from './bug.ts'

/** Bugs that only resets of a world reveal. */
export const worldBugs: readonly Bug[] = [
  {
    name: 'answer-of-another-world',
    wrong: 'a payment of the new world settles an intent of the old one',
    file: 'src/payments/payment_session.ts',
    old: '      if (this.sender.hasMoved) throw moved() // answers of another world say nothing about this payment\n',
    new: '',
  },
  {
    name: 'move-is-not-seen',
    wrong: 'nobody notices that answers come from another world',
    file: 'src/payments/sender.ts',
    old: '    this.haveMoved = true\n',
    new: '',
  },
  {
    name: 'resumes-of-another-world',
    wrong: 'what is in doubt in a world that is gone is sent in the new one',
    file: 'src/journal/statements.ts',
    old: "user = :user AND coalesce(world, '') = coalesce(:world, '')\"",
    new: 'user = :user"',
  },
  {
    name: 'tried-again-in-another-world',
    wrong: 'another attempt at a payment of the old world is made in the new one',
    file: 'src/payments/sender.ts',
    old: '        if (answers.haveMoved) throw new MovedAway()\n',
    new: '',
  },
  {
    name: 'limits-of-another-world',
    wrong: 'what was paid in a world that is gone counts for limits',
    file: 'src/journal/counted_payments.ts',
    old: "       AND coalesce(world, '') = coalesce(:world, '')\n       AND (profile",
    new: '       AND (profile',
  },
  {
    name: 'reset-keeps-subscriptions',
    wrong: 'subscriptions outlive a reset',
    file: 'emulator/store/image.ts',
    old: 'for (const table of tables) connection.exec(`DELETE',
    new: "for (const table of tables) if (table !== 'subscriptions') connection.exec(`DELETE",
  },
]
