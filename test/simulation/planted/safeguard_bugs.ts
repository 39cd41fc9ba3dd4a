import type { Bug } from './bug.ts'

/** In what payctl holds payments to: limits, names of holders, the audit file, logins. */
export const safeguardBugs: readonly Bug[] = [
  {
    name: 'sending-not-counted',
    wrong: 'what other processes are sending counts for no limit',
    file: 'src/journal/counted_payments.ts',
    old: 'WHERE day = :day AND counts = 1 AND (currency',
    new: "WHERE day = :day AND counts = 1 AND EXISTS (SELECT 1 FROM intents i WHERE i.idempotency_key = counted_payments.idempotency_key AND i.status = 'settled') AND (currency",
  },
  {
    name: 'refusal-keeps-counting',
    wrong: 'a payment that was refused counts for limits',
    file: 'src/journal/journal.ts',
    old: '      if (row) this.counted.release(row)\n',
    new: '',
  },
  {
    name: 'release-by-another-attempt',
    wrong:
      'an attempt that was not let in takes off what another attempt with its key has counted, and the doubt about it',
    file: 'src/journal/journal.ts',
    old: "    return this.#end(attempt, error, 'prepared')\n",
    new: "    this.#attempts.endAll(attempt.intentId)\n    return this.#end(attempt, error, 'prepared')\n",
  },
  {
    name: 'api-payment-not-an-intent',
    wrong: 'a payment by api is sent, and its intent stays as it was',
    file: 'src/payments/raw_payment.ts',
    old: '  const outcome = await sendPayment(order, {\n    ...options,',
    new: '  await options.client.raw(request)\n  const outcome = await sendPayment(order, {\n    ...options,',
  },
  {
    name: 'day-in-utc',
    wrong: 'a day of limits ends at midnight in Greenwich',
    file: 'src/limits/limits.ts',
    old: 'new Date(at - 6 * hour).toISOString().slice(0, 10)',
    new: 'new Date(at).toISOString().slice(0, 10)',
  },
  {
    name: 'payee-limit-forgotten',
    wrong: 'what a payee was paid before counts for no limit',
    file: 'src/limits/used.ts',
    old: 'counted.sum({ ...scope, currency, payee: asked.payee })',
    new: '0',
  },
  {
    name: 'limits-of-a-write-alone',
    wrong: 'limits are judged when a payment is written down, and not when it leaves',
    file: 'src/journal/journal.ts',
    old: "    if (intent && intent.status !== 'settled') this.#gate?.admit(intent, this.counted, isInDoubt(intent))\n",
    new: '    if (intent && isInDoubt(intent)) this.#gate?.admit(intent, this.counted, true)\n',
  },
  {
    name: 'not-in-the-audit-file',
    wrong: 'the audit file has what became of a payment, and not that it was sent',
    file: 'src/payments/payment_session.ts',
    old: '      this.#audit?.asked(intent)\n',
    new: '',
  },
  {
    name: 'name-not-compared-at-resume',
    wrong: 'a payment that never left is resumed whoever holds the account now',
    file: 'src/payments/resume.ts',
    old: '  await compareHolder(order, session, options)\n',
    new: '',
  },
  {
    name: 'names-of-rows-not-compared',
    wrong: 'the names in the rows of a batch are not compared',
    file: 'src/payments/batch.ts',
    old: '    await checkHolders()\n    await requireRowsAllowed(batch, session)\n',
    new: '    await requireRowsAllowed(batch, session)\n',
  },
  {
    name: 'new-login-not-kept',
    wrong: 'a renewed login is used and not written down',
    file: 'src/auth/renewal.ts',
    old: '  const isKept = await replaceCredentials(configDir, profile, { last: begun, next })',
    new: '  const isKept = await Promise.resolve(begun !== last)',
  },
  {
    name: 'logged-out-is-back',
    wrong: 'a renewal brings a login back that was ended meanwhile',
    file: 'src/auth/credentials_file.ts',
    old: 'replaced = there?.access_token === last.access_token && there.refresh_token === last.refresh_token',
    new: 'replaced = there !== undefined',
  },
  {
    name: 'revoked-is-final',
    wrong: 'a login whose token was revoked is not renewed',
    file: 'src/auth/access_token.ts',
    old: '      if (current.access_token === refused) await renew(true)\n',
    new: '',
  },
]
