import { SeedFile } from '../src/contract/index.ts'

/** The JSON Schema of seed files, for editors, without the annotations that only the emulator reads. */
export function seedSchema(): string {
  const plain = JSON.parse(JSON.stringify(SeedFile, (key, value) => (key.startsWith('x-') ? undefined : value)))
  const head = { $schema: 'https://json-schema.org/draft/2020-12/schema', title: 'Seed file of the payctl emulator' }
  return `${JSON.stringify({ ...head, ...plain }, null, 2)}\n`
}
