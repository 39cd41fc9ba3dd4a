import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }

const root = fileURLToPath(new URL('../..', import.meta.url))

/** A project that has installed only the packed payctl: no source and no development dependency in reach. */
interface Consumer {
  readonly folder: string
  readonly payctl: string
  /** Paths inside the tarball. */
  readonly contents: readonly string[]
}

/** A project that has installed payctl and the packages of this checkout that `more` names. */
export function packed(...more: readonly string[]): Consumer {
  const folder = mkdtempSync(join(tmpdir(), 'payctl-packed-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  return installPacked(folder, more)
}

/** Packs the present dist/: a build would remove it while other tests need it. */
export function installPacked(folder: string, more: readonly string[] = []): Consumer {
  const packing = mkdtempSync(join(tmpdir(), 'payctl-packing-'))
  const output = execFileSync('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', packing], {
    cwd: root,
    encoding: 'utf8',
  })
  const [{ filename, files }] = JSON.parse(output) as [{ filename: string; files: { path: string }[] }]
  const payctl = join(folder, 'node_modules/payctl')
  rmSync(payctl, { recursive: true, force: true })
  mkdirSync(payctl, { recursive: true })
  execFileSync('tar', ['-xzf', join(packing, filename), '--strip-components=1', '-C', payctl])
  rmSync(packing, { recursive: true })
  for (const dependency of [...Object.keys(manifest.dependencies), ...more]) {
    const link = join(folder, 'node_modules', dependency)
    mkdirSync(dirname(link), { recursive: true })
    rmSync(link, { force: true })
    symlinkSync(join(root, 'node_modules', dependency), link)
  }
  return { folder, payctl, contents: files.map(({ path }) => path) }
}
