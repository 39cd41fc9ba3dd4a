import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { execa } from 'execa'
import { expect, onTestFinished, test } from 'vitest'
import type { Ready } from '../../src/config/running_emulators.ts'
import { controlEndpoints, endpoints } from '../../src/contract/index.ts'
import { payctlCommand } from '../support/program.ts'
import { newFolder } from './store/folder.ts'

/** The built emulator, limited to this number of open files and connections. */
async function start(files: number, worlds: string): Promise<Ready> {
  const flags = ['emulate', '--port', '0', '--json', '--settle', 'manual', '--worlds', worlds]
  const run = execa('sh', ['-c', `ulimit -n ${files}; exec "$0" "$@"`, ...payctlCommand(flags).flat()], {
    env: { PAYCTL_STATE_DIR: newFolder() },
    reject: false,
  })
  onTestFinished(async () => {
    run.kill('SIGTERM')
    await run
  })
  return JSON.parse(String((await once(run.stdout, 'data'))[0]))
}

test('an emulator that can open no more files says so, and loses nothing', async () => {
  const { base_url, token, accounts } = await start(60, newFolder())
  const { hostname, port } = new URL(base_url)
  // Keeps the test's only connection open, so that later requests need no new connection.
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  onTestFinished(() => agent.destroy())
  const send = async ({ method, path }: { method: string; path: string }, body: object, key = '') => {
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', 'X-Idempotency-Key': key }
    const sent = request({ agent, hostname, port, method, path, headers }).end(JSON.stringify(body))
    const [answer] = await once(sent, 'response')
    return { status: answer.statusCode, ...(JSON.parse(await text(answer)) as { message: string; data: unknown }) }
  }
  const make = (name: string) => send(controlEndpoints['control.worlds.create'], { name })
  const query = () => send(controlEndpoints['control.sql'], { query: 'SELECT count(*) FROM payments' })
  const pay = (key: string) =>
    send(
      endpoints['payments.create'],
      { source_account_id: accounts[0]?.id, amount: 1, recipient_phone: '87000001' },
      key,
    )
  expect(await make('a')).toMatchObject({ status: 201 })

  const others = Array.from({ length: 80 }, () => connect(Number(port), hostname))
  const turnedAway = Promise.race(
    others.map((socket) =>
      once(
        socket.on('error', () => {}),
        'close',
      ),
    ),
  )
  await turnedAway
  const outOfFiles = { status: 500, message: expect.stringMatching(/can’t open any more files \(EMFILE\).*ulimit -n$/) }
  expect([await make('b'), await query()]).toEqual([
    expect.objectContaining(outOfFiles),
    expect.objectContaining(outOfFiles),
  ])
  expect(await pay('k1')).toMatchObject({ status: 201 })

  for (const socket of others) socket.destroy()
  await expect.poll(() => make('b')).toMatchObject({ status: 201 })
  expect(await pay('k2')).toMatchObject({ status: 201 })
  expect(await query()).toMatchObject({ status: 200, data: { rows: [[2]] } })
})
