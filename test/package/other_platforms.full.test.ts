import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { expect, it, onTestFinished, vi } from 'vitest'
import { problemsOf } from '../../.build/package/executables.ts'
import { nodeFor } from '../../.build/package/npm_packages.ts'
import { executableName } from '../../.build/package/packages.ts'
import type { PlatformName } from '../../.build/package/platforms.ts'
import manifest from '../../package.json' with { type: 'json' }
import { installPrograms } from '../ecosystem/install.ts'
import { temporaryDirectory } from '../support/run_payctl.ts'
import { readWindowsExecutable } from './windows_executable.ts'

// The files for other platforms, as far as this machine can check them.

vi.setConfig({ testTimeout: 300_000 }) // packs 150 MB for each platform

/** Writes the single file for a platform, in a separate process, because the work takes seconds. */
async function fileFor(platform: PlatformName): Promise<string> {
  const folder = await temporaryDirectory()
  await execa(process.execPath, [
    '.build/package/package.ts',
    '--file-only',
    '--folder',
    join(folder, 'packages'),
    platform,
  ])
  return join(folder, 'packages', executableName(platform))
}

it('the file for Windows keeps the icon, version and manifest of Node, and has no signature', async () => {
  const file = await fileFor('win-x64')
  expect(problemsOf('win-x64', file)).toEqual([])
  const node = readWindowsExecutable(join(nodeFor('win-x64'), 'bin/node.exe'))
  const { isSigned, resources } = readWindowsExecutable(file)
  expect([node.isSigned, isSigned]).toEqual([true, false])
  const { '/10/NODE_SEA_BLOB/0': payctl, ...others } = resources
  expect(payctl).toBeDefined()
  expect(others).toEqual(node.resources)
})

it.each(['darwin-arm64', 'darwin-x64'] as const)(
  'the file for %s has no signature, so the Mac can sign it',
  async (platform) => {
    const file = await fileFor(platform)
    expect(problemsOf(platform, file)).toEqual([])
    expect(loadCommandsOf(join(nodeFor(platform), 'bin/node'))).toContain(codeSignature)
    expect(loadCommandsOf(file)).not.toContain(codeSignature)
  },
)

it('the file for Linux arm64 pays against the emulator, on an emulated processor', async () => {
  await installPrograms({
    'qemu-aarch64-static': 'qemu-user-static',
    '../aarch64-linux-gnu/lib/libstdc++.so.6': 'libstdc++6-arm64-cross',
    '../aarch64-linux-gnu/lib/libatomic.so.1': 'libatomic1-arm64-cross',
  })
  const file = await fileFor('linux-arm64')
  expect(problemsOf('linux-arm64', file)).toEqual([])
  const home = await temporaryDirectory()
  const start = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    execa('qemu-aarch64-static', ['-L', '/usr/aarch64-linux-gnu', file, ...args], {
      env: { HOME: home, ...env },
      extendEnv: false,
      reject: false,
    })
  expect(await start(['--version'])).toMatchObject({ stdout: manifest.version })
  const emulator = start(['emulate', '--port', '0', '--settle', 'instant', '--json'])
  onTestFinished(() => void emulator.kill())
  const { value: ready } = await emulator.iterable().next()
  const { base_url, token } = JSON.parse(String(ready)) as Record<string, string>
  const env = { PAYCTL_BASE_URL: base_url ?? '', PAYCTL_TOKEN: token ?? '' }
  const paid = await start('payments send --from CRC --to 87000001 --amount 5 --yes --wait --json'.split(' '), env)
  expect(paid).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('completed') })
})

it('a check of a file finds the wrong platform and missing content', async () => {
  const node = join(nodeFor('win-x64'), 'bin/node.exe')
  expect(problemsOf('linux-x64', node)).toEqual([`${node} is PE x64, not ELF x64`])
  expect(problemsOf('win-x64', node)).toEqual([`${node} has no payctl inside`])
  const text = join(await temporaryDirectory(), 'text')
  writeFileSync(text, 'a text that is longer than the header of an executable, which has 64 bytes\n')
  expect(problemsOf('darwin-x64', text)).toEqual([`${text} is not an executable, not Mach-O x64`])
})

/** LC_CODE_SIGNATURE of Mach-O. */
const codeSignature = 0x1d

/** Types of the load commands in a Mach-O executable. */
function loadCommandsOf(file: string): readonly number[] {
  const bytes = readFileSync(file)
  const types: number[] = []
  for (let at = 32, left = bytes.readUInt32LE(16); left > 0; left -= 1) {
    types.push(bytes.readUInt32LE(at))
    at += bytes.readUInt32LE(at + 4)
  }
  return types
}
