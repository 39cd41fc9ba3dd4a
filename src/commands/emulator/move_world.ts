import { createHash } from 'node:crypto'
import { type Context, command } from '../../cli/command.ts'
import { answer } from '../../cli/prints.ts'
import { controlFlags, type Steering, steer, worldName } from '../../cli/steer.ts'
import type { ControlClient } from '../../client/control_client.ts'
import type { ControlAnswerOf } from '../../client/received.ts'
import { defaultWorld, worldUrl } from '../../contract/emulator_names.ts'
import { CliError, errorMessage } from '../../errors/cli_error.ts'
import { toRun } from '../../errors/next_step.ts'
import { ApiError, isServiceAnswer } from '../../errors/service_errors.ts'
import { columnsOf, time } from '../../output/columns.ts'

type Moved = ControlAnswerOf<'control.worlds.moved'>

/** Maximum number of exports of a world that changes during the move. */
const attempts = 3

export const move = command({
  summary: 'Move a world to another emulator, such as another shard.',
  about:
    'Move a world to another emulator, such as another shard: export it, import it there, compare the two, and end ' +
    'the original. The world’s tokens stay valid, and requests to its old URL get a 421 with the new URL. If the ' +
    'other emulator has teams, the world gets a new access token and OAuth client there (payctl emulator worlds show ' +
    'prints them). If the world changes meanwhile, the move starts again, at most twice: stop the world’s clients ' +
    'first. Both emulators must accept the same control token.',
  args: { '<world>': { about: 'its name', of: 'world', parse: worldName, as: 'moving' } },
  flags: {
    ...controlFlags,
    '--to <url>': { about: 'base URL of the other emulator, or of any of its worlds', required: true },
    '--name <name>': { about: 'name in the other emulator (default: its name without the shard)', parse: worldName },
  },
  prints: answer('control.worlds.moved'),
  examples: ['payctl emulator worlds move s2.shop-7 --to https://payctl.example.com/w/s3.default'],
  async run({ moving: name, to, name: newName, ...steering }, context) {
    const there = { ...steering, world: undefined, baseUrl: to }
    const moved = await steer({ ...steering, world: name }, context, (source) =>
      steer(there, context, (target) => moveWorld({ name, newName, source, target, there }, context)),
    )
    await context.output.record(moved, columnsOf<Moved>('name', 'base_url', time('moved_at')))
  },
})

interface Move {
  readonly name: string
  readonly newName: string | undefined
  /** Client of the world to move. */
  readonly source: ControlClient
  /** Client of the other emulator. */
  readonly target: ControlClient
  /** Flags that select the other emulator. */
  readonly there: Steering
}

async function moveWorld({ name, newName, source, target, there }: Move, context: Context): Promise<Moved> {
  const { shard } = await source.call('control.health')
  const { name: known, rng_stream, ttl_seconds } = await source.call('control.worlds.get', { params: { name } })
  if (known === defaultWorld) {
    const advice = toRun(['emulator', 'export', '<file>'], 'Export the world, and import the file there')
    throw new CliError('conflict', 'The default world can’t move: it ends with its emulator.', advice)
  }
  const shortName = shard && name.startsWith(`${shard}.`) ? name.slice(shard.length + 1) : name
  const query = {
    name: newName ?? shortName,
    rng_stream: rng_stream ?? undefined,
    ttl_seconds: ttl_seconds ?? undefined,
  }
  for (let attempt = 1; ; attempt += 1) {
    const file = await source.call('control.export')
    const made = await target.call('control.import', { query, body: { file } })
    const copy = { name: made.name ?? '', digest: createHash('sha256').update(file).digest('hex') }
    try {
      await refuseDifferent(copy, made.made_from?.file ?? null, { source, target, there }, context)
      const body = { base_url: made.base_url ?? '', file: copy.digest }
      return await source.call('control.worlds.moved', { params: { name }, body })
    } catch (error) {
      if (!isRefusal(error)) throw inDoubt(error, copy.name, name)
      await target.call('control.worlds.delete', { params: { name: copy.name } })
      if (!isServiceAnswer(error, 409) || attempt === attempts) throw error
    }
  }
}

/**
 * True if the world certainly did not end here. If no answer came, or only a gateway answered, the world may have
 * ended, and the copy may be the only one left.
 */
const isRefusal = (error: unknown): boolean =>
  error instanceof CliError || (error instanceof ApiError && !error.doubtful)

/** Throws CliError if the copy was not made from the file, or if the ledgers of the copy and the original differ. */
async function refuseDifferent(
  { name, digest }: { readonly name: string; readonly digest: string },
  madeFrom: string | null,
  { source, target, there }: Pick<Move, 'source' | 'target' | 'there'>,
  context: Context,
): Promise<void> {
  const ledger = await source.call('control.ledger')
  const at = { ...there, baseUrl: worldUrl(target.baseUrl, name) }
  const copied = await steer(at, context, (copy) => copy.call('control.ledger'))
  if (madeFrom === digest && copied.balanced && copied.payments === ledger.payments) return
  throw new CliError('conflict', `The copy ${name} differs from the world, and was deleted.`, 'Move the world again.')
}

const inDoubt = (error: unknown, copy: string, name: string): CliError =>
  new CliError(
    'outcome_unknown',
    `The world ${name} was copied as ${copy}, but its emulator did not confirm the end of ${name}: ${errorMessage(error)}`,
    `If ${name} still answers, delete ${copy} and move ${name} again.`,
    { cause: error },
  )
