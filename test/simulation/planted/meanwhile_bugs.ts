import type { Bug } from './bug.ts'

/** Bugs in payctl that need another process at work on the same payments, or an answer of a person. */
export const meanwhileBugs: readonly Bug[] = [
  {
    name: 'refused-row-is-sent',
    wrong: 'a row that was shown as in doubt, and is refused during the question, is sent as a new payment',
    file: 'src/payments/pay_batch.ts',
    old: 'return mayHavePaid(status) || this.inDoubt === 0 || line === null',
    new: 'return mayHavePaid(status) || this.inDoubt >= 0 || line === null',
  },
  {
    name: 'refused-key-is-sent',
    wrong: 'a payment in doubt that another process finds refused is sent as a new one',
    file: 'src/payments/send.ts',
    old: "    if (!leaving && journal.withKey(sender, order.idempotency_key)?.status === 'rejected') throw new Overtaken()\n",
    new: '',
  },
  {
    name: 'settled-is-called-refused',
    wrong: 'a payment that another process has settled is called refused',
    file: 'src/payments/payment_session.ts',
    old: "    if (now?.status !== 'settled') return outcome\n",
    new: '    if (now) return outcome\n',
  },
  {
    name: 'not-read-after-question',
    wrong: 'a payment that another process sends during the question is sent without a look at the history',
    file: 'src/payments/resume.ts',
    old: "      return session.outcomeOf(own.status === 'prepared' ? now : own)\n",
    new: '      return session.outcomeOf(own)\n',
  },
  {
    name: 'refused-row-is-resumed',
    wrong: 'a row that is refused while its batch is resumed is sent again',
    file: 'src/payments/resume_batch.ts',
    old: ".filter((intent) => intent.status !== 'rejected' && !hasOther(intent, session))",
    new: '.filter((intent) => !hasOther(intent, session))',
    also: {
      file: 'src/payments/resume_batch.ts',
      old: "isAgreed: ({ id, status }) => status !== 'rejected' && (mayHavePaid(status) || !shownInDoubt.has(id)),",
      new: 'isAgreed: () => true,',
    },
  },
  {
    name: 'doubt-kept-for-names',
    wrong: 'a row that another process finds refused is sent without a comparison of its holder',
    file: 'src/payments/earlier_runs.ts',
    old: '  staged.forgetDoubts() // another process may have resolved them\n',
    new: '',
  },
  {
    name: 'a-no-is-a-yes',
    wrong: 'a payment is sent although the person answered no',
    file: 'src/payments/confirmation.ts',
    old: '    if (!(await reporter.ask(question))) throw notConfirmed()\n',
    new: '    await reporter.ask(question)\n',
  },
  {
    name: 'incomplete-batch-resumed',
    wrong: 'a batch is resumed although not all of its rows were recorded',
    file: 'src/payments/resume_batch.ts',
    old: '  if (unsent.size > 0 && !journal.batchSource(sender, batch).isComplete) throw incomplete(batch)\n',
    new: '',
  },
  {
    name: 'unknown-currency-is-limited',
    wrong: 'a payment in an unknown currency is compared only with the limits that there are',
    file: 'src/limits/limits.ts',
    old: 'currency === null ? currencies : [currency]\n  if (possible.some((one) => !limited',
    new: 'currency === null ? limited : [currency]\n  if (possible.some((one) => !limited',
  },
]
