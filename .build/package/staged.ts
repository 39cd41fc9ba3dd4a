import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import sbom from '../../dist/sbom.cdx.json' with { type: 'json' }
import { nodeLicence } from './node.ts'

/**
 * Time of all files in packages, in seconds since 1970: the time of the last commit, so that equal sources give equal
 * bytes.
 */
export const packageTime = Number(
  process.env.SOURCE_DATE_EPOCH ?? execFileSync('git', ['log', '-1', '--format=%ct'], { encoding: 'utf8' }),
)

/** Places of the completions below share/, by shell. */
const completions = {
  bash: 'bash-completion/completions/payctl',
  zsh: 'zsh/site-functions/_payctl',
  fish: 'fish/vendor_completions.d/payctl.fish',
}

/**
 * Fills a prefix such as ~/.local with the executable, the man pages, the completions, the licences and the bill of
 * materials.
 */
export function stage(executable: string, prefix: string): void {
  const put = (path: string): string => {
    const whole = join(prefix, path)
    mkdirSync(dirname(whole), { recursive: true })
    return whole
  }
  copyFileSync(executable, put(executable.endsWith('.exe') ? 'bin/payctl.exe' : 'bin/payctl'))
  cpSync('dist/man', put('share/man/man1'), { recursive: true, filter: (path) => path !== join('dist/man', 'es') })
  cpSync('dist/man/es', put('share/man/es'), { recursive: true })
  for (const [shell, path] of Object.entries(completions))
    writeFileSync(put(`share/${path}`), execFileSync(process.execPath, ['bin/payctl.js', 'completion', shell]))
  copyFileSync('CHANGELOG.md', put('share/doc/payctl/CHANGELOG.md'))
  writeFileSync(put('share/doc/payctl/LICENSES.txt'), licences())
  writeFileSync(put('share/doc/payctl/sbom.cdx.json'), `${JSON.stringify(withNode(), null, 2)}\n`)
}

/** Licences of all parts: payctl, the packages bundled with it, better-sqlite3, and Node with its own parts. */
function licences(): string {
  const parts = {
    payctl: readFileSync('LICENSE', 'utf8'),
    'packages bundled with payctl': readFileSync('dist/THIRD-PARTY-NOTICES.txt', 'utf8'),
    'better-sqlite3 (contains SQLite, which is in the public domain)': readFileSync(
      'node_modules/better-sqlite3/LICENSE',
      'utf8',
    ),
    [`Node ${process.version}`]: nodeLicence(),
  }
  const line = '='.repeat(80)
  return Object.entries(parts)
    .map(([name, text]) => `${line}\n${name}\n${line}\n\n${text.trim()}\n`)
    .join('\n')
}

/** The bill of materials of payctl's package, with Node and the libraries in Node. */
function withNode(): object {
  const { node, ...libraries } = process.versions
  const ref = `pkg:generic/node@${node}`
  const component = {
    type: 'application',
    'bom-ref': ref,
    name: 'node',
    version: node,
    licenses: [{ license: { id: 'MIT' } }],
    purl: ref,
    cpe: `cpe:2.3:a:nodejs:node.js:${node}:*:*:*:*:*:*:*`,
    components: Object.entries(libraries).map(([name, version]) => ({
      type: 'library',
      'bom-ref': `${ref}#${name}`,
      name,
      version,
    })),
  }
  const dependencies = sbom.dependencies.map((each, index) =>
    index === 0 ? { ...each, dependsOn: [...each.dependsOn, ref] } : each,
  )
  return {
    ...sbom,
    components: [...sbom.components, component],
    dependencies: [...dependencies, { ref, dependsOn: [] }],
  }
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

/** A tar archive of entries in a folder, in the same order and with the same owners everywhere. */
export function tar(folder: string, entries: readonly string[], file: string): void {
  const same = ['--sort=name', '--format=ustar', '--owner=0', '--group=0', '--numeric-owner']
  execFileSync('tar', ['-C', folder, ...same, `--mtime=@${packageTime}`, '-cf', file, ...entries])
}
