import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { digestOf } from './digests.ts'
import { problemsOf } from './executables.ts'
import { executableName } from './packages.ts'
import type { PlatformName } from './platforms.ts'

/** Stops a release. The message says what the maintainer must correct. */
export class ReleaseError extends Error {}

/** Namespace of signatures. A signature made for another purpose, such as signing a commit, is not valid here. */
const namespace = 'payctl-release'

/** Name of the signer in the list of allowed signers. */
const signer = 'payctl'

/** Throws ReleaseError unless the checkout equals its commit, and the changelog has an entry for the version. */
export function requireReleasable(root: string): void {
  const changed = execFileSync('git', ['status', '--porcelain'], { cwd: root, encoding: 'utf8' })
  if (changed !== '') throw new ReleaseError(`The checkout differs from its commit:\n${changed.trimEnd()}`)
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const [, entry] = readFileSync(join(root, 'CHANGELOG.md'), 'utf8').split(`\n## [${version}]`)
  const [text = ''] = (entry ?? '').split('\n## ')
  if (!/^- /m.test(text)) throw new ReleaseError(`CHANGELOG.md has no changes for version ${version}.`)
}

/** Throws ReleaseError unless each executable is for its platform and contains payctl. */
export function requireExecutables(folder: string, names: readonly PlatformName[]): void {
  const problems = names.flatMap((name) => problemsOf(name, join(folder, executableName(name))))
  if (problems.length > 0) throw new ReleaseError(problems.join('\n'))
}

/** Digests by file name, from a list in the form of sha256sum. */
function readDigests(file: string): ReadonlyMap<string, string> {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
  return new Map(
    lines.map((line) => {
      const [, digest = '', name = ''] = /^([0-9a-f]{64}) [ *]([^/]+)$/.exec(line) ?? []
      if (name === '') throw new ReleaseError(`${file} is not a list of digests: ${line}`)
      return [name, digest]
    }),
  )
}

/**
 * Throws ReleaseError unless the packages in `folder` match both the list of digests in `folder` and the list
 * `expected`.
 */
export function compareDigests(folder: string, expected: string): void {
  const listed = readDigests(join(folder, 'SHA256SUMS'))
  const others = readDigests(expected)
  const problems = [...new Set([...listed.keys(), ...others.keys()])].toSorted().flatMap((name) => {
    const digest = listed.get(name)
    if (digest === undefined) return [`${name} was not made here`]
    if (!existsSync(join(folder, name))) return [`${name} is missing here`]
    if (digest !== digestOf(join(folder, name))) return [`${name} has changed since it was made`]
    if (!others.has(name)) return [`${name} is not in ${expected}`]
    return digest === others.get(name) ? [] : [`${name} differs from the file in ${expected}`]
  })
  if (problems.length > 0) throw new ReleaseError(`The packages are not those of CI:\n${problems.join('\n')}`)
}

/** Signs `SHA256SUMS` in a folder. Throws ReleaseError if users who trust `signers` would refuse the signature. */
export function sign(folder: string, key: string, signers: string): void {
  const list = join(folder, 'SHA256SUMS')
  rmSync(`${list}.sig`, { force: true })
  sshKeygen(['sign', '-q', '-f', key, '-n', namespace, list], `${key} can't sign`)
  try {
    verify(folder, signers)
  } catch (error) {
    rmSync(`${list}.sig`)
    throw error
  }
}

/** Throws ReleaseError unless one of the allowed signers has signed the list of digests in the folder. */
export function verify(folder: string, signers: string): void {
  const list = join(folder, 'SHA256SUMS')
  const args = ['verify', '-f', signers, '-I', signer, '-n', namespace, '-s', `${list}.sig`]
  sshKeygen(args, `${signers} does not allow the signature of ${list}`, readFileSync(list))
}

function sshKeygen(args: readonly string[], failure: string, input?: Buffer): void {
  const { status, stdout, stderr } = spawnSync('ssh-keygen', ['-Y', ...args], { input, encoding: 'utf8' })
  if (status !== 0) throw new ReleaseError(`${failure}: ${`${stdout}${stderr}`.trim()}`)
}
