import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { Command } from 'commander'
import { createProgram, loadCommand } from '../src/commands/program.ts'
import { RunContext } from '../src/commands/run_context.ts'
import { main } from '../src/main.ts'

/** What `--help` says of every command. */
export async function cliReference(): Promise<string> {
  const sections = []
  for (const path of [[], ...(await commandPaths())]) {
    sections.push(`## payctl ${path.join(' ')}`.trimEnd(), `\`\`\`\n${await helpOn(path)}\n\`\`\``)
  }
  return `# Command reference\n\nWritten by \`npm run docs\`.\n\n${sections.join('\n\n')}\n`
}

/** The words that name each command, in the order of the help. */
export async function commandPaths(): Promise<string[][]> {
  const io = silent()
  const context = new RunContext({ env: {}, io, signal: new AbortController().signal })
  const program = createProgram(context)
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

/** What `--help` says of one command. */
export async function helpOn(path: readonly string[]): Promise<string> {
  const io = silent()
  await main([...path, '--help'], {}, io, new AbortController().signal)
  return (await text(io.stdout.end())).trimEnd()
}

const silent = () => ({ stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() })
