import { statSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { ForeignFileError, requirePackagesFolder, writePackages } from './packages.ts'
import { isPlatform, type PlatformName, platforms } from './platforms.ts'

// Writes payctl for machines without Node. Tarballs need GNU tar and xz; Debian packages and images need a Debian system.

const usage = 'Usage: npm run package [-- --file-only] [--folder packages] [platform...]'

const thisPlatform = `${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`

function chosen(names: readonly string[]): readonly PlatformName[] {
  if (names.includes('all')) return Object.keys(platforms) as PlatformName[]
  const unknown = names.find((name) => !isPlatform(name))
  if (unknown !== undefined) {
    console.error(`${unknown} is not one of the platforms: ${Object.keys(platforms).join(', ')}, all.`)
    process.exit(2)
  }
  return names.filter(isPlatform)
}

function options() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: { 'file-only': { type: 'boolean' }, folder: { type: 'string', default: 'packages' } },
    })
  } catch (error) {
    console.error(`${(error as Error).message.split('. ')[0]}.\n${usage}`)
    process.exit(2)
  }
}

const { values, positionals } = options()
const names = chosen(positionals.length > 0 ? positionals : [thisPlatform])
try {
  requirePackagesFolder(values.folder)
} catch (error) {
  if (!(error instanceof ForeignFileError)) throw error
  console.error(error.message)
  process.exit(2)
}
const files = writePackages({ platforms: names, folder: values.folder, fileOnly: values['file-only'] ?? false })
for (const file of files) console.log(`${file} (${Math.round(statSync(file).size / 1e6)} MB)`)
