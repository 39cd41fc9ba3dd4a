import { type ChildProcess, fork } from 'node:child_process'
import { constants, setPriority } from 'node:os'
import { join } from 'node:path'
import { type ControlOutputOf, type LoggedRequest as Shown, sqlTables, sqlTime } from '../../src/contract/index.ts'
import type { RealTimeout } from '../clock.ts'
import { invalid } from '../domain/refusal.ts'
import type { ControlHandlers } from '../http/context.ts'
import { Slots } from '../slots.ts'
import { imageOf } from '../store/image.ts'
import type { SqlAnswer, SqlBegun, SqlQuestion } from '../store/sql_process.ts'
import { sqlSources } from '../store/sql_tables.ts'
import type { World } from '../worlds/world.ts'
import { shower } from './requests.ts'

const usualLimit = 1000

/** The program that answers queries: next to the bundle, or in the source tree. */
const sqlProcessFile = join(
  import.meta.dirname,
  import.meta.filename.endsWith('.cjs') ? 'sql_process.cjs' : '../store/sql_process.ts',
)

export const sqlHandlers = {
  /** Runs the query on a copy of the world, so the query can't change the world. */
  async 'control.sql'({ body }, { worlds, name, world: asked, gone }) {
    const { query, limit = usualLimit, timeout_ms: timeout = sqlTime.usual } = body
    const leave = await slots.take(worlds.options.owner?.(name) ?? null, gone)
    if (leave === null) throw clientGone()
    try {
      const { world } = await worlds.settled(name, asked.id)
      const question = {
        image: imageOf(world.database.connection),
        series: world.settings.get('series'),
        tables: sqlSources(/requests/i.test(query) ? requestRows(world) : []),
        query,
        limit,
      }
      return result(await ask(question, { startTime: () => world.clock.timeout(timeout), gone }), timeout)
    } finally {
      leave()
    }
  },
} satisfies Partial<ControlHandlers>

function result(answer: Ended, timeout: number): ControlOutputOf<'control.sql'> {
  if (answer === 'late') throw invalid('query', `The query took longer than ${timeout} ms.`)
  if (answer === 'ended')
    throw invalid('query', 'The query ended without an answer: it may have needed too much memory.')
  if (answer === 'gone') throw clientGone()
  if ('fault' in answer) throw invalid('query', answer.fault)
  return { ...answer, columns: [...answer.columns], rows: answer.rows.map((row) => [...row]) }
}

/** Each query may use one core and 1 GiB. */
const slots = new Slots(2)

const clientGone = () => invalid('query', 'The client disconnected.')

/** Query processes; they must not outlive this process. */
const running = new Set<ChildProcess>()

function endAll(): void {
  for (const child of running) child.kill('SIGKILL')
}

/** Lowers the priority of a query process. It may have ended already. */
function yieldTo(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW)
  } catch {}
}

interface Asking {
  /** Starts the time limit of the query. */
  readonly startTime: () => RealTimeout
  readonly gone: AbortSignal | undefined
}

type Ended = SqlAnswer | 'late' | 'ended' | 'gone'

async function ask(question: SqlQuestion, { startTime, gone }: Asking): Promise<Ended> {
  // The query process needs no environment, but on Windows it does not start without SystemRoot.
  const { SystemRoot } = process.env
  const env = SystemRoot === undefined ? {} : { SystemRoot }
  const child = fork(sqlProcessFile, [], { serialization: 'advanced', env, execArgv: [], stdio: 'ignore' })
  // A query must not slow the answers of other worlds down.
  if (child.pid !== undefined) yieldTo(child.pid)
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
      // A process that did not start has no channel; its error event follows.
      if (child.pid !== undefined) child.send(question)
    })
  } finally {
    time?.clear()
    child.kill('SIGKILL')
    running.delete(child)
    if (running.size === 0) process.off('exit', endAll)
  }
}

/** Rows of the log, with columns in the contract's order. */
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
