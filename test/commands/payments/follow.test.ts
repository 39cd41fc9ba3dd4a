import { once } from 'node:events'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { startWorld } from '../../emulator/control/world.ts'
import { startPayctl } from '../../support/payctl_process.ts'
import { failure, startStub, success } from '../../support/stub.ts'
import { pageOf, paymentOf } from './service.ts'

const payment = () => paymentOf({ body: { amount: 1 }, key: 'k' })

const carlos = { recipient_phone: '87000001' }

interface Line {
  readonly id: string
  readonly status: string
}

/** A running `payments history` that follows new payments, and its output so far. */
function follow(service: Parameters<typeof startPayctl>[0], ...flags: readonly string[]) {
  const argv = ['payments', 'history', '--interval', '100ms', '-o', 'ndjson', ...flags]
  const child = startPayctl(service, argv, { input: '' })
  let text = ''
  let notes = ''
  child.stdout.on('data', (chunk) => {
    text += chunk
  })
  child.stderr.on('data', (chunk) => {
    notes += chunk
  })
  const lines = (): Line[] => (text.match(/.+\n/g) ?? []).map((line) => JSON.parse(line))
  const prints = (...expected: readonly (readonly [id: string, status: string])[]) =>
    vi.waitFor(() => expect(lines().map(({ id, status }) => [id, status])).toEqual(expected), 15_000)
  const remarks = (remark: string) => vi.waitFor(() => expect(notes).toContain(remark), 15_000)
  return { child, lines, prints, remarks }
}

describe('history --follow', () => {
  it('prints the newest oldest first, then each payment as it comes and when its status changes', async () => {
    const { emulator, pay } = await startWorld()
    const before = []
    for (const amount of [1, 2, 3]) before.push((await pay(carlos, amount)).id)
    const [, second = '', third = ''] = before
    const { child, prints } = follow(emulator, '--limit', '2')
    await prints([second, 'pending'], [third, 'pending'])
    const { id } = await pay(carlos)
    const start = [
      [second, 'pending'],
      [third, 'pending'],
      [id, 'pending'],
    ] as const
    await prints(...start)
    await emulator.control.advanceClock(60_000)
    const ends = before.concat(id).map((payment) => [payment, 'completed'] as const)
    await prints(...start, ...ends)
    child.kill('SIGINT')
    expect(await child).toMatchObject({ exitCode: 130, stderr: '' })
  })

  it('misses none when more come than a page holds', async () => {
    const { emulator, pay } = await startWorld()
    await pay(carlos)
    const first = await pay(carlos)
    const { child, lines, prints } = follow(emulator, '--limit', '1', '--interval', '1s')
    await prints([first.id, 'pending'])
    const ids = [first.id]
    for (let count = 0; count < 350; count += 1) ids.push((await pay(carlos, 1)).id)
    await vi.waitFor(() => expect(lines()).toHaveLength(ids.length), 20_000)
    expect(lines().map(({ id }) => id)).toEqual(ids)
    child.kill('SIGINT')
    await child
  })

  it('keeps to the filters', async () => {
    const { emulator, pay } = await startWorld()
    const { child, prints } = follow(emulator, '--channel', 'pin')
    await pay(carlos)
    const { id } = await pay({ recipient_iban: 'CR73015100100000000001' })
    await prints([id, 'pending'])
    child.kill('SIGINT')
    await child
  })

  it('finds out how payments end that are far down the history', async () => {
    const { emulator, pay, steer, colones } = await startWorld()
    const { id } = await pay(carlos)
    const { child, lines, prints } = follow(emulator)
    await prints([id, 'pending'])
    for (let count = 0; count < 120; count += 1)
      await steer('control.credits.create', { body: { to: colones, amount: 1 } })
    await vi.waitFor(() => expect(lines()).toHaveLength(121), 15_000)
    await emulator.control.advanceClock(60_000)
    await vi.waitFor(() => expect(lines()).toContainEqual(expect.objectContaining({ id, status: 'completed' })), 15_000)
    child.kill('SIGINT')
    await child
  })

  it.each([
    ['an answer that is lost', (response: { destroy(): void }) => void response.destroy()],
    ['a rate limit', [429, failure('Too Many Attempts.'), { 'Retry-After': '0' }] as const],
    ['a server in trouble', [502, '<html>'] as const],
  ])('goes on after %s', async (_, trouble) => {
    const payments = [payment(), payment()]
    const [second, first] = payments
    const page = (...data: readonly unknown[]) => [200, success(pageOf(data))] as const
    const stub = await startStub(page(first), trouble, page(first), trouble, trouble, page(second, first))
    const { child, prints, remarks } = follow({ baseUrl: stub.url, token: 't' }, '--retries', '0')
    await remarks('The history could not be read: ')
    await remarks('Following again.')
    await prints([first?.id ?? '', 'pending'], [second?.id ?? '', 'pending'])
    child.kill('SIGTERM')
    expect((await child).exitCode).toBe(130)
  })

  it('leaves out a payment without an id, which cannot be distinguished from others', async () => {
    const { id: _, ...nameless } = payment()
    const payments = [payment(), payment()]
    const [second, first] = payments
    const page = (...data: readonly unknown[]) => [200, success(pageOf(data))] as const
    const stub = await startStub(page(nameless, first), page(second, nameless, first))
    const { child, prints } = follow({ baseUrl: stub.url, token: 't' })
    await prints([first?.id ?? '', 'pending'], [second?.id ?? '', 'pending'])
    child.kill('SIGINT')
    expect(await child).toMatchObject({ exitCode: 130, stderr: '' })
  })

  it.each([
    [401, 4],
    [403, 5],
  ])('ends when the service answers %i, with exit %i', async (status, code) => {
    const page = [200, success(pageOf([payment()]))] as const
    const stub = await startStub(page, [status, failure('No.')])
    const { child, lines } = follow({ baseUrl: stub.url, token: 't' })
    expect((await child).exitCode).toBe(code)
    expect(lines()).toHaveLength(1)
  })

  it('begins with nothing when the first look fails', async () => {
    const stub = await startStub([503, failure('No.')])
    const { child, lines } = follow({ baseUrl: stub.url, token: 't' }, '--retries', '0')
    expect((await child).exitCode).toBe(12)
    expect(lines()).toEqual([])
  })

  it('refuses a service that lists the oldest first', async () => {
    const old = { ...payment(), created_at: '2020-01-01T00:00:00.000000Z' }
    const stub = await startStub([200, success(pageOf([old, payment()]))])
    const { child } = follow({ baseUrl: stub.url, token: 't' })
    const { exitCode, stderr } = await child
    expect(exitCode).toBe(12)
    expect(stderr).toContain('does not list the newest payments first')
  })

  it('in csv has a heading, and ends quietly with its reader', async () => {
    const { emulator, pay } = await startWorld()
    await pay(carlos)
    const argv = ['payments', 'history', '--interval', '100ms', '-o', 'csv']
    const child = startPayctl(emulator, argv, { input: '', process: true })
    onTestFinished(() => void child.kill('SIGKILL'))
    const [chunk] = await once(child.stdout, 'data')
    expect(String(chunk)).toMatch(/^id,created_at,/)
    child.stdout.destroy()
    await pay(carlos)
    await emulator.control.advanceClock(60_000)
    expect(await child).toMatchObject({ exitCode: 0, stderr: '' })
  })

  it.each([
    [['--json'], '--output ndjson'],
    [['--limit', '1001'], '1000 payments at most'],
    [['--all'], 'cannot be used with'],
    [['--interval', '10ms'], '100ms or more'],
  ])('with %j is a usage error', async (flags, text) => {
    const stub = await startStub([200, success(pageOf([]))])
    const argv = ['payments', 'history', '--follow', ...flags]
    const { exitCode, stderr } = await startPayctl({ baseUrl: stub.url, token: 't' }, argv, { input: '' })
    expect({ exitCode, requests: stub.received.length }).toEqual({ exitCode: 2, requests: 0 })
    expect(stderr).toContain(text)
  })
})
