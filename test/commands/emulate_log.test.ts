import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { expect, it, vi } from 'vitest'
import type { Ready } from '../../src/config/running_emulators.ts'
import { runPayctl, temporaryDirectory } from '../support/run_payctl.ts'

const secrets = {
  token: 'token-of-the-log-test-1234567890',
  controlToken: 'control-of-the-log-test-1234567890',
  clientSecret: 'client-of-the-log-test-1234567890',
}

/** The output of an emulator while `work` uses the emulator. */
async function outputOf(flags: readonly string[], work: (ready: Ready) => Promise<void>) {
  const state = await temporaryDirectory()
  const stop = new AbortController()
  const readyFile = join(state, 'ready.json')
  const argv = ['emulate', '--port', '0', '--ready-file', readyFile, ...flags]
  const env = {
    PAYCTL_STATE_DIR: state,
    PAYCTL_EMULATOR_TOKEN: secrets.token,
    PAYCTL_EMULATOR_CONTROL_TOKEN: secrets.controlToken,
    PAYCTL_EMULATOR_CLIENT_SECRET: secrets.clientSecret,
  }
  const finished = runPayctl(argv, { env, signal: stop.signal })
  try {
    await work(await vi.waitFor(async () => JSON.parse(await readFile(readyFile, 'utf8')) as Ready, 25_000))
  } finally {
    stop.abort('SIGTERM')
  }
  const { code, stdout, stderr } = await finished
  expect(code).toBe(0)
  return { stdout, stderr }
}

/** The lines of the JSON log. */
async function logOf(flags: readonly string[], work: (ready: Ready) => Promise<void>) {
  const { stdout, stderr } = await outputOf(['--log', 'json', ...flags], work)
  expect(stdout).toBe('')
  const lines = stderr.trimEnd().split('\n')
  return { stderr, events: lines.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>) }
}

it('writes a JSON line for each request, with its world and without secrets', async () => {
  const { stderr, events } = await logOf([], async ({ base_url, world }) => {
    await fetch(`${base_url}/api/user?code=abcdefgh&token=${secrets.token}&page=2`, {
      headers: {
        authorization: `Bearer ${secrets.token}`,
        'x-request-id': 'from-the-proxy',
        'x-emulator-world': world ?? '',
      },
    })
    await fetch(`${base_url}/api/${secrets.controlToken}/${encodeURIComponent('a\nb')}`)
    await fetch(`${base_url}/w/nowhere/api/user`)
    const body = { grant_type: 'client_credentials', client_secret: secrets.clientSecret }
    await fetch(`${base_url}/oauth/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  })
  for (const secret of [...Object.values(secrets), 'abcdefgh']) expect(stderr).not.toContain(secret)
  const [ready, user, unknown, nowhere] = events
  expect(ready).toMatchObject({ event: 'ready', level: 'info' })
  expect(events.at(-1)).toMatchObject({ event: 'stopped' })
  expect(user).toEqual({
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    level: 'info',
    event: 'request',
    method: 'GET',
    path: '/api/user?code=***&token=***&page=2',
    status: 200,
    duration_ms: expect.any(Number),
    endpoint: 'user.get',
    world: 'default',
    world_id: expect.stringMatching(/^[\da-f-]{36}$/),
    team: null,
    request: 'r1',
    request_id: 'from-the-proxy',
  })
  expect(unknown).toMatchObject({ path: '/api/***/a%0Ab', status: 404, endpoint: null, request_id: null })
  expect(nowhere).toMatchObject({ status: 404, world: 'nowhere', world_id: null, request: null })
})

it('writes a JSON line for each world that is made, closed, opened or ended', async () => {
  const folder = join(await temporaryDirectory(), 'worlds')
  const { events } = await logOf(['--worlds', folder, '--open-worlds', '2'], async ({ base_url }) => {
    const headers = { authorization: `Bearer ${secrets.controlToken}`, 'content-type': 'application/json' }
    for (const name of ['shop-1', 'shop-2']) {
      await fetch(`${base_url}/_emulator/worlds`, { method: 'POST', headers, body: JSON.stringify({ name }) })
    }
    await fetch(`${base_url}/_emulator/worlds/shop-1`, { method: 'DELETE', headers })
  })
  const changes = events.filter(({ event }) => String(event).startsWith('world_'))
  expect(changes.map(({ event, world }) => `${event} ${world}`)).toEqual([
    'world_made shop-1',
    'world_closed shop-1',
    'world_made shop-2',
    'world_closed shop-2',
    'world_opened shop-1',
    'world_deleted shop-1',
  ])
})

/** A secret in the form that the emulator generates. */
const generated = `${'aB-3_'.repeat(8)}xyz`

it('hides generated secrets that a client misplaces, in both logs', async () => {
  const misplace = async ({ base_url: url }: Ready) => {
    await fetch(`${url}/w/risk.${generated}/api/user?x=${generated}`, { headers: { 'x-request-id': generated } })
  }
  const { stderr, events } = await logOf([], misplace)
  expect(stderr).not.toContain(generated)
  expect(events.at(-2)).toMatchObject({ path: '/w/risk.***/api/user?x=***', world: 'risk.***', request_id: '***' })
  const text = await outputOf(['--verbose'], misplace)
  expect(text.stderr).toContain('/w/risk.***/api/user?x=***')
  expect(text.stderr).not.toContain(generated)
})

it.skipIf(process.platform === 'win32')('a ready file can be a pipe, which stays when the emulator ends', async () => {
  const state = await temporaryDirectory()
  const pipe = join(state, 'ready')
  await execa('mkfifo', [pipe])
  const reader = execa('cat', [pipe])
  const argv = ['emulate', '--ready-file', pipe, '--', 'true']

  expect(await runPayctl(argv, { env: { PAYCTL_STATE_DIR: state } })).toMatchObject({ code: 0, stderr: '' })
  expect(JSON.parse((await reader).stdout)).toMatchObject({ event: 'ready' })
  expect((await stat(pipe)).isFIFO()).toBe(true)
})

it.skipIf(process.platform === 'win32')('a ready file that is a pipe needs a reader', async () => {
  const state = await temporaryDirectory()
  const pipe = join(state, 'ready')
  await execa('mkfifo', [pipe])

  const argv = ['emulate', '--ready-file', pipe, '--', 'true']
  const { code, stderr } = await runPayctl(argv, { env: { PAYCTL_STATE_DIR: state } })

  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: expect.stringMatching(/no program reads it\.\n.*pipe with a reader/),
  })
})
