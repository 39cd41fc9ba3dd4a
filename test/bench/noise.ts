import { connect } from 'node:net'

// The process of a team that has reached all its limits. Its argument is JSON. Sends a message when all kinds of
// requests have begun.

interface Team {
  /** Base URLs of the emulator and of the team's world. */
  readonly base: string
  readonly world: string
  /** Token of the world. */
  readonly token: string
  readonly key: string
}

const { base, world, token, key }: Team = JSON.parse(process.argv[2] ?? '{}')

const headers = (secret: string) => ({ Authorization: `Bearer ${secret}`, 'Content-Type': 'application/json' })

const control = (path: string, body?: object, at = world) =>
  fetch(`${at}/_emulator/${path}`, {
    headers: headers(key),
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  })

/** Repeats a request without end, with pauses of `wait` milliseconds; resolves after the first answer. */
async function again(send: (number: number) => Promise<Response>, wait = 20): Promise<void> {
  const attempt = async (number: number) => {
    const answer = await send(number).catch(() => null)
    await answer?.text().catch(() => {})
    setTimeout(attempt, wait, number + 1)
  }
  await attempt(0)
}

const large = 'x'.repeat(1024 * 1024 - 100)
const slow = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n'

/** Requests exports of the world, and never reads the answers. */
function readSlowly(): void {
  const { hostname, port, pathname } = new URL(world)
  const socket = connect({ host: hostname, port: Number(port) })
  socket.on('error', () => {})
  const ask = `GET ${pathname}/_emulator/export HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n\r\n`
  socket.pause().write(ask.repeat(5))
}

const streams = Array.from({ length: 500 }, () => control('events').catch(() => null))
for (let count = 0; count < 20; count += 1) {
  void again(() => control('wait', { requests: 1_000_000, timeout_ms: 30_000 }))
}
for (let count = 0; count < 4; count += 1) void again(() => control('sql', { query: slow, timeout_ms: 1000 }))
for (let count = 0; count < 50; count += 1) readSlowly()
await Promise.all([
  ...streams,
  again(() => fetch(`${world}/api/payments`, { method: 'POST', headers: headers(token), body: large }), 100),
  again((number) => control('worlds', { name: `n${number % 40}` }, base), 50),
  again((number) => control('snapshots', { name: `s${number % 20}`, replace: true }), 100),
  ...Array.from({ length: 4 }, () => again(() => fetch(`${world}/api/user`, { headers: headers(token) }), 1)),
])
process.send?.('begun')
