import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { describe, expect, it } from 'vitest'
import { packed } from './packed.ts'

const { folder, payctl } = packed('msw')
const tsc = fileURLToPath(new URL('../../node_modules/.bin/tsc', import.meta.url))

/** Runs a script in the project that has installed payctl; ends it if it hangs. */
async function run(name: string, text: string) {
  writeFileSync(join(folder, name), text)
  return execa(process.execPath, [name], { cwd: folder, reject: false, timeout: 20_000 })
}

/** Script that makes a payment, lets it end, and sends a request that the service refuses. */
const life = `
  async function life({ createClient, ApiError }, { startEmulator }) {
    const emulator = await startEmulator({ settle: 20 })
    const client = createClient({ baseUrl: emulator.baseUrl, token: emulator.token })
    const from = emulator.accounts().find(({ currency }) => currency === 'CRC')
    const body = { source_account_id: from.id, recipient_phone: '87000001', amount: 100, description: 'Fifteen letters' }
    let { id, status } = await client.call('payments.create', { headers: { 'X-Idempotency-Key': 'k' }, body })
    while (status === 'pending' || status === 'processing') {
      ({ status } = await client.call('payments.get', { params: { id } }))
    }
    const refusal = await client.call('payments.get', { params: { id: '0' } }).catch((error) => error)
    await client.close()
    await emulator.close()
    console.log(status, refusal instanceof ApiError)
  }`

const lived = { exitCode: 0, stdout: 'completed true', stderr: '' }

it('the packed package has no script that npm runs, or warns of, when it is installed', () => {
  const { scripts } = JSON.parse(readFileSync(join(payctl, 'package.json'), 'utf8')) as { readonly scripts: object }
  const ofInstall = ['preinstall', 'install', 'postinstall', 'prepare']
  expect(Object.keys(scripts).filter((name) => ofInstall.includes(name))).toEqual([])
})

describe('the library of the packed package', () => {
  it('is there for CommonJS', async () => {
    expect(await run('suite.cjs', `${life}\nlife(require('payctl'), require('payctl/emulator'))`)).toMatchObject(lived)
  })

  it('is one and the same, required and imported', async () => {
    const result = await run(
      'both.mjs',
      `import { createRequire } from 'node:module'
       import * as client from 'payctl'
       import * as emulator from 'payctl/emulator'
       ${life}
       const require = createRequire(import.meta.url)
       const required = { ...require('payctl'), ...require('payctl/emulator') }
       const imported = { ...client, ...emulator }
       const names = Object.keys(required)
       if (Object.keys(imported).length !== names.length) throw new Error(Object.keys(imported))
       for (const name of names) if (required[name] !== imported[name]) throw new Error(name)
       await life({ ...client, ApiError: required.ApiError }, emulator)`,
    )
    expect(result).toMatchObject(lived)
  })
})

/**
 * Script that starts an emulator behind a proxy. If `door.losesNext` is set, the proxy loses the answer to the next
 * payment.
 */
const behindDoor = `
  const http = require('node:http')
  async function behindDoor({ startEmulator }) {
    const emulator = await startEmulator({ settle: 20 })
    const door = { losesNext: false }
    const server = http.createServer(async (request, response) => {
      const chunks = await request.toArray()
      const body = chunks.length > 0 ? Buffer.concat(chunks) : undefined
      const { method, headers, url } = request
      const inner = http.request(emulator.baseUrl + url, { method, headers }, (answer) => {
        if (door.losesNext && method === 'POST' && url.endsWith('/payments')) {
          door.losesNext = false
          answer.resume().on('end', () => request.socket.destroy())
          return
        }
        response.writeHead(answer.statusCode, answer.headers)
        answer.pipe(response)
      })
      inner.end(body)
    })
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
    const close = async () => {
      server.closeAllConnections()
      server.close()
      await emulator.close()
    }
    return { emulator, door, baseUrl: 'http://127.0.0.1:' + server.address().port, close }
  }`

const safely = `
  async function safely({ createClient, openJournal, sendPayment, resumePayments, payBatch }, emulators) {
    const { emulator, door, baseUrl, close } = await behindDoor(emulators)
    const client = createClient({ baseUrl, token: emulator.token, retries: 0 })
    const journal = openJournal('journal-' + process.pid)
    const settings = { client, journal }
    const from = emulator.accounts().find(({ currency }) => currency === 'CRC').id
    const request = { from, to: '8700-0001', amount: 100, description: 'Fifteen letters' }

    const accepted = await sendPayment({ ...request, idempotencyKey: 'a' }, settings)
    const refused = await sendPayment({ ...request, amount: 499999999, idempotencyKey: 'b' }, settings)
    door.losesNext = true
    const unknown = await sendPayment({ ...request, idempotencyKey: 'c' }, settings)
    console.log(accepted.outcome, refused.outcome, refused.error.status, unknown.outcome, journal.find(unknown.intentId).status)

    const { settled, rejected, unknown: left } = await resumePayments(settings)
    const paid = []
    for await (const { idempotency_key } of client.items('payments.history')) paid.push(idempotency_key)
    console.log(settled.length, rejected.length, left.length, paid.filter((key) => key === 'c').length)
    const again = await sendPayment({ ...request, idempotencyKey: 'c' }, settings)
    console.log(again.outcome, again.payment.id === settled[0].payment_id)

    const rows = [{ ...request, amount: 201, reference: 'one' }, { ...request, amount: 202, reference: 'two' }]
    const heard = []
    const batch = { ...settings, batchId: 'week-1', onRow: (row) => void heard.push(row.reference) }
    const first = await payBatch(rows, batch)
    const second = await payBatch(rows, batch)
    console.log(first.sent, first.total, heard.sort().join(), second.sent, second.unknown)
    const wrong = await payBatch([{ ...request, to: '123' }], settings).catch((error) => error)
    console.log(wrong.name, Object.keys(wrong.errors).join())
    let count = 0
    for await (const _ of client.items('payments.history')) count += 1
    console.log(count)
    journal.close()
    await client.close()
    await close()
  }`

const sentSafely = [
  'accepted refused 422 unknown unknown',
  '1 0 0 1',
  'accepted true',
  '2 2 one,one,two,two 2 0',
  'UsageError line 1',
  '4',
].join('\n')

/** Replaces all functions that wait, as Jest does: they never call back, except for Node's own code. */
const stopTime = `
  function stopTime() {
    const still = () => {}
    globalThis.process = Object.create(process, { nextTick: { value: still } })
    for (const name of ['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask']) globalThis[name] = still
    globalThis.Date = class StoppedDate extends Date { static now() { return 0 } }
    performance.now = () => 0
  }`

describe('a world for each test', () => {
  it('takes as long to load as it must: neither server nor client before there is an emulator', async () => {
    const script = `
      const { startEmulator } = require('payctl/emulator')
      const loaded = () => Object.keys(require.cache).filter((file) => /better-sqlite3|create_client/.test(file)).length
      const before = loaded()
      startEmulator().then((emulator) => emulator.close()).then(() => console.log(before, loaded() > 1))`
    expect(await run('late.cjs', script)).toMatchObject({ exitCode: 0, stdout: '0 true', stderr: '' })
  })

  it('is made, steered and ended by the packed library', async () => {
    const script = `
      const { startEmulator, ControlRefusal } = require('payctl/emulator')
      async function each() {
        const emulator = await startEmulator({ settle: 'manual' })
        const worlds = await Promise.all([1, 2].map(() => emulator.world({ from: { world: 'default' } })))
        await worlds[1].control.clock.unfreeze()
        const clocks = await Promise.all(worlds.map(({ control }) => control.clock.get()))
        await worlds[0][Symbol.asyncDispose]()
        const refusal = await worlds[0].control.state().catch((error) => error)
        await emulator.close()
        console.log(clocks.map(({ frozen }) => frozen).join(), refusal instanceof ControlRefusal, refusal.status)
      }
      each()`
    const printed = { exitCode: 0, stdout: 'true,false true 410', stderr: '' }
    expect(await run('worlds.cjs', script)).toMatchObject(printed)
    expect(
      await run('worlds_fake.cjs', `${stopTime}\nrequire('payctl/emulator')\nstopTime()\n${script}`),
    ).toMatchObject(printed)
  })
})

describe('payments of one’s own program', () => {
  it('are sent, refused, and resumed once when the answer is lost: CommonJS', async () => {
    const script = `${behindDoor}${safely}\nsafely(require('payctl'), require('payctl/emulator'))`
    expect(await run('safely.cjs', script)).toMatchObject({ exitCode: 0, stdout: sentSafely, stderr: '' })
  })

  it('and imported', async () => {
    const script = `import { createRequire } from 'node:module'
      import * as payctl from 'payctl'
      import * as emulator from 'payctl/emulator'
      const require = createRequire(import.meta.url)
      ${behindDoor}${safely}\nawait safely(payctl, emulator)`
    expect(await run('safely.mjs', script)).toMatchObject({ exitCode: 0, stdout: sentSafely, stderr: '' })
  })
})

describe('under fake timers', () => {
  it('payments take their time, and requests are answered', async () => {
    const script = `${life}\n${stopTime}
      const faces = [require('payctl'), require('payctl/emulator')]
      stopTime()
      life(...faces)`
    expect(await run('fake.cjs', script)).toMatchObject(lived)
  })

  it('that were there before it was loaded, it works as well', async () => {
    const script = `${life}\n${stopTime}\nstopTime()\nlife(require('payctl'), require('payctl/emulator'))`
    expect(await run('fake_first.cjs', script)).toMatchObject(lived)
  })

  it('those of node:test leave it alone', async () => {
    const script = `${life}
      const { mock } = require('node:test')
      const faces = [require('payctl'), require('payctl/emulator')]
      mock.timers.enable({ now: 0 })
      life(...faces)`
    expect(await run('mock.cjs', script)).toMatchObject(lived)
  })

  it('it says so where none of Node’s timers are left', async () => {
    const { stderr } = await run('mock_first.cjs', `require('node:test').mock.timers.enable(); require('payctl')`)
    expect(stderr).toContain('payctl was loaded while timers were fake')
  })
})

describe('its types', { timeout: 120_000 }, () => {
  it('compile in CommonJS, and refuse what does not fit', async () => {
    const text = `
      import { ApiError, createClient, openJournal, type Payment, payBatch } from 'payctl'
      import { type Emulator, EmulatorRefusal, type EmulatorWorld, type EventBody, startEmulator } from 'payctl/emulator'
      import { handlers } from 'payctl/msw'
      export const mocks = (world: EmulatorWorld) => handlers(world, { baseUrl: 'https://bank.test' }).length
      const client = createClient({ baseUrl: '' })
      declare const given: { readonly token: string | undefined; readonly signal: AbortSignal | undefined }
      const settings = { client: createClient({ baseUrl: '', token: given.token }), journal: openJournal('') }
      export const pay = () => payBatch([], { ...settings, batchId: undefined, signal: given.signal })
      export const read = (id: string): Promise<Payment> => client.call('payments.get', { params: { id } })
      export const start = (): Promise<Emulator> => startEmulator({ port: 0 })
      export const status = (error: ApiError): number => error.status
      export const is = (error: unknown) => error instanceof ApiError || error instanceof EmulatorRefusal
      export async function inWorld(emulator: Emulator): Promise<string> {
        await using world: EmulatorWorld = await emulator.world({ from: { world: 'default' }, ttl: 60_000 })
        const { frozen } = await world.control.clock.advance({ ms: 1000 })
        const [account] = (await world.client.call('accounts.list')).data
        const balance: number = account.balance.value
        await world.until.payment(account.id, balance > 0 ? 'completed' : 'failed', { timeout: 10 })
        const event: EventBody<'payment.failed'>['data']['state_code'] = 'account_closed'
        // @ts-expect-error
        await world.until.payment(account.id, event)
        const { status } = await emulator.control.credits.create({ to: '88001234', amount: frozen ? 1 : 2 })
        // @ts-expect-error
        await world.control.clock.advance({ seconds: 1 })
        return status
      }
      // @ts-expect-error
      startEmulator({ port: '0' })`
    writeFileSync(join(folder, 'suite.cts'), text)
    const options = [
      '--noEmit',
      '--strict',
      '--exactOptionalPropertyTypes',
      '--target',
      'es2024',
      '--module',
      'node16',
      '--pretty',
      'false',
    ]
    const result = await execa(tsc, [...options, '--types', '', 'suite.cts'], { cwd: folder, reject: false })
    expect(result).toMatchObject({ stdout: '', exitCode: 0 })
  })
})
