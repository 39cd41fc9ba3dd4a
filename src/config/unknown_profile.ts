import { UsageError } from '../output/cli_error.ts'
import { type Config, emulatorProfile } from './profile.ts'

/** With the names that there are, the one that is most like it first. */
export function unknownProfile(name: string, { current, profiles }: Config): UsageError {
  const names = [...Object.keys(profiles).filter((other) => other !== emulatorProfile), emulatorProfile]
  const near = names
    .map((other) => ({ other, distance: editDistance(name.toLowerCase(), other.toLowerCase()) }))
    .filter(({ distance, other }) => distance <= Math.max(1, Math.floor(other.length * 0.4)))
    .sort((one, two) => one.distance - two.distance)[0]?.other
  const suggestion = near === undefined ? '' : `Did you mean ${near}? `
  const remedy =
    current === name ? 'Choose one: payctl profiles use <name>' : 'Add one: payctl profiles set <name> --base-url <url>'
  return new UsageError(`There is no profile '${name}'.`, `${suggestion}Profiles: ${names.join(', ')}. ${remedy}`)
}

/** How many letters to insert, remove or replace. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at)
  for (const [line, letter] of [...from].entries()) {
    const next = [line + 1]
    for (const [at, other] of [...to].entries()) {
      const replaced = (row[at] ?? 0) + (letter === other ? 0 : 1)
      next.push(Math.min(replaced, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1))
    }
    row = next
  }
  return row[to.length] ?? 0
}
