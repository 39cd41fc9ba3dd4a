import type { CommandModule } from '../context.ts'
import { examples } from '../examples.ts'

export const resume: CommandModule = (command, context) => {
  command
    .description(
      'Find out what became of a payment whose answer was lost: repeats its request with its own key, so that it pays ' +
        'once. Without an intent: all that are sent or unknown. One that never left this machine must be named.',
    )
    .argument('[intent]', 'as shown by payctl payments intents')
    .action(async (id: string | undefined) => {
      const { resumeAll, resumeOne } = await import('./resume_payment.ts')
      await (id === undefined ? resumeAll(context) : resumeOne(id.trim().toLowerCase(), context))
    })
  examples(command, ['payctl payments resume int_4k7qz2m9x1ab', 'payctl payments resume'])
}
