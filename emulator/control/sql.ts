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
import { shower } from './requests.ts'

const usualLimit = 1000

/** Reads a copy of the world: whatever the query does, it is not done here. */
export async function querySql(
  { body }: ControlInputOf<'control.sql'>,
  { world }: ControlContext,
): Promise<ControlOutputOf<'control.sql'>> {
  const { query, limit = usualLimit, timeout_ms: timeout = sqlTime.usual } = body
  while (world.database.settled) await world.database.settled.catch(() => {})
  const answer = await ask(
    {
      image: imageOf(world.database.connection),
      series: world.settings.series(),
      tables: sqlSources(/requests/i.test(query) ? requestRows(world) : []),
      query,
      limit,
    },
    () => world.clock.timeout(timeout),
  )
  if (answer === 'late') throw invalid('query', `The query took longer than ${timeout} ms.`)
  if (answer === 'ended')
    throw invalid('query', 'The query ended without an answer: it may have needed too much memory.')
  if ('fault' in answer) throw invalid('query', answer.fault)
  return { ...answer, columns: [...answer.columns], rows: answer.rows.map((row) => [...row]) }
}

/** They must not outlive this process. */
const running = new Set<ChildProcess>()

function endAll(): void {
  for (const child of running) child.kill('SIGKILL')
}

async function ask(question: SqlQuestion, startTime: () => RealTimeout): Promise<SqlAnswer | 'late' | 'ended'> {
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
      child.once('exit', () => resolve('ended'))
      child.once('error', reject)
      child.send(question)
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
  return world.requests.list({ limit: Number.POSITIVE_INFINITY, matches: () => true }).map((request) => {
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
