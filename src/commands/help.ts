import { command } from '../cli/command.ts'
import { heading } from '../cli/help.ts'
import { topics } from '../cli/help_topics.ts'
import { array, text } from '../cli/prints.ts'
import { createProgram } from '../cli/program.ts'
import { subcommandsOf } from '../cli/register.ts'
import { UsageError } from '../errors/cli_error.ts'
import { nearest } from '../errors/nearest.ts'
import { toRun } from '../errors/next_step.ts'
import { helpTranslatorOf } from '../run/language.ts'
import { say } from '../words/text.ts'

const topicLines = Object.entries(topics).map(([name, { summary }]) => `  ${name}: ${summary}`)

const topicRows = array(async () => (await import('./schema/machine_shapes.ts')).topicRow)

export const help = command({
  summary: 'Help on a command, or on a topic',
  args: { '[topic...]': { about: 'a command, or one of the topics below', of: 'help topic' } },
  prints: {
    '': text,
    environment: topicRows,
    files: topicRows,
    'exit-codes': array(async () => (await import('./schema/machine_shapes.ts')).exitCode),
  },
  notes: `${heading('Topics:')}\n${topicLines.join('\n')}`,
  examples: ['payctl help accounts list', 'payctl help options', 'payctl help exit-codes'],
  async run({ topic: [name] }, context) {
    if (name === undefined) {
      const program = await createProgram(context)
      program.parseOptions([...context.argv])
      return program.outputHelp()
    }
    const topic = Object.hasOwn(topics, name) ? topics[name] : undefined
    if (topic) return topic.print(context, await helpTranslatorOf(context.language))
    const near = nearest(name, [...subcommandsOf(context.root).map((one) => one.name), ...Object.keys(topics)])
    throw new UsageError(
      say`No help on '${name}'.`,
      near === undefined ? toRun(['help', 'help']) : say`Did you mean ${near}?`,
    )
  },
})
