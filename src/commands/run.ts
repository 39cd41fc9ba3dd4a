import { CommanderError } from 'commander'
import { exits } from '../errors/exit_codes.ts'
import type { Environment } from '../run/environment.ts'
import { withoutEmpty } from '../run/environment.ts'
import type { Io } from '../run/io.ts'
import { flush, isBrokenPipe } from '../run/sink.ts'
import { readGlobals } from './global_options.ts'
import { commands } from './index.ts'
import { createProgram, prepare } from './program.ts'
import { RunContext } from './run_context.ts'

interface Run {
  readonly argv: readonly string[]
  readonly env: Environment
  readonly io: Io
  readonly signal: AbortSignal
}

/** Finds the command, loads it, parses and runs it. Returns the exit code; failures are thrown. */
export async function run({ argv, env, io, signal }: Run): Promise<number> {
  if (argv[0] === '__complete') return completed({ argv: argv.slice(1), env, io, signal })
  const context = new RunContext({ env: withoutEmpty(env), io, signal })
  let lost: Error | null | undefined
  // Node's own stream forgets it: the next write to a full disk may seem to succeed.
  io.stdout.on('error', (error) => {
    lost ??= error
  })
  try {
    const code = await parse(asHelp(argv), context)
    await flush(io.stdout, signal)
    if (lost && !isBrokenPipe(lost)) throw lost
    return code
  } catch (error) {
    lost ??= (io.stdout as { readonly errored?: Error | null }).errored
    if (!lost || error !== lost || isBrokenPipe(lost)) throw error
    const { lostOutput } = await import('../run/lost_output.ts')
    throw lostOutput(lost, context.hasChanged)
  } finally {
    await context.close()
  }
}

/** What the completion scripts ask at each Tab. It is no command: no help or suggestion names it. */
async function completed(run: Run): Promise<number> {
  const { complete } = await import('./completion/complete.ts')
  await complete({ ...run, env: withoutEmpty(run.env) })
  return exits.done.code
}

async function parse(argv: readonly string[], context: RunContext): Promise<number> {
  const program = createProgram(context.io, argv).hook('preAction', (_, action) => context.begin(readGlobals(action)))
  try {
    await program.parseAsync([...(await prepare(program, argv, context))], { from: 'user' })
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exits.done.code : exits.usage.code
    throw error
  }
  return context.exitCode
}

/** `payctl` alone asks for help, and `payctl help accounts list` is `payctl accounts list --help`. */
function asHelp(argv: readonly string[]): readonly string[] {
  const [first, topic, ...more] = argv
  if (first === undefined) return ['--help']
  if (first !== 'help' || topic === undefined) return argv
  return Object.hasOwn(commands, topic) ? [topic, ...more, '--help'] : argv
}
