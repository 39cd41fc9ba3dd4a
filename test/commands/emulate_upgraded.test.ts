import { copyFileSync, cpSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createClient } from '../../src/client/index.ts'
import { surroundings } from '../support/payctl_process.ts'
import { at, runPayctl, temporaryDirectory } from '../support/run_payctl.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

const missing = 'The emulator could not load a part of itself. Was payctl moved or upgraded? Start the emulator again.'

/** Checks that a query fails, because its process needs Node and a file of payctl, and at least one is missing. */
async function expectMissing(baseUrl: string): Promise<void> {
  const { code, stderr } = await runPayctl(['emulator', 'sql', 'SELECT 1'], at(baseUrl))
  expect([code, stderr]).toEqual([12, `error: ${missing}\n  The output or log of the emulator has the details.\n`])
}

it('an emulator whose files are gone goes on, and says what it cannot do', async () => {
  const home = await temporaryDirectory()
  for (const part of ['bin', 'dist', 'package.json']) cpSync(join(root, part), join(home, part), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(home, 'node_modules'))
  const env = surroundings({ baseUrl: '', token: '' })
  const node = join(home, 'node')
  copyFileSync(process.execPath, node)
  const argv = [join(home, 'bin/payctl.js'), 'emulate', '--port', '0', '--settle', 'instant', '--json']
  const child = execa(node, argv, { env, extendEnv: false, reject: false })
  onTestFinished(() => void child.kill('SIGKILL'))
  for await (const line of child) {
    const { base_url: baseUrl, token } = JSON.parse(line)
    rmSync(join(home, 'dist'), { recursive: true })
    expect(await (await fetch(`${baseUrl}/_emulator/story`)).json()).toMatchObject({ message: missing })
    await expectMissing(baseUrl)
    rmSync(node)
    await expectMissing(baseUrl)
    const client = createClient({ baseUrl, token, strict: true })
    onTestFinished(() => client.close())
    const body = { url: 'http://127.0.0.1:9/hook', events: ['transaction.received' as const], max_attempts: 1 }
    const { id } = await client.call('webhooks.create', { body })
    await fetch(`${baseUrl}/_emulator/credits`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ to: '88001234', amount: 500 }),
    })
    await vi.waitFor(async () => {
      const { suspended_reason } = await client.call('webhooks.get', { params: { id } })
      expect(suspended_reason).toContain(missing)
    }, 10_000)
    child.kill('SIGTERM')
  }
  expect(await child).toMatchObject({ exitCode: 0 })
})
