import { isLoopback } from '../client/loopback.ts'
import { CliError, UsageError } from '../errors/cli_error.ts'
import type { TailFlags } from './flags.ts'
import { type Receiver, startReceiver } from './receiver.ts'
import { SavedFile } from './saved_file.ts'

/** A service elsewhere cannot deliver to this machine's loopback. */
export function requireReachable(baseUrl: string, { publicUrl }: TailFlags): void {
  if (publicUrl !== undefined || isLoopback(baseUrl)) return
  throw new UsageError(
    `The service is on another machine (${new URL(baseUrl).host}) and cannot reach 127.0.0.1 on this one.`,
    'Open a tunnel to a port of this machine and name both: --port 4242 --public-url https://your-tunnel.example',
  )
}

/** Undefined where deliveries are safe on their way. */
export function remarkOn({ publicUrl }: TailFlags): string | undefined {
  if (publicUrl === undefined || publicUrl.startsWith('https:') || isLoopback(publicUrl)) return undefined
  return `Deliveries to ${publicUrl} can be read on their way: give an https URL if the tunnel has one.`
}

export async function listen(options: Parameters<typeof startReceiver>[0]): Promise<Receiver> {
  try {
    return await startReceiver(options)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const why = code === 'EADDRINUSE' ? `Port ${options.port} is taken.` : `Port ${options.port}: ${message}`
    throw new UsageError(why, 'Leave out --port to take any free one.')
  }
}

export async function openSaved(path: string): Promise<SavedFile> {
  try {
    return await SavedFile.open(path)
  } catch (error) {
    throw new UsageError(`Deliveries cannot be saved: ${(error as Error).message}`, 'Name a file that can be written.')
  }
}

/** The disk is full, say. */
export const unsavable = (path: string | undefined, error: unknown): CliError =>
  new CliError(
    'unavailable',
    `Deliveries cannot be saved to ${path} any more: ${(error as Error).message}`,
    'Make room and start it again: payments that end in between are shown as recovered.',
  )
