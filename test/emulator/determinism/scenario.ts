import type { Answer, Transcript } from './transcript.ts'

const callback = 'http://127.0.0.1:49152/callback'

/** One world, which its seeded user uses. */
class World {
  readonly #transcript: Transcript
  readonly #prefix: string
  readonly #token: string
  #paid = 0

  constructor(transcript: Transcript, prefix = '', token = 'payctl-demo-token') {
    this.#transcript = transcript
    this.#prefix = prefix
    this.#token = token
  }

  as(token: string): World {
    return new World(this.#transcript, this.#prefix, token)
  }

  get(path: string): Promise<Answer> {
    return this.#ask('GET', path)
  }

  post(path: string, json?: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return this.#ask('POST', path, json, headers)
  }

  /** Retries with the same key, like a client. */
  async pay(from: string, to: Readonly<Record<string, string>>): Promise<Answer> {
    const headers = { 'X-Idempotency-Key': `key-${++this.#paid}` }
    for (let attempt = 1; ; attempt++) {
      const answer = await this.post(
        '/api/payments',
        { source_account_id: from, amount: 1500 + this.#paid, ...to },
        headers,
      )
      if (answer.status < 500 || attempt === 4) return answer
    }
  }

  /** Logs in through the consent page; returns the token answer. */
  async signIn(user: string): Promise<Answer['data']> {
    const query = new URLSearchParams({
      client_id: 'payctl',
      redirect_uri: callback,
      response_type: 'code',
      state: 's',
    })
    const link = `/oauth/authorize?${query}`
    await this.#transcript.ask('GET', `${this.#prefix}${link}`)
    const form = { user, grant: 'send-payments', decision: 'allow' }
    const { headers } = await this.#transcript.ask('POST', `${this.#prefix}${link}`, { form })
    const code = new URL(headers.location ?? '').searchParams.get('code') ?? ''
    return this.token({ grant_type: 'authorization_code', redirect_uri: callback, code })
  }

  async token(form: Readonly<Record<string, string>>): Promise<Answer['data']> {
    const headers = { Authorization: `Basic ${btoa('payctl:payctl-demo-secret')}` }
    return (await this.#transcript.ask('POST', `${this.#prefix}/oauth/token`, { headers, form })).data
  }

  #ask(method: string, path: string, json?: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    const all = { Authorization: `Bearer ${this.#token}`, ...headers }
    return this.#transcript.ask(method, `${this.#prefix}${path}`, { headers: all, json })
  }
}

/** Uses everything that could differ: logins, payments on both rails, faults, webhooks, rates, worlds, time. */
export async function scenario(transcript: Transcript): Promise<void> {
  const world = new World(transcript)
  const shop = await transcript.receiver('shop', () => 200)
  // Fails twice for each delivery, so that retries mix with first attempts.
  const flaky = await transcript.receiver('flaky', ({ headers }) =>
    Number(headers['x-webhook-attempt']) < 3 ? 503 : 204,
  )

  for (const path of ['/_emulator/health', '/api/user', '/api/accounts', '/api/fx/rates']) await world.get(path)
  const [{ id: colones }, { id: dollars }] = (await world.get('/api/accounts')).data.data as [
    { id: string },
    { id: string },
  ]

  const { access_token, refresh_token } = await world.signIn((await world.get('/api/user')).data.id)
  const refreshed = await world.token({ grant_type: 'refresh_token', refresh_token })
  await world.as(access_token).get('/api/payments/history')
  await world.token({ grant_type: 'refresh_token', refresh_token })
  await world.as(refreshed.access_token).get('/api/payments/history')
  await world.post('/_emulator/tokens', { scopes: ['read-user'], expires_in: 3600 })
  await world.post('/_emulator/oauth-clients', { name: 'Shop', redirect_uris: [callback] })
  await world.post('/_emulator/users', { name: 'Ana Rojas', email: 'ana@example.com', document_number: '0101110099' })

  const everything = [
    'payment.created',
    'payment.processing',
    'payment.completed',
    'payment.failed',
    'transaction.received',
  ]
  for (const url of [`${shop}/orders`, `${flaky}/books`, `${shop}/archive`]) {
    await world.post('/api/webhooks/subscriptions', { url, events: everything, max_attempts: 5 })
  }
  await world.post('/_emulator/faults', { endpoint: 'payments.create', status: 500, probability: 0.3 })
  await world.post('/_emulator/faults', { endpoint: 'accounts.balance', status: 503, probability: 0.5 })
  await world.post('/_emulator/faults', { event: 'payment.completed', fault: 'duplicate', probability: 0.5 })
  await world.post('/_emulator/faults', { event: 'payment.processing', fault: 'drop', probability: 0.3 })

  for (let round = 0; round < 4; round++) {
    for (const phone of ['87000001', '87000006', '87000012', '87000007'])
      await world.pay(colones, { recipient_phone: phone })
    await world.pay(colones, { recipient_iban: 'CR07010200100000000003' })
    await world.pay(dollars, { recipient_iban: 'CR50010200100000000005' })
    await world.get(`/api/accounts/${colones}/balance`)
    await world.post('/_emulator/credits', { to: '88001234', amount: 5000 + round })
    await world.post('/_emulator/clock/advance', { ms: 700 })
  }
  await world.post('/_emulator/clock/advance', { ms: 3_600_000 })
  await world.post('/_emulator/clock/run-until-idle', {})
  await world.post('/_emulator/fx', { bid: 500, ask: 511 })
  await world.get('/api/fx/rates')
  const { data: deliveries } = await world.get('/_emulator/deliveries?per_page=100')
  for (const { id } of deliveries.data.slice(0, 5)) await world.get(`/_emulator/deliveries/${id}`)
  await world.get('/_emulator/faults?which=all')
  await world.get('/api/payments/history?per_page=50')
  await world.get('/api/webhooks/subscriptions')
  await world.get('/_emulator/ledger')

  // Makes these worlds at the same time: each gets its own values, whatever the order.
  const made = ['one', 'two', 'three'].map((name) =>
    new World(transcript).post('/_emulator/worlds', { name, ...(name === 'three' && { from: { world: 'default' } }) }),
  )
  const before = transcript.answers.length
  await Promise.all(made)
  transcript.answers.push(...transcript.answers.splice(before).sort())
  for (const name of ['one', 'two', 'three']) {
    const other = new World(transcript, `/w/${name}`)
    await other.post('/api/webhooks/subscriptions', { url: `${shop}/${name}`, events: everything })
    await other.post('/api/accounts', { currency: 'USD' })
    await other.signIn((await other.get('/api/user')).data.id)
    for (let count = 0; count < 3; count++) await other.pay(colones, { recipient_phone: '87000002' })
    await other.post('/_emulator/clock/run-until-idle', {})
    await other.get('/api/payments/history')
  }

  await world.post('/_emulator/snapshots', { name: 'busy' })
  await world.pay(colones, { recipient_phone: '87000001' })
  // Waits for deliveries: otherwise the speed of the machine decides which deliveries the restore interrupts.
  await world.post('/_emulator/clock/advance', { ms: 0 })
  await world.post('/_emulator/snapshots/busy/restore')
  await world.pay(colones, { recipient_phone: '87000001' })
  await world.post('/_emulator/clock/at', { time: '2031-01-05T12:00:00Z' })
  await world.get('/_emulator/state')
  await world.post('/_emulator/reset')
  await world.pay(colones, { recipient_phone: '87000001' })
  await world.post('/_emulator/clock/run-until-idle', {})
  // A list of the worlds has them in the order in which the requests arrived.
  for (const name of ['one', 'two', 'three']) await world.get(`/_emulator/worlds/${name}`)
  await world.get('/_emulator/clock')
}
