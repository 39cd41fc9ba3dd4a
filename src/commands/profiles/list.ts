import type { CommandModule } from '../context.ts'
import { examples } from '../examples.ts'
import { allEntries, columns } from './entry.ts'
import { noteOutranked } from './outranked.ts'

export const list: CommandModule = (command, context) => {
  command.description('List the profiles, and which one is in use.').action(async () => {
    const { config, output } = context
    await output.list(allEntries(config), columns)
    noteOutranked(context)
  })
  examples(command, ['payctl profiles list', 'payctl profiles list --json'])
}
