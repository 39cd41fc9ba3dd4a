import { CommanderError } from 'commander'
import { commandAt, renamed } from './cli/global_options.ts'
import { showEverything } from './cli/help.ts'
import { HelpRequest, ParserMistake, printHelp, programOf } from './cli/program.ts'
import { isCommand } from './cli/register.ts'
import { RunContext } from './cli/run_context.ts'
import { root } from './commands/index.ts'
import { exits } from './errors/exit_codes.ts'
import { type Environment, type Io, withoutEmpty } from './run/invocation.ts'
import { flush, isBrokenPipe } from './run/sink.ts'

/**
 * Runs the command line once: takes the arguments (without node and script), and returns the exit code. `signal`
 * interrupts the run; its reason is the signal's name. bin/payctl.js answers a bare `--version` without this function.
 */
export async function main(words: readonly string[], env: Environment, io: Io, signal: AbortSignal): Promise<number> {
  const argv = words.some((word) => word.startsWith('--json='))
    ? (await import('./cli/short_forms.ts')).withMembers(words)
    : words
  // Without a listener, a reader that closes the pipe (`payctl ... | head -1`) would crash the process.
  for (const stream of [io.stdout, io.stderr]) stream.on('error', () => {})
  const context = new RunContext({ root, env: withoutEmpty(env), io, signal })
  try {
    return await run(argv, context)
  } catch (error) {
    const { report } = await import('./run/report.ts')
    return await report(error, await context.reportOptions(argv))
  }
}

/** Returns the exit code; throws failures. */
async function run(argv: readonly string[], context: RunContext): Promise<number> {
  const { io, signal } = context
  if (argv[0] === '__complete') return complete(argv.slice(1), context)
  let lost: Error | null | undefined
  // Remembers the first error of stdout. Node's own stream forgets the error: the next write to a full disk may seem to
  // succeed.
  io.stdout.on('error', (error) => {
    lost ??= error
  })
  try {
    const code = await parse(await writtenOut(argv, context), context, { everything: argv[commandAt(argv)] === 'help' })
    await flush(io.stdout, signal)
    if (lost && !isBrokenPipe(lost)) throw lost
    return code
  } catch (error) {
    lost ??= (io.stdout as { readonly errored?: Error | null }).errored
    if (!lost || error !== lost || isBrokenPipe(lost)) throw error
    const { lostOutput } = await import('./run/report.ts')
    throw lostOutput(lost, context.hasChanged)
  } finally {
    await context.close()
  }
}

/** Answers the completion scripts at each Tab. Help and suggestions never show this hidden command. */
async function complete(argv: readonly string[], { env, io, signal }: RunContext): Promise<number> {
  const completion = await import('./cli/completion/complete.ts')
  await completion.complete({ argv, root, env, io, signal })
  return exits.done.code
}

/**
 * Finds the command, loads it, parses and runs it. `everything`: shows the command's full help, not only what fits a
 * screen.
 */
async function parse(
  argv: readonly string[],
  context: RunContext,
  { everything }: { readonly everything: boolean },
): Promise<number> {
  const program = await programOf(argv, context)
  if (everything) showEverything(program)
  try {
    await program.parseAsync(argv, { from: 'user' })
  } catch (error) {
    if (error instanceof HelpRequest) {
      await printHelp(error, context)
      return exits[error.isError ? 'usage' : 'done'].code
    }
    if (error instanceof ParserMistake) throw (await import('./cli/parser_mistake.ts')).explained(error)
    if (error instanceof CommanderError) return error.exitCode === 0 ? exits.done.code : exits.usage.code
    throw error
  }
  return context.exitCode
}

/**
 * Expands the command line. `payctl` alone shows help, and `payctl help accounts list` is `payctl accounts list
 * --help` with full help. Aliases and short forms become their commands.
 */
async function writtenOut(given: readonly string[], context: RunContext): Promise<readonly string[]> {
  const argv = renamed(given)
  if (argv.length === 0) return ['--help']
  const at = commandAt(argv)
  const [topic, ...more] = argv.slice(at + 1)
  if (argv[at] === 'help' && topic !== undefined) {
    const command = await writtenOutFrom([topic], context)
    return isCommand(command[0] ?? '', root) ? [...argv.slice(0, at), ...command, ...more, '--help'] : argv
  }
  return writtenOutFrom(argv, context)
}

async function writtenOutFrom(argv: readonly string[], context: RunContext): Promise<readonly string[]> {
  const name = argv[commandAt(argv)]
  if (name === undefined || isCommand(name, root)) return argv
  const { expanded } = await import('./cli/short_forms.ts')
  return expanded(argv, context)
}
