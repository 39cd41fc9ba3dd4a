import { mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import manifest from '../../package.json' with { type: 'json' }
import { isPlatform, type PlatformName, platforms } from './platforms.ts'
import { writeSingleFile } from './single_file.ts'

// `npm run package [-- platform...]`: writes payctl for machines without Node to packages/.

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

mkdirSync(folder, { recursive: true })
for (const name of chosen(process.argv.slice(2))) {
  const file = join(folder, `payctl-${manifest.version}-${name}${name.startsWith('win') ? '.exe' : ''}`)
  writeSingleFile(name, file)
  console.log(`${file} (${Math.round(statSync(file).size / 1e6)} MB)`)
}
