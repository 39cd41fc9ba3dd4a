import { Option } from 'commander'
import type { CommandModule } from '../context.ts'
import { examples } from '../examples.ts'
import { integer } from '../integer.ts'

interface ResumeFlags {
  readonly batch?: string
  readonly concurrency: number
}

export const resume: CommandModule = (command, context) => {
  command
    .description(
      'Find out what became of a payment whose answer was lost: repeats its request with its own key, so that it pays ' +
        'once. Without an intent: all that are sent or unknown. One that never left this machine must be named, itself ' +
        'or by its batch.',
    )
    .argument('[intent]', 'as shown by payctl payments intents')
    .option('--batch <name>', 'finish this batch: its rows that are prepared, sent or unknown')
    .addOption(
      new Option('--concurrency <n>', 'rows of a batch under way at a time')
        .argParser(integer({ min: 1, max: 32 }))
        .default(4),
    )
    .action(async (id: string | undefined, { batch, concurrency }: ResumeFlags) => {
      if (batch !== undefined) {
        const { resumeBatch } = await import('./batch/resume_batch.ts')
        return resumeBatch(id, { batch, concurrency }, context)
      }
      const { resumeAll, resumeOne } = await import('./resume_payment.ts')
      await (id === undefined ? resumeAll(context) : resumeOne(id.trim().toLowerCase(), context))
    })
  examples(command, [
    'payctl payments resume int_4k7qz2m9x1ab',
    'payctl payments resume',
    'payctl payments resume --batch 2026-11',
  ])
}
