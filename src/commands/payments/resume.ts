import { concurrency, keyLifeOption } from '../../cli/arguments.ts'
import type { CommandModule } from '../../cli/command.ts'
import { examples } from '../../cli/examples.ts'
import { columnsOption } from '../../cli/list_options.ts'
import { UsageError } from '../../errors/cli_error.ts'
import type { Columns } from '../../output/output.ts'
import type { ResumeFlags } from './resume_intents.ts'

interface GivenFlags extends ResumeFlags {
  readonly batch?: string
  readonly concurrency: number
}

/** Of the rows that it prints. */
async function layoutOf(words: readonly string[], { batch }: GivenFlags): Promise<Columns<object>> {
  if (words.length > 0) throw new UsageError('--columns chooses columns of a list, and this is one payment.')
  const layout =
    batch === undefined
      ? (await import('./list_intents.ts')).intentLayout
      : (await import('./batch_results.ts')).resultLayout()
  return layout as unknown as Columns<object>
}

export const resume: CommandModule = (command, context) => {
  columnsOption(command, (words) => layoutOf(words, command.opts<GivenFlags>()), context)
    .description(
      'Find out what happened to a payment whose answer was lost: reads the history, and if the payment is not there, ' +
        'repeats its request with its own key. A key that the service may have forgotten is repeated only after a yes. Without an intent: all that are sent or unknown. One that the service has not taken must be named, itself ' +
        'or by its batch, and is sent only after a yes. Only the user who sent a payment can resume it.',
    )
    .argument('[intent]', 'its id, five characters of it or more, or last')
    .option('--batch <name>', 'finish this batch: its rows that are prepared, sent or unknown')
    .addOption(concurrency('rows of a batch under way at a time'))
    .option('--sent-by <user>', 'who sent it, by email or id, where payctl did not keep that: must be you')
    .addOption(keyLifeOption())
    .option('-y, --yes', 'send without being asked what the service has not taken')
    .action(async (id: string | undefined, { batch, concurrency, ...flags }: GivenFlags) => {
      if (batch !== undefined) {
        if (id !== undefined) {
          throw new UsageError('An intent and --batch name two things to resume.', 'Give one of them')
        }
        const { resumeRows } = await import('./pay_file.ts')
        return resumeRows({ batch, concurrency, ...flags }, context)
      }
      const [{ resumeAll, resumeOne }, { intentId }] = await Promise.all([
        import('./resume_intents.ts'),
        import('./short_id.ts'),
      ])
      await (id === undefined ? resumeAll(flags, context) : resumeOne(await intentId(id, context), flags, context))
    })
  examples(command, [
    'payctl payments resume int_4k7qz2m9x1ab',
    'payctl payments resume',
    'payctl payments resume --batch 2026-11 --yes',
  ])
}
