import { readFileSync, writeFileSync } from 'node:fs'
import { controlEndpoints } from '../src/contract/index.ts'
import { emulatorDocument, serviceDocument } from '../src/contract/openapi.ts'
import { version } from '../src/version.ts'
import { apiReference, errorsReference } from './api_reference.ts'
import { cliReference } from './cli_reference.ts'
import { recordExamples } from './examples/record.ts'
import { chaosProfileSchema, seedSchema } from './file_schemas.ts'
import { manPages } from './man_pages.ts'

/** Writes docs/reference, and lists the man pages in package.json, so that npm installs them. */
async function writeReference(): Promise<void> {
  for (const [name, text] of Object.entries(await referenceFiles())) {
    writeFileSync(new URL(`../docs/reference/${name}`, import.meta.url), text)
  }
  const manifestFile = new URL('../package.json', import.meta.url)
  const manifest = JSON.parse(readFileSync(manifestFile, 'utf8'))
  const man = Object.keys(await manPages())
    .map((name) => `./dist/man/${name}`)
    .sort()
  if (JSON.stringify(man) !== JSON.stringify(manifest.man)) {
    writeFileSync(manifestFile, `${JSON.stringify({ ...manifest, man }, null, 2)}\n`)
  }
}

/** Generated files of docs/reference, by name. */
export async function referenceFiles(): Promise<Readonly<Record<string, string>>> {
  const examples = Object.entries(await recordExamples())
  const isOfEmulator = ([id]: (typeof examples)[number]) => id in controlEndpoints
  const service = Object.fromEntries(examples.filter((example) => !isOfEmulator(example)))
  const emulator = Object.fromEntries(examples.filter(isOfEmulator))
  return {
    'api.md': apiReference(),
    'cli.md': await cliReference(),
    'errors.md': errorsReference(),
    'chaos-profile.schema.json': chaosProfileSchema(),
    'seed-file.schema.json': seedSchema(),
    'openapi.json': pretty(serviceDocument(service)),
    'emulator-openapi.json': pretty(emulatorDocument(version, emulator)),
  }
}

const pretty = (document: unknown): string => `${JSON.stringify(document, null, 2)}\n`

if (import.meta.main) await writeReference()
