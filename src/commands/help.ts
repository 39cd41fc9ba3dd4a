import { UsageError } from '../errors/cli_error.ts'
import { exits } from '../errors/exit_codes.ts'
import { nearest } from '../errors/nearest.ts'
import { field } from '../output/columns.ts'
import type { CommandModule } from './context.ts'
import { examples } from './examples.ts'

export const help: CommandModule = (command, context) => {
  command
    .description('Help on a command, or on exit-codes.')
    .argument('[topic...]', 'a command, or exit-codes')
    .action(async (topics: readonly string[]) => {
      const [topic] = topics
      if (topic === undefined) return command.parent?.outputHelp()
      if (topic !== 'exit-codes') {
        const near = nearest(topic, [...(command.parent?.commands ?? []).map((one) => one.name()), 'exit-codes'])
        throw new UsageError(
          `There is no help on '${topic}'.`,
          near === undefined ? 'See what there is: payctl --help' : `Did you mean ${near}?`,
        )
      }
      await context.output.list(
        Object.entries(exits).map(([name, exit]) => ({ name, ...exit })),
        [
          field('code', ({ code }) => code),
          field('name', ({ name }) => name),
          field('meaning', ({ meaning }) => meaning),
        ],
      )
    })
  examples(command, ['payctl help accounts list', 'payctl help exit-codes'])
}
