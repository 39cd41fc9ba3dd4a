import { createRequire } from 'node:module'
import { Ajv, type AnySchemaObject } from 'ajv'
import draft6 from 'ajv/lib/refs/json-schema-draft-06.json' with { type: 'json' }
import formats from 'ajv-formats'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startEmulator } from '../../src/testing/index.ts'
import { runPayctl } from '../support/run_payctl.ts'

const require = createRequire(new URL('generators/', import.meta.url))
const schemas: Readonly<Record<string, AnySchemaObject>> = require('har-schema')
const newman = require('newman')

/** An emulator with requests of two users in its log, in every form that an export has to write. */
async function used() {
  const emulator = await startEmulator({ settle: 'manual' })
  onTestFinished(() => emulator.close())
  const { baseUrl, clientId, clientSecret, control } = emulator
  const other = await control.tokens.mint({ user: (await control.users.create({ name: 'Leo Mora' })).id })
  const send = async (path: string, init: RequestInit = {}, token: string | null = emulator.token) => {
    const headers = {
      'Content-Type': 'application/json',
      ...(token && { Authorization: `Bearer ${token}` }),
      ...init.headers,
    }
    await fetch(`${baseUrl}${path}`, { ...init, headers }).catch(() => {})
  }
  const order = {
    source_account_id: emulator.accounts()[0]?.id,
    recipient_phone: '87000001',
    amount: 1000,
    description: 'It\'s "quoted" & <ñ>',
  }
  const payment = { method: 'POST', body: JSON.stringify(order), headers: { 'X-Idempotency-Key': 'order-1' } }
  await send('/api/payments', payment)
  await send('/api/payments/history?per_page=2&page=1')
  await send('/api/user', {}, other.token)
  await send('/api/user', {}, null)
  await send('/api/nowhere/{id}?x=1')
  await send('/api/payments', { method: 'POST', body: '{' })
  const refresh = {
    grant_type: 'refresh_token',
    refresh_token: 'unknown',
    client_id: clientId,
    client_secret: clientSecret,
  }
  await fetch(`${baseUrl}/oauth/token`, { method: 'POST', body: new URLSearchParams(refresh) })
  await control.faults.add({ endpoint: 'accounts.list', fault: 'lose_answer' })
  await send('/api/accounts')
  const statuses = async () =>
    (await control.requests.list({ since: 0, per_page: 100 })).data.map(({ status }) => status)
  const secrets = [emulator.token, other.token, clientSecret]
  const exported = async (format: string) => {
    const { stdout, stderr } = await runPayctl(['emulator', 'export', `--${format}`], {
      env: { PAYCTL_BASE_URL: baseUrl },
    })
    expect(
      secrets.filter((secret) => stdout.includes(secret)),
      stderr,
    ).toEqual([])
    return JSON.parse(stdout)
  }
  return { exported, statuses, secrets }
}

describe('payctl emulator export', () => {
  it('--har writes an archive that fits the schema of HTTP Archive 1.2', async () => {
    const { exported, statuses } = await used()
    const archive = await exported('har')
    const ajv = new Ajv({ strict: false })
    formats.default(ajv)
    ajv.addMetaSchema(draft6)
    for (const schema of Object.values(schemas)) ajv.addSchema(schema)
    const isValid = ajv.validate('har.json#', archive)
    expect(ajv.errors).toBeNull()
    expect(isValid).toBe(true)
    const { entries } = archive.log
    expect(entries.map((entry: { response: { status: number } }) => entry.response.status)).toEqual(await statuses())
    expect(entries[0].request).toMatchObject({ method: 'POST', postData: { mimeType: 'application/json' } })
    expect(entries[0].request.headers).toContainEqual({ name: 'Authorization', value: 'Bearer {{token}}' })
    expect(entries[1].request.queryString).toEqual([
      { name: 'per_page', value: '2' },
      { name: 'page', value: '1' },
    ])
  })

  it('--postman writes a collection that newman runs, with the same results', async () => {
    const { exported, statuses, secrets } = await used()
    const collection = await exported('postman')
    const before = await statuses()
    const [token, token_2, client_secret] = secrets
    const values = { token, token_2, client_secret, refresh_token: 'unknown' }
    const envVar = Object.entries(values).map(([key, value]) => ({ key, value }))
    expect(collection.variable.map(({ key }: { key: string }) => key)).toEqual([
      'base_url',
      ...Object.keys(values).slice(0, 2),
      'refresh_token',
      'client_secret',
    ])
    const { failures } = await new Promise<{ failures: unknown[] }>((resolve, reject) => {
      newman.run({ collection, envVar }, (error: unknown, summary: { run: { failures: unknown[] } }) =>
        error ? reject(error) : resolve(summary.run),
      )
    })
    expect(failures).toEqual([])
    expect((await statuses()).slice(before.length)).toEqual(before)
  })
})
