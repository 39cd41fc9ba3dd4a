import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { fileOf } from '../commands/payments/batch_service.ts'
import { account, iban, startService } from '../commands/payments/service.ts'
import { machine } from './machine.ts'

const watchJournal = fileURLToPath(new URL('watch_journal.cjs', import.meta.url))

interface Step {
  readonly marked?: string
  readonly synchronous?: number
  readonly mode?: string
  readonly left?: string
}

/** SQLite's level FULL: with a write-ahead log, each commit is on disk before it returns. */
const full = 2

test.each([
  ['a payment', 1, (_: string) => ['payments', 'send', '--from', account, '--to', iban, '--amount', '1', '--yes']],
  ['the rows of a batch', 70, (file: string) => ['payments', 'batch', file, '--yes']],
])('that %s is sent is forced to disk before the request leaves', async (_, count, argvOf) => {
  const service = await startService()
  const { home, env, start } = await machine({ baseUrl: service.url, token: 'token-of-the-test' })
  const [stepsFile, file] = [join(home, 'steps'), join(home, 'a.csv')]
  await writeFile(file, fileOf(count))

  const { exitCode } = await start(argvOf(file), {
    nodeArgs: ['--require', watchJournal],
    env: { ...env, STEPS_FILE: stepsFile },
  })

  const steps: readonly Step[] = JSON.parse(await readFile(stepsFile, 'utf8'))
  const intents = JSON.parse(String((await start(['payments', 'intents', '--json'])).stdout))
  const idOf = new Map(intents.map(({ id, idempotency_key }: Record<string, string>) => [idempotency_key, id]))
  const leaving = steps.filter(({ left }) => left !== undefined)
  expect({ exitCode, leaving: leaving.length }).toEqual({ exitCode: 0, leaving: count })
  for (const request of leaving) {
    const before = steps.slice(0, steps.indexOf(request))
    const mark = before.findLast(({ marked }) => marked !== undefined && marked === idOf.get(request.left))
    expect(mark).toMatchObject({ synchronous: full, mode: 'wal' })
  }
})
