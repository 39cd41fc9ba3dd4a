import type { Environment, Io } from './commands/context.ts'
import { version } from './version.ts'

/**
 * One run of the command line, from arguments (without node and script) to exit code. `signal` interrupts it; its
 * reason is the signal's name. Everything beyond `--version` is loaded when it is asked for: start-up time is a budget.
 */
export async function main(argv: readonly string[], env: Environment, io: Io, signal: AbortSignal): Promise<number> {
  // Without a listener a reader that goes away (`payctl ... | head -1`) would crash the process.
  for (const stream of [io.stdout, io.stderr]) stream.on('error', () => {})
  if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
    io.stdout.write(`${version}\n`)
    return 0
  }
  try {
    const { run } = await import('./commands/run.ts')
    return await run({ argv, env, io, signal })
  } catch (error) {
    const { report } = await import('./output/report.ts')
    return await report(error, { argv, env, io, signal })
  }
}
