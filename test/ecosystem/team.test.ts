import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { get } from 'node:https'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { selfSigned } from '../support/certificate.ts'
import { Cluster, type ShardName, shardNames } from './team/cluster.ts'
import { audit, type Paid, type PaidWorld, pay, type Results } from './team/load.ts'

const examples = fileURLToPath(new URL('../../docs/examples/team', import.meta.url))

/** Number of worlds, and duration of the kills in milliseconds; `npm run bench -- team` has more of both. */
const [worldCount, killsMs] = [300, 20_000]

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

let cluster: Cluster
const worlds: PaidWorld[] = []

interface Made {
  readonly name: string
  readonly id: string
  readonly base_url: string
  readonly accounts: readonly [{ readonly id: string }]
}

beforeAll(async () => {
  cluster = await Cluster.start(['--settle', 'instant'])
  const makers = Array.from({ length: 6 }, async () => {
    while (worlds.length < worldCount) {
      const made = (await cluster.control('/_emulator/worlds', { method: 'POST', body: {} })) as Made
      worlds.push({ name: made.name, id: made.id, url: made.base_url, account: made.accounts[0].id })
    }
  })
  await Promise.all(makers)
})
afterAll(() => cluster?.close())

const ledgerOf = async (world: string) =>
  (await cluster.control(`/w/${world}/_emulator/ledger`)) as { balanced: boolean; problems: string[] }

/** All payments of these tests so far. */
const paid: Paid[] = []

async function refuseLosses(results: Results): Promise<void> {
  paid.push(...results.paid)
  expect(results.wrong).toEqual([])
  expect(await audit(worlds, paid, ledgerOf)).toEqual({ lost: [], doubled: [], foreign: [], unbalanced: [] })
}

describe('three shards behind HAProxy', () => {
  it('make worlds in all shards, under URLs that lead to them', async () => {
    const shards = new Set(worlds.map(({ name }) => name.split('.')[0]))
    expect([...shards].sort()).toEqual([...shardNames])
    for (const { name, url } of worlds) expect(url).toBe(`${cluster.url}/w/${name}`)
    for (const shard of shardNames) {
      const { name } = (await cluster.control(`/w/${shard}.default/_emulator/worlds/default`)) as Made
      expect(name).toBe('default')
    }
  })

  it('lose and double no payment while they are killed, one at a time and all at once', async () => {
    let isOver = false
    const began = performance.now()
    const paying = pay(worlds, () => isOver)
    let kills = 0
    const kill = async (names: readonly ShardName[]) => {
      await Promise.all(names.map((name) => cluster.shards[name].restart('SIGKILL')))
      kills += names.length
    }
    await kill(shardNames)
    while (performance.now() - began < killsMs) {
      await pause(1500)
      await kill([shardNames[Math.floor(Math.random() * shardNames.length)] as ShardName])
    }
    isOver = true
    const results = await paying
    expect(results.paid.length).toBeGreaterThan(500)
    // HAProxy repeats the requests that it may repeat. An answer that was cut off reaches the client, which repeats its
    // payment.
    expect(results.failures.length).toBeLessThan(kills)
    for (const { from, to, description } of results.paid) expect(to - from, description).toBeLessThan(10_000)
    await refuseLosses(results)
  })

  it('lose no request in a rolling restart under load', async () => {
    let isOver = false
    const paying = pay(worlds, () => isOver)
    for (const shard of shardNames) {
      await pause(1000)
      expect(await cluster.shards[shard].end('SIGTERM')).toEqual([0, null])
      await cluster.shards[shard].start()
    }
    await pause(500)
    isOver = true
    const results = await paying
    expect(results.failures).toEqual([])
    await refuseLosses(results)
  })
})

describe('the examples', () => {
  it('terminate TLS at the proxy', async () => {
    const { key, cert } = selfSigned('payctl.example.com')
    const pem = join(cluster.folder, 'payctl.pem')
    writeFileSync(pem, `${cert}${key}`)
    const port = await cluster.listenWithTls(pem)
    const headers = { Host: 'payctl.example.com' }
    const status = await new Promise((resolve, reject) => {
      const options = {
        host: '127.0.0.1',
        port,
        path: '/_emulator/health',
        headers,
        ca: cert,
        servername: 'payctl.example.com',
      }
      get(options, (response) => resolve(response.resume().statusCode)).on('error', reject)
    })
    expect(status).toBe(200)
  })

  it('are units that systemd accepts', async () => {
    copyFileSync(join(examples, 'payctl@.socket'), join(cluster.folder, 'payctl@1.socket'))
    const service = readFileSync(join(examples, 'payctl@.service'), 'utf8')
    const unit = join(cluster.folder, 'payctl@1.service')
    // systemd-analyze refuses a program that does not exist.
    writeFileSync(unit, service.replace('/usr/bin/payctl', process.execPath))
    const { exitCode, stderr } = await execa('systemd-analyze', ['verify', unit, unit.replace('service', 'socket')], {
      reject: false,
    })
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
  })
})
