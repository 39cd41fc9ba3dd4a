import { join } from 'node:path'
import { expect, it } from 'vitest'
import { startEmulator } from '../../emulator/index.ts'
import { at, runPayctl, temporaryDirectory } from '../support/run_payctl.ts'

const commands: Readonly<Record<string, readonly string[]>> = {
  phone: ['phone', '-'],
  'phone --file': ['phone', '--file', '-'],
  'lookup --file': ['lookup', '--file', '-', '--output-file', 'out.csv'],
  api: ['api', 'POST', '/api/accounts', '--input', '-'],
  'payments batch': ['payments', 'batch', '-', '--yes'],
  'webhooks replay': ['webhooks', 'replay', '-', '--to', 'http://127.0.0.1:1'],
  'webhooks create': ['webhooks', 'create', '--url', 'http://127.0.0.1:1', '--events', 'all', '--header', 'X-Key=@-'],
  'emulator import': ['emulator', 'import', '-', '--name', 'bug'],
}

it.each(Object.keys(commands))('%s ends when it is interrupted while it waits for stdin', async (name) => {
  const emulator = await startEmulator()
  const folder = await temporaryDirectory()
  const argv = (commands[name] ?? []).map((word) => (word === 'out.csv' ? join(folder, word) : word))
  const controller = new AbortController()
  const { env } = at(emulator.baseUrl)
  const run = runPayctl(argv, { env: { ...env, PAYCTL_TOKEN: emulator.token }, signal: controller.signal })
  setTimeout(() => controller.abort('SIGTERM'), 300)
  try {
    const { code, stderr } = await run
    expect({ code, stderr }).toEqual({ code: 130, stderr: expect.stringContaining('Interrupted') })
  } finally {
    await emulator.close()
  }
})
