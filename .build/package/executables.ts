import { readFileSync } from 'node:fs'
import type { PlatformName } from './platforms.ts'
import { contents, mainScript, sourceOf } from './single_file.ts'

/** Format and processor of the executables, by platform. */
const headers: Readonly<Record<PlatformName, string>> = {
  'linux-x64': 'ELF x64',
  'linux-arm64': 'ELF arm64',
  'darwin-arm64': 'Mach-O arm64',
  'darwin-x64': 'Mach-O x64',
  'win-x64': 'PE x64',
}

/**
 * Problems with an executable for a platform. Reads the executable's header and the files inside the executable,
 * without running it.
 */
export function problemsOf(platform: PlatformName, file: string): readonly string[] {
  const bytes = readFileSync(file)
  const header = headerOf(bytes)
  if (header !== headers[platform]) return [`${file} is ${header}, not ${headers[platform]}`]
  const start = bytes.lastIndexOf(mainScript)
  if (start === -1) return [`${file} has no payctl inside`]
  const inside = bytes.subarray(start)
  const isInside = (path: string) => inside.includes(readFileSync(sourceOf(platform, path)))
  return contents(platform)
    .filter((path) => !isInside(path))
    .map((path) => `${file} does not have ${path} inside`)
}

/** Format and processor that the header of an executable names. */
function headerOf(bytes: Buffer): string {
  if (bytes.toString('latin1', 0, 4) === '\x7fELF') return `ELF ${{ 62: 'x64', 183: 'arm64' }[bytes.readUInt16LE(18)]}`
  if (bytes.readUInt32LE(0) === 0xfeedfacf)
    return `Mach-O ${{ 16777223: 'x64', 16777228: 'arm64' }[bytes.readUInt32LE(4)]}`
  const pe = bytes.readUInt32LE(0x3c)
  if (bytes.toString('latin1', 0, 2) === 'MZ' && bytes.toString('latin1', pe, pe + 4) === 'PE\0\0')
    return `PE ${{ 34404: 'x64' }[bytes.readUInt16LE(pe + 4)]}`
  return 'not an executable'
}
