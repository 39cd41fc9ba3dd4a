import { type ChildProcess, fork } from 'node:child_process'
import { existsSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { join } from 'node:path'
import { type ControlOutputOf, type LoggedRequest as Shown, sqlTables, sqlTime } from '../../src/contract/index.ts'
import type { Clock, RealTimeout } from '../clock.ts'
import { invalid, Refusal } from '../domain/refusal.ts'
import type { ControlHandlers } from '../http/context.ts'
import { Slots } from '../slots.ts'
import { imageOf } from '../store/image.ts'
import type { SqlAnswer, SqlBegun, SqlQuestion } from '../store/sql_process.ts'
import { sqlSources } from '../store/sql_tables.ts'
import { missingPart } from '../version.ts'
import type { LiveWorld } from '../worlds/live_world.ts'
import type { World } from '../worlds/world.ts'
import { shower } from './requests.ts'

const usualLimit = 1000

/** Path of the program that answers queries: next to the bundle, or in the source tree. */
const sqlProcessFile = join(
  import.meta.dirname,
  import.meta.filename.endsWith('.cjs') ? 'sql_process.cjs' : '../store/sql_process.ts',
)

export const sqlHandlers = {
  /** Runs the query on a copy of the world, so the query can't change the world. */
  async 'control.sql'({ body }, { worlds, name, world: asked, gone }) {
    const { query, limit = usualLimit, timeout_ms: timeout = sqlTime.usual } = body
    const leave = await slots.take(worlds.ownerOf(name), gone)
    if (leave === null) throw clientGone()
    try {
      const questionFor = ({ world }: LiveWorld): SqlQuestion => ({
        image: imageOf(world.database.connection),
        series: world.settings.get('series'),
        tables: sqlSources(/requests/i.test(query) ? requestRows(world) : []),
        query,
        limit,
      })
      const question = await worlds.whenSettled(name, questionFor, asked.id)
      const isShared = worlds.options.owner !== null
      return result(await ask(question, { clock: asked.clock, timeout, isShared, gone }), timeout)
    } finally {
      leave()
    }
  },
} satisfies Partial<ControlHandlers>

function result(answer: Ended, timeout: number): ControlOutputOf<'control.sql'> {
  if (answer === 'late') throw invalid('query', `The query took longer than ${timeout} ms.`)
  if (answer === 'ended') throw refusalOfCrash()
  if (answer === 'gone') throw clientGone()
  if ('fault' in answer) throw invalid('query', answer.fault)
  return { ...answer, columns: [...answer.columns], rows: answer.rows.map((row) => [...row]) }
}

/** Each query can use a whole core and 1 GiB. */
const slots = new Slots(2)

const refusalOfCrash = () =>
  existsSync(sqlProcessFile)
    ? invalid('query', 'The query ended without an answer: it may have needed too much memory.')
    : new Refusal(500, { message: missingPart })

const clientGone = () => invalid('query', 'The client disconnected.')

/** Query processes; they must not outlive this process. */
const running = new Set<ChildProcess>()

function endAll(): void {
  for (const child of running) child.kill('SIGKILL')
}

/** Lowers the priority of a query process. The process may have ended already. */
function lowerPriority({ pid }: ChildProcess): void {
  if (pid === undefined) return // the process did not start
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW)
  } catch {}
}

/** Time after which a query gets a low priority, in milliseconds. */
const longQuery = 1000

interface Asking {
  readonly clock: Clock
  /** Time limit of the query, in milliseconds. */
  readonly timeout: number
  /** True if the emulator has teams. */
  readonly isShared: boolean
  readonly gone: AbortSignal | undefined
}

type Ended = SqlAnswer | 'late' | 'ended' | 'gone'

async function ask(question: SqlQuestion, { clock, timeout, isShared, gone }: Asking): Promise<Ended> {
  // The query process needs no environment, but on Windows it does not start without SystemRoot.
  const { SystemRoot } = process.env
  const env = SystemRoot === undefined ? {} : { SystemRoot }
  const child = fork(sqlProcessFile, [], { serialization: 'advanced', env, execArgv: [], stdio: 'ignore' })
  // A query must not slow down the answers of other worlds. But on a busy machine, a process with a low priority takes
  // seconds to start, so a query has a low priority from the start only if teams share the emulator.
  if (isShared) lowerPriority(child)
  const cancelLowering = clock.after(longQuery, () => lowerPriority(child))
  if (running.size === 0) process.on('exit', endAll)
  running.add(child)
  let time: RealTimeout | undefined
  try {
    return await new Promise((resolve, reject) => {
      child.on('message', (message: SqlAnswer | SqlBegun) => {
        if (!('begun' in message)) return resolve(message)
        time = clock.timeout(timeout)
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
    cancelLowering()
    child.kill('SIGKILL')
    running.delete(child)
    if (running.size === 0) process.off('exit', endAll)
  }
}

/** Rows of the request log, with columns in the contract's order. */
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
