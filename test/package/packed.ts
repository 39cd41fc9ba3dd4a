import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }

const root = fileURLToPath(new URL('../..', import.meta.url))

/** A project that has installed nothing but the packed payctl: no source, no development dependency in reach. */
export interface Consumer {
  readonly folder: string
  readonly payctl: string
  /** Paths inside the tarball. */
  readonly contents: readonly string[]
}

/**
 * Packs dist/ as it is: building it anew would take it away under other tests. `more` names packages that the project has
 * besides.
 */
export function packed(...more: readonly string[]): Consumer {
  const folder = mkdtempSync(join(tmpdir(), 'payctl-packed-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  const output = execFileSync('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', folder], {
    cwd: root,
    encoding: 'utf8',
  })
  const [{ filename, files }] = JSON.parse(output) as [{ filename: string; files: { path: string }[] }]
  const payctl = join(folder, 'node_modules/payctl')
  mkdirSync(payctl, { recursive: true })
  execFileSync('tar', ['-xzf', join(folder, filename), '--strip-components=1', '-C', payctl])
  for (const dependency of [...Object.keys(manifest.dependencies), ...more]) {
    const link = join(folder, 'node_modules', dependency)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(join(root, 'node_modules', dependency), link)
  }
  return { folder, payctl, contents: files.map(({ path }) => path) }
}
