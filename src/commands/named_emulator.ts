import type { Target } from '../config/target.ts'
import { UsageError } from '../errors/cli_error.ts'

/** What is read may come from the newest of several emulators. What changes something must say which it means. */
export function requireNamedEmulator({ baseUrl, otherEmulators }: Target): void {
  if (otherEmulators.length === 0) return
  throw new UsageError(
    `${otherEmulators.length + 1} emulators are running, and nothing says which of them this is for. Nothing was sent.`,
    `Name one: ${[baseUrl, ...otherEmulators].map((url) => `--base-url ${url}`).join(', or ')}`,
  )
}
