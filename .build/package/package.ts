import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import manifest from '../../package.json' with { type: 'json' }
import { digestOf } from './digests.ts'
import { isPlatform, type PlatformName, platforms } from './platforms.ts'
import { writeSingleFile } from './single_file.ts'
import { writeTarball } from './tarball.ts'

// `npm run package [-- --file-only] [platform...]`: writes payctl for machines without Node to packages/. The tarballs
// need GNU tar and xz.

const folder = 'packages'

const thisPlatform = `${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`

function chosen(args: readonly string[]): readonly PlatformName[] {
  if (args.includes('all')) return Object.keys(platforms) as PlatformName[]
  const names = args.length > 0 ? args : [thisPlatform]
  return names.map((name) => {
    if (isPlatform(name)) return name
    throw new Error(`${name} is not one of the platforms: ${Object.keys(platforms).join(', ')}, all.`)
  })
}

/** Writes all packages of a platform; returns their paths. */
function packagesOf(name: PlatformName): readonly string[] {
  const versioned = `payctl-${manifest.version}-${name}`
  const isWindows = name.startsWith('win')
  const executable = join(folder, `${versioned}${isWindows ? '.exe' : ''}`)
  writeSingleFile(name, executable)
  // Windows gets no tarball: the install script in the tarball needs a POSIX shell.
  return isFileOnly || isWindows ? [executable] : [executable, writeTarball(executable, folder, versioned)]
}

const args = process.argv.slice(2)
const isFileOnly = args.includes('--file-only')
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder)
const files = chosen(args.filter((each) => each !== '--file-only')).flatMap(packagesOf)
for (const file of files) console.log(`${file} (${Math.round(statSync(file).size / 1e6)} MB)`)
const sums = files.map((file) => `${digestOf(file)}  ${basename(file)}\n`).toSorted()
writeFileSync(join(folder, 'SHA256SUMS'), sums.join(''))
