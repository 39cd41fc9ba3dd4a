import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { expect, it } from 'vitest'
import { digestOf } from '../../.build/package/digests.ts'
import { temporaryDirectory } from '../support/run_payctl.ts'

/** An unpacked tarball with a small executable. */
async function unpacked() {
  const folder = await temporaryDirectory()
  const home = await temporaryDirectory()
  const put = (path: string, content: string, mode = 0o644) => {
    mkdirSync(join(folder, path, '..'), { recursive: true })
    writeFileSync(join(folder, path), content, { mode })
  }
  put('bin/payctl', '#!/bin/sh\necho 1.2.3\n', 0o755)
  put('share/man/man1/payctl.1', '.TH payctl 1\n')
  copyFileSync('.build/package/install.sh', join(folder, 'install.sh'))
  const paths = ['bin/payctl', 'share/man/man1/payctl.1']
  put('SHA256SUMS', paths.map((path) => `${digestOf(join(folder, path))}  ${path}\n`).join(''))
  const run = (...args: readonly string[]) =>
    execa('sh', [join(folder, 'install.sh'), ...args], {
      cwd: home,
      env: { PATH: process.env.PATH ?? '', HOME: home },
      extendEnv: false,
      reject: false,
    })
  return { put, run, installed: () => readdirSync(home, { recursive: true, encoding: 'utf8' }).sort(), home }
}

it('installs all files into ~/.local, and removes them again', async () => {
  const { run, installed, home } = await unpacked()
  const { exitCode, stdout } = await run()
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: expect.stringContaining('Installed payctl 1.2.3') })
  expect(stdout).toContain(`export PATH="${home}/.local/bin:$PATH"`)
  expect(installed()).toEqual(expect.arrayContaining(['.local/bin/payctl', '.local/share/man/man1/payctl.1']))
  expect((await run('--remove')).exitCode).toBe(0)
  expect(installed().filter((path) => /payctl(\.1)?$/.test(path))).toEqual([])
})

it('changes nothing if a file differs from its digest', async () => {
  const { put, run, installed } = await unpacked()
  put('bin/payctl', '#!/bin/sh\necho other\n', 0o755)
  const { exitCode, stderr } = await run()
  expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: expect.stringContaining('Nothing was changed.') })
  expect(installed()).toEqual([])
})

it('installs into a folder named from the current folder', async () => {
  const { run, installed } = await unpacked()
  expect((await run('my tools')).stdout).toMatch(/^Installed payctl 1\.2\.3 in \/.+\/my tools$/m)
  expect(installed()).toEqual(expect.arrayContaining(['my tools/bin/payctl', 'my tools/share/man/man1/payctl.1']))
  expect((await run('--remove', 'my tools')).exitCode).toBe(0)
  expect(installed().filter((path) => /payctl(\.1)?$/.test(path))).toEqual([])
})

it.each([[['--help']], [['--remove', '--purge']], [['one', 'two']]])(
  'prints its usage for %j, and changes nothing',
  async (args) => {
    const { run, installed } = await unpacked()
    const { exitCode, stderr } = await run(...args)
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringMatching(/^Usage: sh install\.sh/) })
    expect(installed()).toEqual([])
  },
)
