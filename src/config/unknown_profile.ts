import { UsageError } from '../errors/cli_error.ts'
import { nearest } from '../errors/nearest.ts'
import { type Config, emulatorProfile } from './profile.ts'

/** With the names that there are, the one that is most like it first. */
export function unknownProfile(name: string, { current, profiles }: Config): UsageError {
  const names = [...Object.keys(profiles).filter((other) => other !== emulatorProfile), emulatorProfile]
  const near = nearest(name, names)
  const suggestion = near === undefined ? '' : `Did you mean ${near}? `
  const remedy =
    current === name ? 'Choose one: payctl profiles use <name>' : 'Add one: payctl profiles set <name> --base-url <url>'
  return new UsageError(`There is no profile '${name}'.`, `${suggestion}Profiles: ${names.join(', ')}. ${remedy}`)
}
