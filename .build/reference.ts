import { writeFileSync } from 'node:fs'
import { referenceFiles } from './reference_files.ts'

for (const [name, text] of Object.entries(await referenceFiles())) {
  writeFileSync(new URL(`../docs/reference/${name}`, import.meta.url), text)
}
