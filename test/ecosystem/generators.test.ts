import { rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type EmulateProcess, startEmulate } from '../conformance/targets/payctl_emulate.ts'
import type { Paid, Service } from './payment_program.ts'

const folder = fileURLToPath(new URL('generators', import.meta.url))
const document = fileURLToPath(new URL('../../docs/reference/openapi.json', import.meta.url))

/** What each is called with to make a client in `generated/<name>`. */
const generators: Readonly<Record<string, readonly string[]>> = {
  'openapi-typescript': [document, '-o', 'generated/openapi-typescript/schema.ts'],
}

const run = (program: string, args: readonly string[]) =>
  execa(program, args, { cwd: folder, preferLocal: true, localDir: folder, all: true })

let emulate: EmulateProcess

beforeAll(async () => {
  rmSync(`${folder}/generated`, { recursive: true, force: true })
  emulate = await startEmulate(['--settle', 'manual'])
})

afterAll(() => emulate.stop())

async function control(path: string, body: object): Promise<void> {
  const { base_url } = emulate.ready
  const headers = { 'Content-Type': 'application/json' }
  const answer = await fetch(`${base_url}/_emulator/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  expect(answer.status).toBeLessThan(300)
}

describe.each(Object.entries(generators))('a client that %s makes', (name, args) => {
  beforeAll(async () => {
    await run(name, args)
  })

  it('compiles under strict', async () => {
    const { all } = await run('tsc', ['-p', '.'])
    expect(all).toBe('')
  })

  it('pays', async () => {
    await control('reset', {})
    const { pay }: { pay(service: Service): Promise<Paid> } = await import(`${folder}/programs/${name}.ts`)
    const service: Service = {
      baseUrl: emulate.ready.base_url,
      token: emulate.ready.token,
      advanceClock: (ms) => control('clock/advance', { ms }),
    }
    expect(await pay(service)).toMatchObject({
      ibans: [expect.stringMatching(/^CR/), expect.stringMatching(/^CR/)],
      statuses: ['pending', 'completed'],
      isSame: true,
      refusal: { status: 422, message: 'Amount exceeds maximum limit', fields: ['amount'] },
      conflict: { status: 409, message: 'Payment already processed' },
    })
  })
})
