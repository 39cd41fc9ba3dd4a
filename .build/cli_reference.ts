import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { Command } from 'commander'
import { topics } from '../src/cli/help_topics.ts'
import { createProgram, loadCommand } from '../src/cli/program.ts'
import { RunContext } from '../src/cli/run_context.ts'
import { root } from '../src/commands/index.ts'
import { main } from '../src/main.ts'

/** The help of every command and topic. */
export async function cliReference(): Promise<string> {
  const sections = []
  for (const path of [[], ...(await commandPaths())]) {
    sections.push(`## payctl ${path.join(' ')}`.trimEnd(), `\`\`\`\n${await helpOn(path)}\n\`\`\``)
  }
  // Leaves out the topic `files`, because it contains paths of this machine.
  for (const topic of Object.keys(topics).filter((name) => name !== 'files')) {
    sections.push(`## payctl help ${topic}`, `\`\`\`\n${await printed(['help', topic, '-o', 'table'])}\n\`\`\``)
  }
  return `# Command reference\n\nWritten by \`npm run docs\`.\n\n${sections.join('\n\n')}\n`
}

/** Words of each command, in the order in which the help lists them. */
export async function commandPaths(): Promise<string[][]> {
  const io = silent()
  const context = new RunContext({ root, env: {}, io, signal: new AbortController().signal })
  const program = await createProgram(context)
  const paths: string[][] = []
  const visit = async (command: Command, path: readonly string[]): Promise<void> => {
    for (const child of command.commands) {
      const childPath = [...path, child.name()]
      paths.push(childPath)
      await loadCommand(child, context)
      await visit(child, childPath)
    }
  }
  await visit(program, [])
  return paths
}

/** The help of one command, or of payctl itself if the path is empty. */
export const helpOn = (path: readonly string[]): Promise<string> => printed(['help', ...path])

/** Output of a command that needs only its arguments: no environment, no input. */
export async function printed(argv: readonly string[]): Promise<string> {
  const io = silent()
  await main(argv, {}, io, new AbortController().signal)
  return (await text(io.stdout.end())).trimEnd()
}

const silent = () => ({ stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() })
