import { execFileSync } from 'node:child_process'
import { chmodSync, copyFileSync, cpSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { billOfMaterials, licences } from './bill.ts'
import type { PlatformName } from './platforms.ts'

/**
 * Time of all files in packages, in seconds since 1970: SOURCE_DATE_EPOCH, or else the time of the last commit, so that
 * equal sources give equal bytes.
 */
export const packageTime = Number(
  process.env.SOURCE_DATE_EPOCH ?? execFileSync('git', ['log', '-1', '--format=%ct'], { encoding: 'utf8' }),
)

/** Paths of the completions below share/, by shell. */
const completions = (zshFolder: string) => ({
  bash: 'bash-completion/completions/payctl',
  zsh: `zsh/${zshFolder}/_payctl`,
  fish: 'fish/vendor_completions.d/payctl.fish',
})

/**
 * Fills a prefix such as ~/.local with the executable, the man pages, the completions, the licences and the bill of
 * materials. `zshFolder`: folder of zsh's completions; Debian has a separate folder for completions that packages
 * install.
 */
export function stage(platform: PlatformName, executable: string, prefix: string, zshFolder = 'site-functions'): void {
  const put = (path: string): string => {
    const whole = join(prefix, path)
    mkdirSync(dirname(whole), { recursive: true })
    return whole
  }
  copyFileSync(executable, put(executable.endsWith('.exe') ? 'bin/payctl.exe' : 'bin/payctl'))
  cpSync('dist/man', put('share/man/man1'), { recursive: true, filter: (path) => path !== join('dist/man', 'es') })
  cpSync('dist/man/es', put('share/man/es'), { recursive: true })
  for (const [shell, path] of Object.entries(completions(zshFolder)))
    writeFileSync(put(`share/${path}`), execFileSync(process.execPath, ['bin/payctl.js', 'completion', shell]))
  copyFileSync('CHANGELOG.md', put('share/doc/payctl/CHANGELOG.md'))
  writeFileSync(put('share/doc/payctl/LICENSES.txt'), licences(platform))
  writeFileSync(put('share/doc/payctl/sbom.cdx.json'), `${JSON.stringify(billOfMaterials(platform), null, 2)}\n`)
}

/** Gives all files of a folder the modes and the time that they have in packages. */
export function settle(folder: string): void {
  chmodSync(folder, 0o755)
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
  for (const entry of paths) {
    if (entry.isSymbolicLink()) continue
    const path = join(entry.parentPath, entry.name)
    const isProgram = entry.isDirectory() || /(^|\/)(bin\/payctl|install\.sh|[^/]+\.so[.\d]*)$/.test(path)
    chmodSync(path, isProgram ? 0o755 : 0o644)
  }
  for (const entry of paths.toReversed()) {
    if (!entry.isSymbolicLink()) utimesSync(join(entry.parentPath, entry.name), packageTime, packageTime)
  }
  utimesSync(folder, packageTime, packageTime)
}

const reproducible = ['--sort=name', '--format=ustar', '--numeric-owner', `--mtime=@${packageTime}`]

/** Writes a tar archive of entries in a folder; order and owners are the same on every machine. */
export function tar(folder: string, entries: readonly string[], file: string): void {
  execFileSync('tar', ['-C', folder, ...reproducible, '--owner=0', '--group=0', '-cf', file, ...entries])
}

/** Adds entries to an archive as files of `user`, who is not root. */
export function appendOwned(folder: string, entries: readonly string[], file: string, user: number): void {
  execFileSync('tar', ['-C', folder, ...reproducible, `--owner=${user}`, `--group=${user}`, '-rf', file, ...entries])
}
