import type { Bug } from './bug.ts'

/** Bugs in batches and in the repetition of payments. */
export const batchBugs: readonly Bug[] = [
  {
    name: 'retry-key-at-random',
    wrong: 'a failed row is sent again with another key each time',
    file: 'src/payments/made_payments.ts',
    old: "createHash('sha256').update(failedKey)",
    new: "createHash('sha256').update(failedKey + Math.random())",
  },
  {
    name: 'status-not-written',
    wrong: 'what has become of a payment is told and not written down',
    file: 'src/payments/current_statuses.ts',
    old: 'recordPayment(intent, { id: intent.payment_id, status, error_message }, { journal, reporter })',
    new: "recordPayment(intent, { id: intent.payment_id, status: 'pending', error_message }, { journal, reporter })",
  },
  {
    name: 'retry-after-ignored',
    wrong: 'what is to wait is sent again at once',
    file: 'src/client/attempts.ts',
    old: 'const wait = passing ? requestedDelay(status, reply.headers) : undefined',
    new: 'const wait = passing ? Math.min(requestedDelay(status, reply.headers) ?? 9, 9) : undefined',
  },
  {
    name: 'timeout-is-a-no',
    wrong: 'a request whose answer did not come counts as one that never left',
    file: 'src/client/attempts.ts',
    old: 'return { error, reason, doubtful: sent, passing: true }',
    new: 'return { error, reason, doubtful: false, passing: true }',
  },
  {
    name: 'settled-is-resumed',
    wrong: 'payments that the history has shown to be made are sent again when all are resumed',
    file: 'src/payments/resume.ts',
    old: '      if (isInDoubt(intent) && !session.signal?.aborted) {\n',
    new: '      if (!session.signal?.aborted) {\n',
  },
  {
    name: 'last-row-lost',
    wrong: 'the row of a batch whose answer comes last is not told',
    file: 'src/run/in_parallel.ts',
    old: '      running.delete(own)\n',
    new: '      running.delete(own)\n      if (isExhausted && running.size === 0) return\n',
  },
  {
    name: 'row-told-twice',
    wrong: 'a row that was paid before is told twice',
    file: 'src/payments/batch_outcomes.ts',
    old: '      else if (isOpen(before)) this.#addEarlier(row)\n',
    new: '      else if (isOpen(before)) {\n        this.#addEarlier(row)\n        yield row\n      }\n',
  },
  {
    name: 'cents-cut-off',
    wrong: 'rows of a batch are paid without their cents',
    file: 'src/journal/staged_rows.ts',
    old: 'const body = { source_account_id: source, amount, ...to',
    new: 'const body = { source_account_id: source, amount: amount < 100 ? amount : amount - (amount % 100), ...to',
  },
  {
    name: 'answer-of-another-payment',
    wrong: 'a replay of another payment with the same key is taken for the payment',
    file: 'src/payments/payment_session.ts',
    old: '      requirePaymentOf(intent, data)\n    } catch (error) {\n      return this.#lost(intent, attempt, error)\n    }\n',
    new: '    } catch (error) {\n      return this.#lost(intent, attempt, error)\n    }\n',
  },
  {
    name: 'unsent-stays-marked',
    wrong: 'rows of a batch that stopped before them stay marked as sent',
    file: 'src/payments/batch_outcomes.ts',
    old: '    runner.orFail(() => runner.journal.retract())\n',
    new: '',
  },
]
