import { execFileSync, spawnSync } from 'node:child_process'
import { appendFileSync, copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  compareDigests,
  requireExecutables,
  requireReleasable,
  sign,
  verify,
} from '../../.build/package/release_steps.ts'
import { blocksOf } from '../docs/guide_blocks.ts'
import { temporaryDirectory } from '../support/run_payctl.ts'
import { builtPackages } from './built_packages.ts'
import { releaseKey } from './release_key.ts'

describe('a release', () => {
  /** A repository with a commit. */
  async function repository() {
    const root = await temporaryDirectory()
    const write = (name: string, text: string) => writeFileSync(join(root, name), text)
    const git = (...args: readonly string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], { cwd: root })
    const commit = () => {
      git('add', '.')
      git('commit', '--quiet', '--message', 'change')
    }
    write('package.json', '{ "version": "1.2.0" }')
    write('CHANGELOG.md', '# Changelog\n\n## [1.2.0]\n\n- New.\n\n## [1.1.0]\n\n- Old.\n')
    git('init', '--quiet')
    commit()
    return { root, write, commit }
  }

  it.each([
    ['no options', [], 'Usage: npm run release -- --key <file>'],
    ['an unknown option', ['--sign'], "Unknown option '--sign'"],
    [
      'a list that does not exist',
      ['--key', 'package.json', '--signers', 'package.json', '--expect', '/nowhere/SHA256SUMS'],
      '/nowhere/SHA256SUMS does not exist.',
    ],
  ])('refuses %s before it makes anything', (_, args, message) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, ['.build/package/release.ts', ...args], {
      encoding: 'utf8',
    })
    expect({ status, stdout, stderr }).toEqual({ status: 1, stdout: '', stderr: expect.stringContaining(message) })
    expect(stderr).not.toMatch(/^ +at /m)
  })

  it('refuses files of the folder that it deletes: its own list would pass for the list of CI', async () => {
    const [folder, other] = [await temporaryDirectory(), await temporaryDirectory()]
    const list = join(folder, 'SHA256SUMS')
    writeFileSync(list, '')
    const args = ['--key', 'package.json', '--signers', 'package.json', '--expect', list, '--folder', folder]
    const { status, stderr } = spawnSync(process.execPath, ['.build/package/release.ts', ...args], { encoding: 'utf8' })
    expect(stderr).toBe(`${list} is in ${folder}, whose old content is deleted. Move the file elsewhere.\n`)
    expect([status, readdirSync(folder)]).toEqual([1, ['SHA256SUMS']])

    copyFileSync(list, join(other, 'thesis.txt'))
    const elsewhere = [...args.slice(0, -1), other]
    const refused = spawnSync(process.execPath, ['.build/package/release.ts', ...elsewhere], { encoding: 'utf8' })
    expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining('contains thesis.txt')])
  })

  it('is made of a commit whose version has changes in the changelog', async () => {
    const { root } = await repository()
    expect(() => requireReleasable(root)).not.toThrow()
  })

  it('refuses a checkout with changed and new files', async () => {
    const { root, write } = await repository()
    write('package.json', '{ "version": "1.2.0", "private": true }')
    write('new.txt', '')
    expect(() => requireReleasable(root)).toThrow('The checkout differs from its commit:\n M package.json\n?? new.txt')
  })

  it.each([
    ['does not have the version', '# Changelog\n\n## [1.1.0]\n\n- Old.\n'],
    ['has no changes for the version', '# Changelog\n\n## [1.2.0]\n\n## [1.1.0]\n\n- Old.\n'],
  ])('refuses a changelog that %s', async (_, changelog) => {
    const { root, write, commit } = await repository()
    write('CHANGELOG.md', changelog)
    commit()
    expect(() => requireReleasable(root)).toThrow('CHANGELOG.md has no changes for version 1.2.0.')
  })
})

describe('the packages of a release', () => {
  let built = ''
  beforeAll(async () => {
    built = (await builtPackages()).folder
  }, 900_000)

  /** Copies of the packages, and of their list of digests, which the tests use as CI's list. */
  async function packages() {
    const folder = await temporaryDirectory()
    for (const name of readdirSync(built)) copyFileSync(join(built, name), join(folder, name))
    const expected = join(await temporaryDirectory(), 'ci')
    copyFileSync(join(built, 'SHA256SUMS'), expected)
    return {
      folder,
      expected,
      list: join(folder, 'SHA256SUMS'),
      deb: readdirSync(built).find((name) => name.endsWith('.deb')) ?? '',
    }
  }

  it('are equal to those of CI', async () => {
    const { folder, expected } = await packages()
    expect(() => compareDigests(folder, expected)).not.toThrow()
    expect(() => requireExecutables(folder, ['linux-x64'])).not.toThrow()
  })

  it('stop the release if a byte has changed', async () => {
    const { folder, expected, deb } = await packages()
    appendFileSync(join(folder, deb), '\0')
    expect(() => compareDigests(folder, expected)).toThrow(`${deb} has changed since it was made`)
  })

  it('stop the release if CI has made other bytes, or not the same files', async () => {
    const { folder, expected, deb } = await packages()
    const lines = readFileSync(expected, 'utf8').trimEnd().split('\n')
    const others = lines.filter((line) => !line.endsWith('.tar.xz'))
    const changed = others.map((line) => (line.endsWith(deb) ? `${'0'.repeat(64)}  ${deb}` : line))
    writeFileSync(expected, [...changed, `${'0'.repeat(64)}  payctl.rpm`, ''].join('\n'))
    for (const problem of [
      `${deb} differs from the file in ${expected}`,
      'payctl.rpm was not made here',
      `.tar.xz is not in ${expected}`,
    ])
      expect(() => compareDigests(folder, expected)).toThrow(problem)
  })

  it('are signed by an allowed signer, and every user can verify it', async () => {
    const { folder, list } = await packages()
    const { key, signers } = releaseKey(await temporaryDirectory(), 'key')
    sign(folder, key, signers)
    expect(() => verify(folder, signers)).not.toThrow()
    copyFileSync(signers, join(folder, 'allowed_signers'))
    for (const { text } of blocksOf('installing.md', 'Verify a download'))
      execFileSync('sh', ['-ec', text], { cwd: folder })
    appendFileSync(list, `${'0'.repeat(64)}  payctl.rpm\n`)
    expect(() => verify(folder, signers)).toThrow(/does not allow the signature/)
  })

  it('are not released with the signature of somebody else', async () => {
    const { folder, list } = await packages()
    const keys = await temporaryDirectory()
    const { key } = releaseKey(keys, 'other')
    const { signers } = releaseKey(keys, 'key')
    expect(() => sign(folder, key, signers)).toThrow(/does not allow the signature/)
    expect(existsSync(`${list}.sig`)).toBe(false)
  })
})
