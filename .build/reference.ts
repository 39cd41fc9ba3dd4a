import { readFileSync, writeFileSync } from 'node:fs'
import { manPages } from './man_pages.ts'
import { referenceFiles } from './reference_files.ts'

for (const [name, text] of Object.entries(await referenceFiles())) {
  writeFileSync(new URL(`../docs/reference/${name}`, import.meta.url), text)
}

// npm installs the man pages that the manifest names.
const manifestFile = new URL('../package.json', import.meta.url)
const manifest = JSON.parse(readFileSync(manifestFile, 'utf8'))
const man = Object.keys(await manPages())
  .map((name) => `./dist/man/${name}`)
  .sort()
if (JSON.stringify(man) !== JSON.stringify(manifest.man)) {
  writeFileSync(manifestFile, `${JSON.stringify({ ...manifest, man }, null, 2)}\n`)
}
