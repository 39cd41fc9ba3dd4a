import type { Bug } from './bug.ts'

/** Bugs in `webhooks tail`, and in the service's deliveries to a tail. */
export const tailBugs: readonly Bug[] = [
  {
    name: 'subscription-not-recorded',
    wrong: 'a subscription is written down when its id is known, not before it is asked for',
    file: 'src/webhooks/temporary_subscription.ts',
    old: '    await this.#save(null)\n',
    new: '',
  },
  {
    name: 'living-tail-removed',
    wrong: 'a tail takes the subscription of another that runs for one that was left',
    file: 'src/webhooks/temporary_subscription.ts',
    old: '(owner === pid || !isRunning(owner, start))',
    new: '(owner === pid || owner > 0)',
  },
  {
    name: 'removal-not-repeated',
    wrong: 'a tail forgets its subscription when the answer to its removal is lost',
    file: 'src/webhooks/temporary_subscription.ts',
    old: '      if (!mayPass || attempt === removalAttempts) throw error\n',
    new: '      if (!mayPass || attempt >= 1) return false\n',
  },
  {
    name: 'suspended-for-good',
    wrong: 'a suspended subscription is not resumed',
    file: 'src/webhooks/temporary_subscription.ts',
    old: 'if (found.active !== false) return undefined',
    new: "if (found.active !== false || found.id !== '') return undefined",
  },
  {
    name: 'arrived-is-shown',
    wrong: 'a recovered payment counts as shown although its event was not',
    file: 'src/webhooks/recover.ts',
    old: '      else if (!this.#isWanted(payment)) this.#seen.markReported(id)\n',
    new: '      else if (!this.#isWanted(payment) || suspected === undefined) this.#seen.markReported(id)\n',
  },
  {
    name: 'repetition-shown',
    wrong: 'a delivery that comes again is shown as a new one',
    file: 'src/webhooks/delivery_handler.ts',
    old: 'const isNew = times === 1',
    new: 'const isNew = times > 0',
  },
  {
    name: 'taken-before-saved',
    wrong: 'a delivery is acknowledged before it is saved',
    file: 'src/webhooks/delivery_handler.ts',
    old: 'if (isNew && !(await this.#save(delivery))) return { status: 500 }',
    new: 'if (isNew) setTimeout(() => void this.#save(delivery), 50)',
  },
  {
    name: 'tail-secret-kept',
    wrong: 'the secret of a tail is kept with its deliveries',
    file: 'src/webhooks/receiver.ts',
    old: 'endToEnd(request.rawHeaders, secretHeader)',
    new: "endToEnd(request.rawHeaders, 'X-Nothing')",
  },
  {
    name: 'delivery-ids-again',
    wrong: 'ids of deliveries that went with their subscription are given again after a restart',
    file: 'emulator/store/subscriptions.ts',
    old: '      keepLastDelivery.run()\n',
    new: '',
  },
  {
    name: 'reset-is-taken',
    wrong: 'a delivery whose connection is reset counts as taken',
    file: 'emulator/webhooks/send.ts',
    old: 'const reason = signal.aborted ?',
    new: "if ((error as { code?: string }).code === 'ECONNRESET') return { status: 200, error: null, answer: null, arrived: true }\n      const reason = signal.aborted ?",
  },
]
