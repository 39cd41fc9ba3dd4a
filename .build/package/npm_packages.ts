import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import lock from '../../package-lock.json' with { type: 'json' }
import { nodeVersion, type PlatformName, platforms } from './platforms.ts'

const cache = 'node_modules/.cache/payctl-npm'

/** Folder of Node for a platform: its executable and its licence. */
export const nodeFor = (name: PlatformName): string =>
  downloaded(platforms[name].node, nodeVersion, platforms[name].integrity)

/** Node's licence, from the package for Linux: the package for Windows does not contain it. */
export const nodeLicence = (): string => readFileSync(join(nodeFor('linux-x64'), 'LICENSE'), 'utf8')

/**
 * Folder of the keyring's binary for a platform. The lock file contains the digest of the binary's package, which is an
 * optional dependency.
 */
export function keyringFor(name: PlatformName): string {
  const { version, integrity } = lock.packages[`node_modules/${platforms[name].keyring}`]
  return downloaded(platforms[name].keyring, version, integrity)
}

/** Downloads a package from the npm registry, and reuses an earlier download. */
function downloaded(name: string, version: string, integrity: string): string {
  const archive = `${name.replace('@', '').replace('/', '-')}-${version}`
  const folder = join(cache, archive)
  if (existsSync(folder)) return folder
  mkdirSync(cache, { recursive: true })
  const draft = mkdtempSync(join(cache, 'draft-'))
  try {
    execFileSync('npm', ['pack', '--silent', '--pack-destination', draft, `${name}@${version}`])
    const file = join(draft, `${archive}.tgz`)
    const found = `sha512-${createHash('sha512').update(readFileSync(file)).digest('base64')}`
    if (found !== integrity) throw new Error(`${name} ${version} has the digest ${found}, not ${integrity}.`)
    execFileSync('tar', ['-xzf', file, '-C', draft, '--no-same-owner'])
    renameSync(join(draft, 'package'), folder)
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
  return folder
}
