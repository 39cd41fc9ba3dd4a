import type { CommandModule } from '../cli/command.ts'
import { examples, heading } from '../cli/examples.ts'
import { topics } from '../cli/help_topics.ts'
import { UsageError } from '../errors/cli_error.ts'
import { nearest } from '../errors/nearest.ts'
import { toRun } from '../errors/next_step.ts'

const topicLines = Object.entries(topics).map(([name, { summary }]) => `  ${name}: ${summary}`)

export const help: CommandModule = (command, context) => {
  command
    .description('Help on a command, or on a topic.')
    .argument('[topic...]', 'a command, or one of the topics below')
    .addHelpText('after', `\n${heading('Topics:')}\n${topicLines.join('\n')}`)
    .action(async ([name]: readonly string[]) => {
      if (name === undefined) return command.parent?.outputHelp()
      const topic = Object.hasOwn(topics, name) ? topics[name] : undefined
      if (topic) return topic.print(context)
      const near = nearest(name, [...(command.parent?.commands ?? []).map((one) => one.name()), ...Object.keys(topics)])
      throw new UsageError(
        `There is no help on '${name}'.`,
        near === undefined ? toRun(['help', 'help']) : `Did you mean ${near}?`,
      )
    })
  examples(command, ['payctl help accounts list', 'payctl help options', 'payctl help exit-codes'])
}
