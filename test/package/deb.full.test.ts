import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { Spec, Validation } from '@cyclonedx/cyclonedx-library'
import { execa } from 'execa'
import { beforeAll, describe, expect, it } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { installPrograms } from '../ecosystem/install.ts'
import { builtPackages } from './built_packages.ts'
import { freshDebian, pathsIn, startIn } from './fresh_root.ts'

let deb = ''

beforeAll(async () => {
  await installPrograms({ lintian: 'lintian', man: 'man-db' })
  deb = (await builtPackages()).deb
}, 600_000)

/** Packages that `Depends` names, and a package that these require. */
const dependencies = ['libc6', 'libgcc-s1', 'gcc-12-base', 'libstdc++6', 'libatomic1']

/** A Debian without Node, and its dpkg. */
async function debian() {
  const root = await freshDebian(dependencies)
  return {
    root,
    dpkg: (...args: readonly string[]) => execa('dpkg', [`--root=${root}`, ...args], { reject: false }),
    run: (...args: readonly string[]) =>
      startIn(root, ['/usr/bin/payctl', ...args], { HOME: '/root', PATH: '/usr/bin' }),
  }
}

it('has no errors or warnings of lintian', { timeout: 300_000 }, async () => {
  const { exitCode, stdout } = await execa('lintian', ['--no-cfg', '--fail-on', 'error,warning', deb], {
    reject: false,
  })
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '' })
})

describe('installed on a Debian without Node', () => {
  it('pays against the emulator, and is removed completely', async () => {
    const { root, dpkg, run } = await debian()
    const before = pathsIn(root)
    expect(before.filter((path) => /(^|\/)(node|npm)$/.test(path))).toEqual([])

    expect(await dpkg('--install', deb)).toMatchObject({ exitCode: 0 })
    expect(await run('--version')).toMatchObject({ stdout: manifest.version })
    const payment = [
      'payments',
      'send',
      '--from',
      'CRC',
      '--to',
      '87000001',
      '--amount',
      '5',
      '--yes',
      '--wait',
      '--json',
    ]
    const paid = await run('emulate', '--port', '0', '--settle', 'instant', '--', 'payctl', ...payment)
    expect(paid).toMatchObject({ exitCode: 0 })
    expect(JSON.parse(paid.stdout)).toMatchObject({ amount: { value: 500 }, status: 'completed' })

    expect(await dpkg('--purge', 'payctl')).toMatchObject({ exitCode: 0 })
    const own = (paths: readonly string[]) => paths.filter((path) => !/^(root|tmp|var\/lib\/dpkg|dev)(\/|$)/.test(path))
    expect(own(pathsIn(root))).toEqual(own(before))
    expect((await dpkg('--status', 'payctl')).exitCode).toBe(1)
  })

  it('has man pages, completions, licences and a bill of materials', async () => {
    const { root, dpkg } = await debian()
    await dpkg('--install', deb)
    const share = join(root, 'usr/share')
    const man = await execa('man', ['--manpath', join(share, 'man'), '--where', 'payctl-payments'])
    expect(man.stdout).toBe(join(share, 'man/man1/payctl-payments.1.gz'))

    const bash = join(share, 'bash-completion/completions/payctl')
    expect((await execa('bash', ['--norc', '-c', '. "$0"; complete -p payctl', bash])).stdout).toMatch(/ payctl$/)
    expect(readFileSync(join(share, 'zsh/vendor-completions/_payctl'), 'utf8')).toMatch(/^#compdef payctl/)
    expect(existsSync(join(share, 'fish/vendor_completions.d/payctl.fish'))).toBe(true)

    const documents = join(share, 'doc/payctl')
    expect(readFileSync(join(documents, 'copyright'), 'utf8')).toContain(
      'LICENSES.txt.gz has the licences of all parts',
    )
    const licences = gunzipSync(readFileSync(join(documents, 'LICENSES.txt.gz'))).toString()
    expect(licences).toContain('Node.js is licensed for use as follows')
    const bill = readFileSync(join(documents, 'sbom.cdx.json'), 'utf8')
    expect(await new Validation.JsonStrictValidator(Spec.Version.v1dot6).validate(bill)).toBeNull()
    expect(bill).toContain(`pkg:generic/node@${process.versions.node}`)
  })
})
