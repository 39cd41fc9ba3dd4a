import { type Emulator, startEmulator } from '../emulator/index.ts'

/** Emulators for pictures of the page, and the ids that their addresses need. */
export interface PicturedWorlds {
  /** An emulator in which a payroll was paid, with some failures. */
  readonly filled: Emulator
  /** An emulator with chaos and without accounts. */
  readonly empty: Emulator
  /** An emulator that asks for a control token. */
  readonly locked: Emulator
  /** Id of the newest payment. */
  readonly newest: string
  /** Id of a payment that the other bank refused. */
  readonly refused: string
  /** Id of a payment in progress. */
  readonly underWay: string
  /** Id of the request whose answer was lost. */
  readonly lost: string
  /** Id of a delivery that is tried again. */
  readonly delivery: string
  readonly subscription: string
  readonly account: string
  close(): Promise<void>
}

/**
 * Starts the emulators. One has a small payroll, with a refused payment, a payment made twice after a lost answer, and
 * a receiver that is down.
 */
export async function startPicturedWorlds(): Promise<PicturedWorlds> {
  const filled = await startEmulator({ settle: 'instant', rateLimit: 'off', rngSeed: 7, moments: 64 })
  const empty = await startEmulator({ seed: 'empty', chaos: { seed: 7 }, rngSeed: 7 })
  const locked = await startEmulator({ token: 'token-of-the-pictures', controlToken: 'control-token-of-the-pictures' })
  const { control, token, baseUrl } = filled
  const [account] = filled.accounts()
  const send = (path: string, body: object, key = ''): Promise<Response | null> =>
    fetch(`${baseUrl}/api/${path}`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${token}`,
        'Content-Type': 'application/json',
        ...(key !== '' && { 'X-Idempotency-Key': key }),
        Connection: 'close',
      },
      body: JSON.stringify(body),
    }).catch(() => null)
  const pay = (key: string, phone: string, amount: number, description: string) =>
    send('payments', { source_account_id: account?.id, recipient_phone: phone, amount, description }, key)

  await control.deliverySettings.set({ signature_header: 'X-Signature' })
  for (const [id, status, events] of [
    ['shop', 200, ['payment.completed', 'payment.failed']],
    ['accounting', 503, ['payment.failed']],
  ] as const) {
    const { url } = await control.receivers.set({ id, status })
    await send('webhooks/subscriptions', { url, events })
  }
  await control.credits.create({ to: account?.iban ?? '', amount: 250_000_00 })
  const salaries = [412_500_00, 389_000_00, 455_250_00, 298_700_00, 501_000_00, 365_400_00, 340_000_00]
  for (const [at, amount] of salaries.entries()) {
    // Three payees of the demo world take turns; the fifth payment is refused by the other bank.
    const phone = at === 4 ? '87000006' : `8700000${1 + (at % 3)}`
    await pay(`payroll-11-${at + 1}`, phone, amount, 'Salary of November')
  }
  await fetch(`${baseUrl}/api/payment`, { headers: { Authorization: `Bearer ${token}` } })
  await control.registry.add({
    phone: '61000001',
    name: 'Cooperativa de Ahorro La Esperanza',
    document_number: '3004045002',
    outcome: 'processing',
  })
  await pay('savings-11', '61000001', 95_000_00, 'Savings of November')
  await control.faults.add({ endpoint: 'payments.create', fault: 'lose_answer' })
  await pay('overtime-1', '87000002', 150_025_00, 'Overtime of November')
  await pay('overtime-2', '87000002', 150_025_00, 'Overtime of November')
  await control.faults.add({ endpoint: 'payments.create', status: 500, times: 2 })
  await control.worlds.create({ name: 'checkout', from: { world: 'default' } })
  await control.worlds.create({ name: 'month-end', from: { seed: 'demo' } })
  await control.snapshots.create({ name: 'after-payroll' })
  await new Promise((resolve) => setTimeout(resolve, 1000)) // for the deliveries

  const requests = (await control.requests.list()).data
  const payments = (await control.payments.list()).data
  const withStatus = (status: string) => payments.find((payment) => payment.status === status)?.id ?? ''
  const deliveries = (await control.deliveries.list()).data
  const [subscription] = (await control.subscriptions.list()).data
  return {
    filled,
    newest: payments[0]?.id ?? '',
    refused: withStatus('failed'),
    underWay: withStatus('processing'),
    lost: requests[0]?.id ?? '',
    delivery: deliveries.find(({ status }) => status === 'pending')?.id ?? '',
    subscription: subscription?.id ?? '',
    account: account?.id ?? '',
    empty,
    locked,
    close: async () => {
      for (const emulator of [filled, empty, locked]) await emulator.close()
    },
  }
}
