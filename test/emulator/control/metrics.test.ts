import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { startEmulator } from '../../../emulator/index.ts'
import { startWorld } from './world.ts'

/** Values of a scrape by name and labels. */
async function scrape({ baseUrl }: { readonly baseUrl: string }, headers: Record<string, string> = {}) {
  const answer = await fetch(`${baseUrl}/metrics`, { headers })
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  const lines = (await answer.text()).trimEnd().split('\n')
  const samples = lines.filter((line) => !line.startsWith('#')).map((line) => line.split(/ (?=\S+$)/))
  return new Map(samples.map(([name, value]) => [name, Number(value)]))
}

it('the metrics count requests by endpoint and class of the status', async () => {
  const { emulator, pay, client } = await startWorld()
  await pay({ recipient_phone: '87000001' })
  await client.call('user.get')
  await expect(client.call('accounts.get', { params: { id: '1' } })).rejects.toThrow()
  await fetch(`${emulator.baseUrl}/nowhere`)
  // An answer is counted after its connection has taken it, so the last answer is possibly not counted yet.
  await vi.waitFor(async () => {
    const found = await scrape(emulator)
    const requests = (endpoint: string, status: string) =>
      found.get(`payctl_http_requests_total{endpoint="${endpoint}",status="${status}"}`)
    expect(requests('user.get', '2xx')).toBe(1)
    expect(requests('payments.create', '2xx')).toBe(1)
    expect(requests('accounts.get', '4xx')).toBe(1)
    expect(requests('other', '4xx')).toBe(1)
    expect(found.get('payctl_http_request_duration_seconds_count{api="service"}')).toBe(3)
    expect(found.get('payctl_http_request_duration_seconds_bucket{api="service",le="+Inf"}')).toBe(3)
    expect(found.get('payctl_http_request_duration_seconds_bucket{api="service",le="10"}')).toBe(3)
    expect(found.get('payctl_commits_total')).toBe(1)
  })
})

it('the metrics count worlds, and no label names one', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'payctl-metrics-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const first = await startEmulator({ worlds: folder })
  for (const name of ['shop-1', 'shop-2', 'shop-3']) await first.control.worlds.create({ name })
  const made = await scrape(first)
  await first.close()
  expect([made.get('payctl_worlds{state="open"}'), made.get('payctl_worlds{state="closed"}')]).toEqual([4, 0])
  const again = await startEmulator({ worlds: folder, openWorlds: 2 })
  onTestFinished(() => again.close())
  for (const name of ['shop-1', 'shop-2']) await fetch(`${again.baseUrl}/w/${name}/_emulator/state`)
  const found = await scrape(again)
  expect([found.get('payctl_worlds{state="open"}'), found.get('payctl_worlds{state="closed"}')]).toEqual([2, 2])
  expect(found.get('payctl_worlds_open_limit')).toBe(2)
  expect(found.get('payctl_world_files_total{result="opened"}')).toBe(2)
  expect(found.get('payctl_world_files_total{result="closed"}')).toBe(1)
  expect([...found.keys()].filter((name) => name?.includes('shop-'))).toEqual([])
})

it('a world whose work is not known yet is not late', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'payctl-metrics-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const first = await startEmulator({ worlds: folder })
  for (let number = 1; number <= 50; number += 1) await first.control.worlds.create({ name: `shop-${number}` })
  await first.close()
  // Without the index, as after a kill, the facts of a world are unknown until its file is opened.
  for (const name of await readdir(folder)) if (name.startsWith('index')) await rm(join(folder, name))
  const again = await startEmulator({ worlds: folder, openWorlds: 2 })
  onTestFinished(() => again.close())
  expect((await scrape(again)).get('payctl_worlds_overdue_seconds')).toBeLessThan(60)
})

it('the metrics count deliveries and their attempts', async () => {
  const { emulator, client, steer } = await startWorld({ rateLimit: null })
  const body = { url: 'http://127.0.0.1:9/hook', events: ['transaction.received' as const], max_attempts: 2 }
  await client.call('webhooks.create', { body })
  await steer('control.credits.create', { body: { to: '88001234', amount: 500 } })
  await vi.waitFor(async () => {
    const found = await scrape(emulator)
    expect(found.get('payctl_delivery_attempts_total{result="failed"}')).toBe(1)
    expect(found.get('payctl_deliveries_waiting{state="later"}')).toBe(1)
    expect(found.get('payctl_deliveries_waiting{state="due"}')).toBe(0)
  })
})

it('the metrics are those of the whole process too', async () => {
  const { emulator } = await startWorld()
  const found = await scrape(emulator)
  expect(found.get('process_resident_memory_bytes')).toBeGreaterThan(1e6)
  expect(found.get('process_start_time_seconds')).toBeGreaterThan(1.7e9)
  for (const name of ['process_cpu_seconds_total', 'nodejs_eventloop_lag_p99_seconds'])
    expect(found.has(name)).toBe(true)
})

it('Prometheus reads them with the control token as its bearer token', async () => {
  const controlToken = 'c0ntrol-of-this-test'
  const { emulator } = await startWorld({ controlToken })
  expect((await fetch(`${emulator.baseUrl}/metrics`)).status).toBe(401)
  expect((await scrape(emulator, { authorization: `Bearer ${controlToken}` })).get('payctl_worlds_open_limit')).toBe(
    1000,
  )
})
