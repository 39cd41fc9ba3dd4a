import type { Context } from '../../cli/command.ts'
import { reporterOf } from '../../cli/reporter.ts'
import { isLoopback } from '../../client/loopback.ts'
import { CliError, UsageError } from '../../errors/cli_error.ts'
import { exits } from '../../errors/exit_codes.ts'
import { tail } from '../../webhooks/tail.ts'
import { warnOfPlainHttp } from './flags.ts'
import { printEvents } from './print_tail.ts'
import { signingOf } from './signing.ts'
import type { TailFlags } from './tail.ts'

/** Without --limit a tail ends only when it is stopped, so that is no failure. */
export async function runTail(flags: TailFlags, context: Context): Promise<void> {
  const { baseUrl } = await context.target()
  requireReachable(baseUrl, flags)
  const { printBody: body = false, limit } = flags
  const forwards = flags.forwardTo !== undefined || flags.route !== undefined
  if (!forwards && flags.secretFile !== undefined) {
    throw new UsageError('--secret-file signs what is forwarded, and nothing is.', 'Add --forward-to or --route')
  }
  warnOfPlainHttp([flags.forwardTo, ...(flags.route ?? []).map(({ url }) => url)], context)
  const signing = await signingOf(flags)
  const { endedBy, printed } = await tail(
    { ...flags, signing, recover: flags.recover !== false },
    {
      baseUrl,
      client: await context.client(),
      clientUntil: (signal) => context.clientUntil(signal),
      stateDir: context.stateDir,
      signal: context.signal,
      reporter: reporterOf(context),
      print: (events, onPrinted) =>
        printEvents(events, { context, forwards, isRouted: flags.route !== undefined, body, onPrinted }),
    },
  ).catch(explainPort(flags))
  if (limit === undefined || printed >= limit) return
  if (endedBy === 'interrupted') context.exitWith(exits.interrupted.code)
  if (endedBy === 'timeout') {
    throw new CliError('payment_in_progress', `The time ran out: ${printed} of ${limit} events came.`)
  }
}

/** A service elsewhere cannot deliver to this machine's loopback. */
function requireReachable(baseUrl: string, { publicUrl }: TailFlags): void {
  if (publicUrl !== undefined || isLoopback(baseUrl)) return
  throw new UsageError(
    `The service is on another machine (${new URL(baseUrl).host}) and cannot reach 127.0.0.1 on this one.`,
    'Open a tunnel to a port of this machine and name both: --port 4242 --public-url https://your-tunnel.example',
  )
}

/** Throws a UsageError if the receiver could not listen on its port, else the original error. */
const explainPort =
  ({ port = 0 }: TailFlags) =>
  (error: NodeJS.ErrnoException): never => {
    if (error.syscall !== 'listen') throw error
    const why = error.code === 'EADDRINUSE' ? `Port ${port} is taken.` : `Port ${port}: ${error.message}`
    throw new UsageError(why, 'Leave out --port to take any free one.')
  }
