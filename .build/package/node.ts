import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { nodeVersion, type PlatformName, platforms } from './platforms.ts'

const cache = 'node_modules/.cache/payctl-node'

/** Folder of Node for a platform: its executable and its licence. Downloads the package from npm's registry once. */
export function nodeFor(name: PlatformName): string {
  const { node, integrity } = platforms[name]
  const folder = join(cache, `${node}-${nodeVersion}`)
  if (existsSync(folder)) return folder
  mkdirSync(cache, { recursive: true })
  const draft = mkdtempSync(join(cache, 'draft-'))
  try {
    execFileSync('npm', ['pack', '--silent', '--pack-destination', draft, `${node}@${nodeVersion}`])
    const archive = join(draft, `${node}-${nodeVersion}.tgz`)
    const found = `sha512-${createHash('sha512').update(readFileSync(archive)).digest('base64')}`
    if (found !== integrity) throw new Error(`${node} ${nodeVersion} has the digest ${found}, not ${integrity}.`)
    execFileSync('tar', ['-xzf', archive, '-C', draft, '--no-same-owner'])
    renameSync(join(draft, 'package'), folder)
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
  return folder
}

/** Node's licence, which the package for Windows lacks. */
export const nodeLicence = (): string => readFileSync(join(nodeFor('linux-x64'), 'LICENSE'), 'utf8')
