import { run } from './commands/run.ts'
import type { Environment } from './run/environment.ts'
import type { Io } from './run/io.ts'

export { standardStream } from './run/standard_stream.ts'

/**
 * One run of the command line, from arguments (without node and script) to exit code. `signal` interrupts it; its
 * reason is the signal's name. A bare `--version` does not come this far: bin/payctl.js answers it.
 */
export async function main(argv: readonly string[], env: Environment, io: Io, signal: AbortSignal): Promise<number> {
  // Without a listener a reader that goes away (`payctl ... | head -1`) would crash the process.
  for (const stream of [io.stdout, io.stderr]) stream.on('error', () => {})
  try {
    return await run({ argv, env, io, signal })
  } catch (error) {
    const { report } = await import('./run/report.ts')
    return await report(error, { argv, env, io, signal })
  }
}
