import { UsageError } from '../errors/cli_error.ts'

const usualPort = 4010

/** How many ports are tried, the usual one first. */
const portsTried = 51

/** The given port only; for a child process, which gets the URL, any free port. */
export function portsToTry(asked: number | undefined, executing: boolean): readonly number[] {
  if (asked !== undefined) return [asked]
  return executing ? [0] : Array.from({ length: portsTried }, (_, step) => usualPort + step)
}

/** Starts on the first free port. */
export async function startOnPort<Started>(
  ports: readonly number[],
  start: (port: number) => Promise<Started>,
): Promise<Started> {
  for (const port of ports) {
    try {
      return await start(port)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'EADDRINUSE') continue
      if (code === 'EACCES') throw new UsageError(`Port ${port} is not yours to use.`, 'Ask for one above 1023.')
      if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
        throw new UsageError('This machine has no such address to listen on.', 'Leave --host out')
      }
      throw error
    }
  }
  const [first, last] = [ports.at(0), ports.at(-1)]
  const what = first === last ? `Port ${first} is taken.` : `All ports from ${first} to ${last} are taken.`
  throw new UsageError(what, 'Take any free one with --port 0')
}
