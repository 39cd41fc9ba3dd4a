import { copyFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { Cluster, controlToken, type ShardName, shardNames } from '../ecosystem/team/cluster.ts'
import { audit, type Paid, type PaidWorld, pay, quantile, type Results } from '../ecosystem/team/load.ts'
import type { Row } from './ratio.ts'

// Needs HAProxy, which test/ecosystem/install.ts installs.

const worldCount = 10_000

/** Durations of the load without and with kills, and pause between two kills, in milliseconds. */
const [quietMs, killsMs, pauseMs] = [30_000, 120_000, 4000]

/** Milliseconds from a kill until the killed shard is as busy as the other shards again. */
const aftermath = 2000

/** Limit of the time from a kill to the first answer of the new process, in milliseconds. */
const longestStart = 500

/** Time of a kill and of the new process's readiness, by a monotonic clock. */
interface Kill {
  readonly shards: readonly ShardName[]
  readonly at: number
  readonly ready: number
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Three shards with 10,000 worlds behind HAProxy, killed under the load of 32 clients. */
export async function teamRows(): Promise<Row[]> {
  const worlds: PaidWorld[] = []
  const cluster = await Cluster.start(['--settle', 'instant'], async (made) => {
    for (const shard of shardNames) worlds.push(...(await fill(made, shard)))
  })
  try {
    const starts = Object.values(cluster.shards).map((shard) => shard.starts.at(-1) as number)
    const quiet = await paidDuring(worlds, () => pause(quietMs))
    const kills: Kill[] = []
    const killed = await paidDuring(worlds, async () => {
      const began = performance.now()
      await kill(cluster, shardNames, kills)
      while (performance.now() - began < killsMs) {
        await pause(pauseMs)
        await kill(cluster, [shardNames[Math.floor(Math.random() * shardNames.length)] as ShardName], kills)
      }
    })
    await refuseLosses(cluster, worlds, [quiet, killed])
    return rowsOf({ starts, quiet, killed, kills })
  } finally {
    await cluster.close()
  }
}

/** Fills a shard's folder with copies of one world, each with its own id: much faster than making the worlds. */
async function fill(cluster: Cluster, shard: ShardName): Promise<PaidWorld[]> {
  const emulator = cluster.shards[shard]
  await emulator.start()
  const response = await fetch(`${emulator.baseUrl}/_emulator/worlds`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${controlToken}`, 'Content-Type': 'application/json' },
    body: '{"name":"shop-0"}',
  })
  const { data } = (await response.json()) as { data: { id: string; accounts: [{ id: string }] } }
  await emulator.end('SIGTERM')
  const folder = cluster.worldsOf(shard)
  const fileOf = (name: string) => join(folder, `${name}.sqlite`)
  const index = new Database(join(folder, 'index.db'))
  const facts = JSON.parse(index.prepare<[], string>('SELECT facts FROM closed').pluck().get() ?? '') as object
  const put = index.prepare('INSERT OR REPLACE INTO closed (name, facts) VALUES (?, ?)')
  const count = Math.floor(worldCount / shardNames.length)
  const worlds = Array.from({ length: count }, (_, at): PaidWorld => {
    const name = `${shard}.shop-${at}`
    const id = `${data.id.slice(0, -6)}${at.toString(16).padStart(6, '0')}`
    return { name, id, url: `${cluster.url}/w/${name}`, account: data.accounts[0].id }
  })
  index.exec('BEGIN')
  for (const { name, id } of worlds) {
    if (name !== `${shard}.shop-0`) copyFileSync(fileOf(`${shard}.shop-0`), fileOf(name))
    const world = new Database(fileOf(name))
    world.pragma('synchronous = OFF')
    world.prepare("UPDATE settings SET value = ? WHERE name = 'id'").run(JSON.stringify(id))
    world.close()
    const { size, mtimeMs } = statSync(fileOf(name))
    put.run(name, JSON.stringify({ ...facts, id, file: { size, mtime: mtimeMs } }))
  }
  index.exec('COMMIT')
  index.close()
  return worlds
}

async function paidDuring(worlds: readonly PaidWorld[], work: () => Promise<unknown>): Promise<Results> {
  let isOver = false
  const paying = pay(worlds, () => isOver)
  await work()
  isOver = true
  return paying
}

async function kill(cluster: Cluster, shards: readonly ShardName[], kills: Kill[]): Promise<void> {
  const at = performance.now()
  await Promise.all(shards.map((name) => cluster.shards[name].restart('SIGKILL')))
  kills.push({ shards, at, ready: performance.now() })
}

async function refuseLosses(cluster: Cluster, worlds: readonly PaidWorld[], all: readonly Results[]): Promise<void> {
  const ledgerOf = async (world: string) =>
    (await cluster.control(`/w/${world}/_emulator/ledger`)) as { balanced: boolean; problems: string[] }
  const paid = all.flatMap((results) => results.paid)
  const found = { wrong: all.flatMap(({ wrong }) => wrong), ...(await audit(worlds, paid, ledgerOf)) }
  const counts = Object.entries(found).map(([what, cases]) => `${cases.length} ${what}`)
  const failures = all.flatMap((results) => results.failures)
  const touched = new Set(paid.map(({ world }) => world)).size
  console.log(
    `${paid.length} payments in ${touched} worlds: ${counts.join(', ')}; ${failures.length} attempts repeated`,
  )
  for (const [reason, cases] of Map.groupBy(failures, (failure) => failure.reason)) {
    console.log(`  ${cases.length} x ${reason}`)
  }
  const first = Object.values(found).flat().slice(0, 5)
  if (first.length > 0) throw new Error(first.join('\n'))
}

interface Measured {
  readonly starts: readonly number[]
  readonly quiet: Results
  readonly killed: Results
  readonly kills: readonly Kill[]
}

function rowsOf({ starts, quiet, killed, kills }: Measured): Row[] {
  const single = kills.filter(({ shards }) => shards.length === 1)
  const duringKill = (payment: Paid, { at, ready }: Kill) => payment.to >= at && payment.from <= ready + aftermath
  const others = killed.paid.filter((payment) =>
    single.some((each) => duringKill(payment, each) && !each.shards.some((shard) => shard === payment.shard)),
  )
  const own = killed.paid.filter((payment) =>
    single.some(
      ({ shards: [shard], at, ready }) => payment.shard === shard && payment.from <= ready && payment.to >= at,
    ),
  )
  const backs = kills.map(({ at, ready }) => ready - at)
  const limit = (what: string, candidate: number): Row => {
    const ratio = candidate / longestStart
    return { what, unit: 'ms', baseline: longestStart, candidate, ratio, budget: 1, better: 'less' }
  }
  const [before, meanwhile] = [quantile(quiet.paid, 0.99), quantile(others, 0.99)]
  console.log(
    `${kills.length} kills; p50 ${quantile(quiet.paid, 0.5).toFixed(1)} ms without kills; ` +
      `payments at a killed shard: p50 ${quantile(own, 0.5).toFixed(0)} ms, longest ${quantile(own, 1).toFixed(0)} ms`,
  )
  return [
    limit('start to ready, 10,000 worlds in three shards', Math.max(...starts)),
    limit('killed shard ready again, median', backs.toSorted((one, other) => one - other)[backs.length >> 1] as number),
    limit('killed shard ready again, longest', Math.max(...backs)),
    {
      what: 'p99 of payments in other shards while one is killed',
      unit: 'ms',
      baseline: before,
      candidate: meanwhile,
      ratio: meanwhile / before,
      budget: 1.5,
      better: 'less',
    },
  ]
}
