import { type ChildProcess, fork } from 'node:child_process'
import {
  type ControlInputOf,
  type ControlOutputOf,
  type LoggedRequest as Shown,
  sqlTables,
  sqlTime,
} from '../../src/contract/index.ts'
import type { RealTimeout } from '../clock.ts'
import type { ControlContext } from '../context.ts'
import { invalid } from '../domain/refusal.ts'
import { imageOf } from '../store/image.ts'
import type { SqlAnswer, SqlBegun, SqlQuestion } from '../store/sql_process.ts'
import { sqlProcessFile } from '../store/sql_process_file.ts'
import { sqlSources } from '../store/sql_tables.ts'
import type { World } from '../world.ts'
import type { LiveWorld, Worlds } from '../worlds.ts'
import { shower } from './requests.ts'

const usualLimit = 1000

/** Reads a copy of the world: whatever the query does, it is not done here. */
export async function querySql(
  { body }: ControlInputOf<'control.sql'>,
  { worlds, name, world: asked, gone }: ControlContext,
): Promise<ControlOutputOf<'control.sql'>> {
  const { query, limit = usualLimit, timeout_ms: timeout = sqlTime.usual } = body
  const leave = await turn(gone)
  try {
    const { world } = await settled(worlds, worlds.find(name, asked.id))
    const question = {
      image: imageOf(world.database.connection),
      series: world.settings.series(),
      tables: sqlSources(/requests/i.test(query) ? requestRows(world) : []),
      query,
      limit,
    }
    return result(await ask(question, { startTime: () => world.clock.timeout(timeout), gone }), timeout)
  } finally {
    leave()
  }
}

/** The world as it is now, once nothing written to it waits for its commit: it may have been reset, or have ended. */
async function settled(worlds: Worlds, live: LiveWorld): Promise<LiveWorld> {
  for (;;) {
    worlds.find(live.name, live.world.id)
    if (!live.world.database.settled) return live
    await live.world.database.settled.catch(() => {})
  }
}

function result(answer: Ended, timeout: number): ControlOutputOf<'control.sql'> {
  if (answer === 'late') throw invalid('query', `The query took longer than ${timeout} ms.`)
  if (answer === 'ended')
    throw invalid('query', 'The query ended without an answer: it may have needed too much memory.')
  if (answer === 'gone') throw clientGone()
  if ('fault' in answer) throw invalid('query', answer.fault)
  return { ...answer, columns: [...answer.columns], rows: answer.rows.map((row) => [...row]) }
}

/** Queries at once, of all worlds of this process: each may take a core and 1 GiB. */
const mostAtOnce = 2

let taken = 0
const waiting: (() => void)[] = []

/** Waits for a turn, which the function that it returns ends. Queries run in the order in which they came. */
async function turn(gone: AbortSignal | undefined): Promise<() => void> {
  if (taken >= mostAtOnce) {
    const { promise, resolve } = Promise.withResolvers<void>()
    waiting.push(resolve)
    await promise
  } else taken += 1
  const leave = () => {
    const next = waiting.shift()
    if (next) next()
    else taken -= 1
  }
  if (!gone?.aborted) return leave
  leave()
  throw clientGone()
}

const clientGone = () => invalid('query', 'The client has gone.')

/** They must not outlive this process. */
const running = new Set<ChildProcess>()

function endAll(): void {
  for (const child of running) child.kill('SIGKILL')
}

interface Asking {
  /** Starts the time that the query may take. */
  readonly startTime: () => RealTimeout
  readonly gone: AbortSignal | undefined
}

type Ended = SqlAnswer | 'late' | 'ended' | 'gone'

async function ask(question: SqlQuestion, { startTime, gone }: Asking): Promise<Ended> {
  // Nothing of this process’s environment is needed there, but Windows does not start one without this.
  const { SystemRoot } = process.env
  const env = SystemRoot === undefined ? {} : { SystemRoot }
  const child = fork(sqlProcessFile, [], { serialization: 'advanced', env, execArgv: [], stdio: 'ignore' })
  if (running.size === 0) process.on('exit', endAll)
  running.add(child)
  let time: RealTimeout | undefined
  try {
    return await new Promise((resolve, reject) => {
      child.on('message', (message: SqlAnswer | SqlBegun) => {
        if (!('begun' in message)) return resolve(message)
        time = startTime()
        time.signal.addEventListener('abort', () => resolve('late'))
      })
      gone?.addEventListener('abort', () => resolve('gone'), { once: true })
      child.once('exit', () => resolve('ended'))
      child.once('error', reject)
      // One that could not be started has no channel; its error comes later.
      if (child.pid !== undefined) child.send(question)
    })
  } finally {
    time?.clear()
    child.kill('SIGKILL')
    running.delete(child)
    if (running.size === 0) process.off('exit', endAll)
  }
}

/** In the order of the columns that the contract has for them. */
function requestRows(world: World): unknown[][] {
  const show = shower(world)
  return world.requests.list().map((request) => {
    const shown = show(request)
    const row: Record<(typeof sqlTables.requests)[number], unknown> = {
      ...without(shown),
      user_id: shown.user,
      answered: Number(shown.answered),
      replayed: Number(shown.replayed),
      broke: shown.broke.map(({ what }) => what).join('; '),
    }
    return sqlTables.requests.map((column) => row[column])
  })
}

const without = ({ query, user, ...shown }: Shown) => shown
