import { chmod, chown, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { addressOf, ofTheMessage, rig, target } from './rig.ts'

describe('webhooks tail --forward-to', () => {
  it('passes bytes and headers on unchanged, but for the secret, and answers as the target does', async () => {
    const { tail, subscriptions } = await rig()
    const { url, posts } = await target((response) =>
      response.writeHead(202, { 'Content-Type': 'text/x' }).end('taken'),
    )
    const running = await tail(['--forward-to', url]).listening()
    const { deliver } = await addressOf(subscriptions)
    const body = Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x00, 0x0d, 0x0a, 0x7d])
    const answer = await deliver(body, { 'X-Webhook-Id': 'whd_7', 'X-Custom': 'Ünï', Connection: 'close' })
    expect([answer.status, answer.headers.get('content-type'), await answer.text()]).toEqual([202, 'text/x', 'taken'])
    expect(posts.map((post) => post.body)).toEqual([body])
    const [post] = posts
    const headers = Object.fromEntries(post ? ofTheMessage(post) : [])
    expect(headers).toMatchObject({ 'X-Webhook-Id': 'whd_7', 'X-Custom': 'Ünï', 'Content-Type': 'application/json' })
    expect(JSON.stringify(headers).toLowerCase()).not.toContain('payctl')
    const [line] = await running.events(1)
    expect(line?.forward).toMatchObject({ status: 202, error: null })
    expect(line?.forward?.duration_ms).toBeLessThan(performance.now()) // a duration, not a time of day
  })

  it('passes on a header that comes twice as two, in order, and the case of names', async () => {
    const { tail, subscriptions } = await rig()
    const { url, posts } = await target()
    await tail(['--forward-to', url]).listening()
    const { deliverLines } = await addressOf(subscriptions)
    expect(await deliverLines('{}', { 'X-NOTE': ['one', 'two'], 'x-other': ['a', '', 'a'] })).toBe(204)
    expect(posts.flatMap(ofTheMessage).filter(([name]) => /^x-(note|other)$/i.test(name))).toEqual([
      ['X-NOTE', 'one'],
      ['X-NOTE', 'two'],
      ['x-other', 'a'],
      ['x-other', ''],
      ['x-other', 'a'],
    ])
  })

  it('forwards what the service delivers', async () => {
    const { tail, pay, settle } = await rig()
    const { url, posts } = await target()
    const running = await tail(['--forward-to', url.replace('http://', '')]).listening()
    await pay()
    await settle()
    const lines = await running.events(3)
    const bodies = posts.map(({ body }) => JSON.parse(body.toString()))
    expect(lines.map(({ event, data }) => ({ event, data }))).toEqual(
      bodies.map(({ event, data }) => ({ event, data })),
    )
  })

  it('leaves the retry to the service where the target refuses, or is down', async () => {
    const { tail, pay, settle, subscriptions } = await rig()
    let status = 503
    const { url, posts, server } = await target((response) => response.writeHead(status).end())
    const running = await tail(['--forward-to', url, '--events', 'payment.created', '-o', 'ndjson']).listening()
    await pay()
    await running.events(1)
    status = 200
    await settle()
    const lines = await running.events(2)
    expect(lines.map(({ attempt, forward }) => [attempt, forward?.status])).toEqual([
      [1, 503],
      [2, 200],
    ])
    expect(posts[1]?.body).toEqual(posts[0]?.body)
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    const { deliver } = await addressOf(subscriptions)
    const answer = await deliver('{"event":"x"}')
    expect([answer.status, await answer.text()]).toEqual([502, 'connection refused\n'])
  })

  it('does not follow a redirect', async () => {
    const { tail, subscriptions } = await rig()
    const elsewhere = await target()
    const { url } = await target((response) => response.writeHead(307, { Location: elsewhere.url }).end())
    const running = await tail(['--forward-to', url, '-o', 'table']).listening()
    const { deliver } = await addressOf(subscriptions)
    expect((await deliver('{"event":"x"}')).status).toBe(307)
    await running.until(({ stdout }) => /-> 307 \(redirects are not followed\) in \d+ ms/.test(stdout))
    expect(elsewhere.posts).toEqual([])
  })

  it('ends while the target keeps it waiting, and leaves nothing behind', async () => {
    const { tail, pay, subscriptions } = await rig()
    const { url, posts } = await target(() => {})
    const running = await tail(['--forward-to', url]).listening()
    const paying = pay()
    while (posts.length === 0) await new Promise(setImmediate)
    expect(await running.stop()).toMatchObject({ code: 0 })
    await paying
    expect(running.lines).toEqual([
      expect.objectContaining({ event: 'payment.created', forward: expect.objectContaining({ status: null }) }),
    ])
    expect(await subscriptions()).toEqual([])
  })
})

/** Saved deliveries: an event of the service, a body of bytes that are not text, and a header that comes twice. */
async function saved() {
  const world = await rig()
  const file = join(world.home, 'events.ndjson')
  await writeFile(file, '{"cut off', { mode: 0o644 })
  const running = await world.tail(['--save', file]).listening()
  const { deliver, deliverLines } = await addressOf(world.subscriptions)
  await world.pay()
  await running.events(1)
  const binary = Buffer.from([0xff, 0x00, 0x0a, 0xc3])
  await deliver(binary, { 'X-Webhook-Id': 'whd_b' })
  await deliver(binary, { 'X-Webhook-Id': 'whd_b', 'X-Webhook-Attempt': '2' })
  await deliverLines('{"event":"payment.failed",\n "data":{}}', { 'X-Note': ['one', 'two'] })
  await running.events(3)
  await running.stop()
  const lines = (await readFile(file, 'utf8')).split('\n')
  return { ...world, file, lines, binary, running }
}

describe('webhooks tail --save', () => {
  it('appends each delivery once, its body as it was, without the secret, for its owner only', async () => {
    const { file, lines, binary, running } = await saved()
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(lines[0]).toBe('{"cut off')
    expect(lines).toHaveLength(5)
    const entries = lines.slice(1, 4).map((line) => JSON.parse(line))
    expect(JSON.parse(entries[0].body)).toMatchObject({ event: 'payment.created' })
    expect(entries[0].headers).toMatchObject({ 'X-Webhook-Attempt': '1', 'Content-Type': 'application/json' })
    expect(entries[1].body_base64).toBe(binary.toString('base64'))
    expect(entries[2].body).toBe('{"event":"payment.failed",\n "data":{}}')
    expect(entries.map(({ received_at }) => received_at)).toEqual(running.lines.map(({ received_at }) => received_at))
    expect(lines.join().toLowerCase()).not.toContain('payctl-tail')
  })

  it('says at once that the file cannot be written', async () => {
    const { run, subscriptions } = await rig()
    const { code, stderr } = await run(['webhooks', 'tail', '--save', '/nowhere/at/all'])
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('Deliveries cannot be saved') })
    expect(await subscriptions()).toEqual([])
  })

  it('saves neither through a link nor in a file of another user', async (context) => {
    const { run, home } = await rig()
    const mine = join(home, 'mine')
    const file = join(home, 'events.ndjson')
    await writeFile(mine, 'untouched\n')
    await symlink(mine, file)
    const linked = await run(['webhooks', 'tail', '--save', file])
    expect(linked).toMatchObject({ code: 2, stderr: expect.stringContaining(`${file} is a link`) })
    expect(await readFile(mine, 'utf8')).toBe('untouched\n')

    context.skip(process.getuid?.() !== 0, 'only root can make files of others')
    await chmod(mine, 0o666)
    await chown(mine, 60_001, 60_001)
    const theirs = await run(['webhooks', 'tail', '--save', mine])
    expect(theirs).toMatchObject({ code: 2, stderr: expect.stringContaining('belongs to another user') })
  })

  it.skipIf(process.platform !== 'linux')('refuses deliveries and ends when the disk is full', async () => {
    const { tail, subscriptions } = await rig()
    const running = await tail(['--save', '/dev/full']).listening()
    const { deliver } = await addressOf(subscriptions)
    expect((await deliver('{"event":"x"}')).status).toBe(500)
    expect(await running.finished).toMatchObject({ code: 12 })
    expect(running.stderr).toMatch(/can no longer be saved to \/dev\/full: the disk is full/)
    expect(running.stdout).toBe('')
    expect(await subscriptions()).toEqual([])
  })
})

describe('webhooks replay', () => {
  it('posts the same bytes and headers, in order, and names the line that is not a delivery', async () => {
    const { run, file, lines, binary } = await saved()
    const { url, posts } = await target()
    const { code, stdout, stderr } = await run(['webhooks', 'replay', file, '--to', url, '-o', 'ndjson'])
    expect(code).toBe(2)
    expect(stderr).toContain('line 1: it is not JSON, or cut off. Deliveries posted: 3.')
    expect(posts.map(({ body }) => body)).toEqual([
      Buffer.from(JSON.parse(lines[1] ?? '').body),
      binary,
      Buffer.from('{"event":"payment.failed",\n "data":{}}'),
    ])
    for (const [at, post] of posts.entries()) {
      const headers: Record<string, string | string[]> = JSON.parse(lines[at + 1] ?? '').headers
      expect(ofTheMessage(post)).toEqual(
        Object.entries(headers).flatMap(([name, values]) => [values].flat().map((value) => [name, value])),
      )
    }
    expect(posts.flatMap(ofTheMessage).filter(([name]) => name === 'X-Note')).toEqual([
      ['X-Note', 'one'],
      ['X-Note', 'two'],
    ])
    const rows = stdout.split('\n').map((line) => JSON.parse(line))
    expect(rows.map(({ line, event, status }) => [line, event, status])).toEqual([
      [2, 'payment.created', 204],
      [3, null, 204],
      [4, 'payment.failed', 204],
    ])
  })

  it('reads stdin, and posts only the events asked for', async () => {
    const { run, lines } = await saved()
    const { url, posts } = await target()
    const input = lines.slice(1).join('\n')
    const { code } = await run(['webhooks', 'replay', '-', '--to', url, '--event', 'payment.failed'], { input })
    expect({ code, posted: posts.length }).toEqual({ code: 0, posted: 1 })
  })

  it('posts a last line that has no line end, from a file and from stdin', async () => {
    const { run, lines, home } = await saved()
    const { url, posts } = await target()
    const file = join(home, 'edited.ndjson')
    const text = lines.slice(1).join('\n').trimEnd()
    await writeFile(file, text)
    const read = await run(['webhooks', 'replay', file, '--to', url])
    expect({
      code: read.code,
      bodies: posts
        .splice(0)
        .map(({ body }) => body.toString())
        .at(-1),
    }).toEqual({
      code: 0,
      bodies: '{"event":"payment.failed",\n "data":{}}',
    })
    await writeFile(file, `${text.split('\n')[2]}`)
    expect(await run(['webhooks', 'replay', file, '--to', url])).toMatchObject({ code: 0 })
    expect(posts.splice(0)).toHaveLength(1)
    expect(await run(['webhooks', 'replay', '-', '--to', url], { input: text })).toMatchObject({ code: 0 })
    expect(posts).toHaveLength(3)
  })

  it.each([
    [404, 7],
    [307, 7],
    [500, 12],
  ])('ends with failure when the target answers %i, having posted all', async (status, expected) => {
    const { run, lines } = await saved()
    const { url, posts } = await target((response) => response.writeHead(status, { Location: '/other' }).end())
    const { code, stderr } = await run(['webhooks', 'replay', '-', '--to', url], { input: lines.slice(1).join('\n') })
    expect({ code, posted: posts.length }).toEqual({ code: expected, posted: 3 })
    expect(stderr).toContain('error: 3 of 3 deliveries were not accepted.')
  })

  it('reports a target that is down, and a missing file', async () => {
    const { run, lines } = await saved()
    const down = await run(['webhooks', 'replay', '-', '--to', 'http://127.0.0.1:1/', '--columns', 'line,error'], {
      input: lines[1] ?? '',
    })
    expect(down.code).toBe(12)
    expect(down.stdout).toMatch(/^line\terror\n1\t.*connection refused/)
    expect(await run(['webhooks', 'replay', '/nowhere', '--to', 'http://127.0.0.1:1/'])).toMatchObject({ code: 2 })
  })
})

describe('webhooks tail below each event', () => {
  const event = (name: string, id: string) =>
    JSON.stringify({ event: name, timestamp: null, data: { id, status: 'failed', error: 'Account closed' } })

  it('prints why it failed, the answer of the target and its first line, and numbers repetitions', async () => {
    const { tail, subscriptions } = await rig()
    const answers = [
      'TypeError: cannot read fee\n  at hook.js',
      '{\n "error": "busy" }',
      '<!DOCTYPE html><title>Bad Gateway</title>',
    ]
    const { url } = await target((response) => response.writeHead(answers.length > 0 ? 500 : 204).end(answers.shift()))
    const running = await tail(['--forward-to', `${url}?token=hidden`, '-o', 'table']).listening()
    const { deliver } = await addressOf(subscriptions)
    const send = (id: string, attempt: string) =>
      deliver(event('payment.failed', `payment-${id}`), { 'X-Webhook-Id': `whd_${id}`, 'X-Webhook-Attempt': attempt })
    for (const attempt of ['1', '2']) await send('one', attempt)
    await send('two', '1')
    await send('one', '3')
    await running.until(({ stdout }) => stdout.includes('attempt 3'))
    const told = running.stdout
      .replace(/\d\d:\d\d:\d\d/g, 'TIME')
      .replace(/\d+ ms/g, 'N ms')
      .replace(/ {3,}/g, '   ')
    expect(told.split('\n')).toEqual([
      'TIME  payment.failed   payment-one',
      '   Account closed',
      '   -> 500 in N ms, attempt 1 of 3  "TypeError: cannot read fee"',
      '   -> 500 in N ms, attempt 2 of 3  "{"error":"busy"}"',
      'TIME  payment.failed   payment-two',
      '   Account closed',
      '   -> 500 in N ms, attempt 1 of 3  "Bad Gateway"',
      '   -> 204 in N ms, attempt 3, for payment.failed payment-one',
      '',
    ])
    expect(running.stdout + running.stderr).not.toContain('hidden')
  })

  it('numbers repetitions itself where the service does not', async () => {
    const { tail, subscriptions } = await rig()
    const { url } = await target((response) => response.writeHead(503).end())
    const running = await tail(['--forward-to', url, '-o', 'table']).listening()
    const { deliver } = await addressOf(subscriptions)
    for (const _ of [1, 2]) await deliver(event('payment.failed', 'p'))
    await running.until(({ stdout }) => stdout.includes('attempt 2 of 3'))
    expect(running.stdout.match(/payment\.failed/g)).toHaveLength(1)
  })
})

describe('webhooks tail --route', () => {
  it('posts an event to its own URL, and the others where all go', async () => {
    const { tail, pay, settle } = await rig()
    const [all, completed] = [await target(), await target()]
    const flags = ['--forward-to', all.url, '--route', `payment.completed=${completed.url}`]
    const running = await tail(flags).listening()
    await pay()
    await settle()
    const lines = await running.events(3)
    const eventsAt = (at: typeof all) => at.posts.map(({ body }) => JSON.parse(body.toString()).event)
    expect([eventsAt(all), eventsAt(completed)]).toEqual([
      ['payment.created', 'payment.processing'],
      ['payment.completed'],
    ])
    expect(lines.map(({ forward }) => forward)).toMatchObject([
      { url: all.url },
      { url: all.url },
      { url: completed.url },
    ])
  })

  it('alone leaves the others unposted', async () => {
    const { tail, pay, settle } = await rig()
    const { url, posts } = await target()
    const running = await tail(['--route', `payment.created,payment.failed=${url}`]).listening()
    await pay()
    await settle()
    const lines = await running.events(3)
    expect(lines.map(({ forward }) => forward?.status)).toEqual([204, undefined, undefined])
    expect(posts).toHaveLength(1)
  })

  it.each([
    [['--route', 'payment.done=localhost'], "Event 'payment.done' does not exist"],
    [['--route', 'localhost:3000'], 'Give an event and a URL'],
    [['--route', 'all=localhost:1', '--route', 'payment.failed=localhost:2'], 'already has a route'],
    [['--where', 'status'], 'is not a valid condition'],
  ])('%j is refused', async (flags, reason) => {
    const { run } = await rig()
    expect(await run(['webhooks', 'tail', ...flags])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(reason),
    })
  })
})

describe('webhooks tail --where', () => {
  it.each([
    ['status=completed', ['payment.completed', 'transaction.received']],
    ['event!=payment.created', ['payment.processing', 'payment.completed', 'transaction.received']],
    ['data.payer.name~JIMENEZ', ['transaction.received']],
    ['amount.value=500', ['transaction.received']],
  ])('%s shows, saves and posts what meets it, and acknowledges the rest', async (condition, expected) => {
    const { tail, pay, credit, settle, home, emulator } = await rig()
    const { url, posts } = await target()
    const file = join(home, 'saved.ndjson')
    const running = await tail(['--where', condition, '--forward-to', url, '--save', file]).listening()
    await pay()
    await settle()
    await credit(500)
    await settle()
    const lines = await running.events(expected.length)
    const attempts = (await emulator.control.deliveries.list()).data.map(({ attempts }) => attempts)
    await running.stop()
    const saved = (await readFile(file, 'utf8')).trim().split('\n')
    expect(lines.map(({ event }) => event)).toEqual(expected)
    expect(saved.map((line) => JSON.parse(JSON.parse(line).body).event)).toEqual(expected)
    expect(posts).toHaveLength(expected.length)
    expect(new Set(attempts)).toEqual(new Set([1]))
  })

  it('says that no event has such a field', async () => {
    const { tail } = await rig()
    const running = await tail(['--where', 'payee.nmae=x']).listening()
    await running.until(({ stderr }) => stderr.includes('has the field payee.nmae. Perhaps you mean payee.name.'))
  })
})

it('webhooks tail says that nobody listens yet, and posts nothing to find out', async () => {
  const { tail } = await rig()
  const { url, posts, server } = await target()
  const heard = await tail(['--forward-to', url]).listening()
  await heard.stop()
  expect([heard.stderr.includes('Nothing listens'), posts]).toEqual([false, []])
  await new Promise((resolve) => server.close(resolve))
  const running = await tail(['--forward-to', `${url}?token=hidden`]).listening()
  await running.until(({ stderr }) => stderr.includes(`Nothing listens there yet: ${url}.`))
  expect(running.stderr).not.toContain('hidden')
})

describe('webhooks replay of one delivery', () => {
  it('posts the last one, or one by its id or its payment’s, to any URL, without a file', async () => {
    const { tail, pay, settle, run, home } = await rig()
    const running = await tail().listening()
    const id = await pay()
    await settle()
    const lines = await running.events(3)
    await running.stop()
    const whd = lines[1]?.delivery_id ?? ''
    for (const [which, event] of [
      ['last', 'payment.completed'],
      [whd, 'payment.processing'],
    ] as const) {
      const { url, posts } = await target((response) => response.writeHead(200).end('thanks'))
      const { code, stdout } = await run(['webhooks', 'replay', which, '--to', url, '--json'])
      expect(code).toBe(0)
      expect(JSON.parse(stdout)).toMatchObject([{ event, status: 200, answer: 'thanks', payment_id: id }])
      expect(posts.map(({ body }) => JSON.parse(body.toString()).event)).toEqual([event])
    }
    const { url } = await target((response) => response.writeHead(200).end())
    expect(await run(['webhooks', 'replay', `...${whd.slice(-6)}`, '--to', url])).toMatchObject({ code: 0 })
    const several = await run(['webhooks', 'replay', id.slice(-6), '--to', 'localhost:9'])
    expect(several).toMatchObject({ code: 2, stderr: expect.stringContaining(`names 3 deliveries`) })
    expect(several.stderr).toContain(whd)
    const none = await run(['webhooks', 'replay', 'whd_nothing', '--to', 'localhost:9'])
    expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining('No recent delivery is named whd_nothing') })
    expect((await stat(join(home, 'state', 'webhooks', 'recent.ndjson'))).mode & 0o777).toBe(0o600)
  })
})
