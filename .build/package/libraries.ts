import { execFileSync } from 'node:child_process'
import { realpathSync } from 'node:fs'

/** A shared library that payctl needs, from a package of the Debian system that builds the image. */
export interface Library {
  /** Absolute path at which the dynamic linker looks for the library. */
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
  // Packages may list the file under /lib or under /usr/lib, which are the same folder.
  const real = realpathSync(path).replace(/^\/usr/, '')
  // Paths in other packages may have the same ending, for example those of libraries for another processor.
  const found = run('dpkg-query', '--search', `*${real}`)
    .split('\n')
    .map((line) => line.split(': '))
  const [owner = ''] = found.find(([, file]) => file === real || file === `/usr${real}`) ?? []
  const status = run('dpkg-query', '--status', owner)
  const field = (name: string): string => new RegExp(`^${name}: (.+)$`, 'm').exec(status)?.[1] ?? ''
  return { package: field('Package'), version: field('Version') }
}
