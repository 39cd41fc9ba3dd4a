import { execFileSync } from 'node:child_process'
import { realpathSync } from 'node:fs'

/** A shared library that payctl needs, from a package of the Debian that makes the image. */
export interface Library {
  /** Absolute path at which the dynamic linker looks for it. */
  readonly path: string
  /** Name of the Debian package. */
  readonly package: string
  readonly version: string
}

const run = (program: string, ...args: readonly string[]): string => execFileSync(program, args, { encoding: 'utf8' })

/** Libraries that the dynamic linker loads with binaries for this machine, and the linker itself, sorted by path. */
export function librariesOf(...binaries: readonly string[]): readonly Library[] {
  const lines = binaries.map((binary) => run('ldd', binary)).join('')
  const paths = new Set([...lines.matchAll(/(?:=> |^\s*)(\/\S+) \(0x/gm)].map(([, path = '']) => path))
  return [...paths].toSorted().map((path) => ({ path, ...packageOf(path) }))
}

function packageOf(path: string): { readonly package: string; readonly version: string } {
  // Packages may have the file in /lib or in /usr/lib: the two are one folder.
  const real = realpathSync(path).replace(/^\/usr/, '')
  // Other packages may have a file whose path ends the same, such as libraries for another processor.
  const found = run('dpkg-query', '--search', `*${real}`)
    .split('\n')
    .map((line) => line.split(': '))
  const [owner = ''] = found.find(([, file]) => file === real || file === `/usr${real}`) ?? []
  const status = run('dpkg-query', '--status', owner)
  const field = (name: string): string => new RegExp(`^${name}: (.+)$`, 'm').exec(status)?.[1] ?? ''
  return { package: field('Package'), version: field('Version') }
}
