import { CliError, UsageError } from '../errors/cli_error.ts'

/**
 * How a run ends whose stdout takes no more, as on a full disk. When the service has carried something out, or may
 * have, the exit code must not say that nothing happened.
 */
export function lostOutput({ message }: Error, hasChanged: boolean): CliError {
  const what = `The output can't be written: ${message}.`
  if (!hasChanged) return new UsageError(what, 'Make room where it goes, and run it again.')
  return new CliError(
    'outcome_unknown',
    `${what} What the command was to change at the service may be done.`,
    'Look before you repeat it, for example: payctl payments intents',
  )
}
