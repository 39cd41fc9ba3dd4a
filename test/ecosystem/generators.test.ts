import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type EmulateProcess, startEmulate } from '../conformance/targets/payctl_emulate.ts'
import manifest from './generators/package.json' with { type: 'json' }
import type { Program } from './payment_program.ts'

const folder = fileURLToPath(new URL('generators', import.meta.url))
const document = fileURLToPath(new URL('../../docs/reference/openapi.json', import.meta.url))
const controlDocument = fileURLToPath(new URL('../../docs/reference/emulator-openapi.json', import.meta.url))

/** Command of each generator, which writes a client into `generated/`. */
const generators = {
  'openapi-typescript': ['openapi-typescript', document, '-o', 'generated/openapi-typescript/schema.ts'],
  'hey-api': ['openapi-ts', '-i', document, '-o', 'generated/hey-api'],
  orval: ['orval', '--config', 'orval.config.js'],
  'openapi-zod-client': ['openapi-zod-client', document, '-o', 'generated/openapi-zod-client/client.ts'],
  oazapfts: ['oazapfts', document, 'generated/oazapfts/client.ts'],
  kubb: ['kubb', 'generate', '--config', 'kubb.config.js'],
} as const

const run = ([program, ...args]: readonly [string, ...string[]]) =>
  execa(program, args, { cwd: folder, preferLocal: true, localDir: folder, all: true })

let emulate: EmulateProcess

beforeAll(async () => {
  rmSync(`${folder}/generated`, { recursive: true, force: true })
  emulate = await startEmulate(['--settle', 'manual'])
  for (const [name, command] of Object.entries(generators)) {
    mkdirSync(`${folder}/generated/${name}`, { recursive: true })
    await run(command)
  }
  await run(['openapi-zod-client', controlDocument, '-o', 'generated/openapi-zod-client/control.ts'])
})

afterAll(() => emulate.stop())

async function control(path: string, body: object = {}): Promise<void> {
  const { base_url } = emulate.ready
  const headers = { 'Content-Type': 'application/json' }
  const answer = await fetch(`${base_url}/_emulator/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  expect(answer.status).toBeLessThan(300)
}

it('clients compile under strict', async () => {
  const { all } = await run(['tsc', '-p', '.'])
  expect(all).toBe('')
})

describe.each(Object.keys(generators))('a client that %s makes', (name) => {
  it('pays, and tells refusals by their type', async () => {
    await control('reset')
    const { connect }: Program = await import(`${folder}/programs/${name}.ts`)
    const client = connect({ baseUrl: emulate.ready.base_url, token: emulate.ready.token })

    const accounts = await client.accounts()
    expect(accounts.map(({ balance }) => balance.currency)).toEqual(['CRC', 'USD'])
    const order = {
      source_account_id: accounts[0]?.id ?? '',
      amount: 250_000,
      recipient_phone: '87000002',
      description: 'Almuerzo del viernes',
    }
    expect(await client.check('almuerzo-0043', order)).toEqual({ fee: 0 })
    const payment = await client.send('almuerzo-0043', order)
    expect(payment).toMatchObject({ status: 'pending', id: expect.stringMatching(/^[0-9a-f-]{36}$/) })
    expect(await client.send('almuerzo-0043', order)).toEqual(payment)
    await control('clock/advance', { ms: 60_000 })
    expect(await client.status('id' in payment ? payment.id : '')).toBe('completed')

    expect(await client.send('to-nobody', { ...order, recipient_phone: '89999999' })).toMatchObject({
      status: 422,
      message: expect.any(String),
      errors: { recipient_phone: [expect.any(String)] },
    })
    expect(await client.check('almuerzo-0043', order)).toMatchObject({
      status: 409,
      message: 'Payment already processed',
    })
  })
})

it('the guide names the versions that are tried', () => {
  const guide = readFileSync(new URL('../../docs/guide/other-clients.md', import.meta.url), 'utf8')
  const rows = [...guide.matchAll(/^\| (\S+)(?: \([^|]*\))? \| (\d[\d.]*) \|/gm)].map(([, name, version]) => [
    name,
    version,
  ])
  expect(rows).toHaveLength(Object.keys(generators).length)
  const { kubb, ...named } = Object.fromEntries(rows)
  expect(manifest.dependencies).toMatchObject({ ...named, '@kubb/cli': kubb })
})
