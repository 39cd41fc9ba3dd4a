import { TeamsFile } from '../emulator/teams/teams_schema.ts'
import { ChaosProfile, SeedFile } from '../src/contract/index.ts'

/** JSON Schema of seed files, for editors. */
export const seedSchema = (): string => schemaText('Seed file of the payctl emulator', SeedFile)

/** JSON Schema of chaos profiles, for editors. */
export const chaosProfileSchema = (): string => schemaText('Chaos profile of the payctl emulator', ChaosProfile)

/** JSON Schema of teams files, for editors. */
export const teamsSchema = (): string => schemaText('Teams that share an emulator of payctl', TeamsFile)

/** Removes the annotations that only the emulator reads. */
function schemaText(title: string, schema: object): string {
  const plain = JSON.parse(JSON.stringify(schema, (key, value) => (key.startsWith('x-') ? undefined : value)))
  return `${JSON.stringify({ $schema: 'https://json-schema.org/draft/2020-12/schema', title, ...plain }, null, 2)}\n`
}
