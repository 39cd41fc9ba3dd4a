import { execFileSync } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { basename } from 'node:path'

/** A shared library that an executable needs, from a package of the Debian that makes the image. */
export interface Library {
  /** Absolute path at which the dynamic linker looks for it. */
  readonly path: string
  /** Name of the Debian package. */
  readonly package: string
  readonly version: string
}

const run = (program: string, ...args: readonly string[]): string => execFileSync(program, args, { encoding: 'utf8' })

/** Libraries that the dynamic linker loads with an executable for this machine, and the linker itself, sorted by path. */
export function librariesOf(executable: string): readonly Library[] {
  const paths = [...run('ldd', executable).matchAll(/(?:=> |^\s*)(\/\S+) \(0x/gm)].map(([, path = '']) => path)
  return paths.toSorted().map((path) => ({ path, ...packageOf(path) }))
}

function packageOf(path: string): { readonly package: string; readonly version: string } {
  // Packages may have the file in /lib or in /usr/lib: the two are one folder.
  const [owner = ''] = run('dpkg-query', '--search', `*/${basename(realpathSync(path))}`).split(': ')
  const status = run('dpkg-query', '--status', owner)
  const field = (name: string): string => new RegExp(`^${name}: (.+)$`, 'm').exec(status)?.[1] ?? ''
  return { package: field('Package'), version: field('Version') }
}
