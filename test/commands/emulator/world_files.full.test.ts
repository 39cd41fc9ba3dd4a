import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { worldFile } from '../../../src/contract/index.ts'
import { startEmulate } from '../../conformance/targets/payctl_emulate.ts'
import { newFolder } from '../../emulator/store/folder.ts'
import { payctlCommand } from '../../support/program.ts'
import { runPayctl } from '../../support/run_payctl.ts'
import { type Reply, startStub, success } from '../../support/stub.ts'

/** The built payctl in separate processes, and an emulator that they control. */
async function start(...flags: string[]) {
  const emulator = await startEmulate(['--settle', 'manual', ...flags])
  onTestFinished(() => emulator.stop())
  const folder = newFolder()
  const { base_url, token } = emulator.ready
  const env = { PAYCTL_BASE_URL: base_url, PAYCTL_TOKEN: token, PAYCTL_STATE_DIR: folder, PAYCTL_CONFIG_DIR: folder }
  const run = (argv: readonly string[], input?: Buffer) => {
    const done = spawnSync(...payctlCommand(argv), { cwd: folder, env, input: input ?? '' })
    return { code: done.status, stdout: done.stdout, stderr: done.stderr.toString() }
  }
  const read = (line: string, input?: Buffer) => {
    const { code, stdout, stderr } = run([...line.split(' '), '--json'], input)
    expect(code, stderr).toBe(0)
    return JSON.parse(stdout.toString())
  }
  return { folder, env, run, read, kill: emulator.kill }
}

const balanceOf = ({ accounts }: { accounts: { balance: number }[] }) => accounts[0]?.balance

describe('payctl emulator export and import', () => {
  it('take a world from one emulator to another', async () => {
    const [here, there] = [await start(), await start()]
    here.read('emulator credit --to 88001234 --amount 5')
    const written = here.run(['emulator', 'export', 'bug.sqlite'])
    const file = join(here.folder, 'bug.sqlite')
    expect(written).toMatchObject({ code: 0, stderr: expect.stringContaining('digests of tokens') })
    expect(written.stdout.toString()).toBe(`file\tsize_bytes\nbug.sqlite\t${statSync(file).size}\n`)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readdirSync(here.folder)).toEqual(['bug.sqlite'])

    const made = there.run(['emulator', 'import', file, '--name', 'bug', '--ttl', '10m', '--json'])
    const world = JSON.parse(made.stdout.toString())
    expect(world).toMatchObject({ name: 'bug', ttl_seconds: 600, made_from: { file: expect.any(String) } })
    expect(balanceOf(world)).toBe(250_000_500)
    expect(made.stderr).toBe(`Next: payctl accounts list --base-url ${world.base_url}\n`)
    there.read('emulator credit --to 88001234 --amount 7 --world bug')
    there.read('emulator reset --world bug')
    expect(balanceOf(there.read('emulator worlds show bug'))).toBe(250_000_500)
    expect(there.run(['emulator', 'worlds', '-o', 'csv']).stdout.toString()).toMatch(/^bug,live,file [0-9a-f]{12},/m)
  })

  it('go through pipes, of one world among others', async () => {
    const { run, read } = await start()
    read('emulator worlds create --name shop')
    read('emulator credit --to 88001234 --amount 5 --world shop')
    const { stdout, stderr, code } = run(['emulator', 'export', '-', '--world', 'shop'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(balanceOf(read('emulator import -', stdout))).toBe(250_000_500)
  })

  it('replace a file with a flag, whole or not at all, and never the target of a link', async () => {
    const { run, folder, kill } = await start()
    const [file, other] = [join(folder, 'a.sqlite'), join(folder, 'other')]
    writeFileSync(other, 'mine')
    symlinkSync(other, file)
    const refused = run(['emulator', 'export', file])
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('is there already') })
    expect(refused.stderr).toContain('  Name another file, or use --force to replace this file.')
    expect(run(['emulator', 'export', file, '--force']).code).toBe(0)
    expect(readFileSync(other, 'utf8')).toBe('mine')
    const before = readFileSync(file)
    expect(before.subarray(0, 15).toString()).toBe('SQLite format 3')
    await kill()
    expect(run(['emulator', 'export', file, '--force', '--retries', '0']).code).toBe(12)
    expect(readFileSync(file).equals(before)).toBe(true)
    expect(readdirSync(folder).sort()).toEqual(['a.sqlite', 'other'])
  })

  it('say what is wrong with a file, and leave it as it is', async () => {
    const { run, folder, env } = await start()
    mkdirSync(join(folder, 'folder'))
    writeFileSync(join(folder, 'text'), 'dear diary')
    writeFileSync(join(folder, 'used.db'), 'x')
    writeFileSync(join(folder, 'used.db-wal'), 'x')
    const refusal = (...argv: string[]) => {
      const { code, stdout, stderr } = run(['emulator', ...argv])
      expect(stdout.toString()).toBe('')
      return { code, stderr }
    }
    expect(refusal('import', 'none')).toMatchObject({ code: 2, stderr: expect.stringContaining('can’t be read') })
    expect(refusal('import', 'folder')).toMatchObject({ code: 2, stderr: expect.stringContaining('can’t be read') })
    expect(refusal('import', 'used.db')).toMatchObject({ code: 2, stderr: expect.stringContaining('in used.db-wal') })
    expect(refusal('import', 'text')).toMatchObject({
      code: 7,
      stderr: expect.stringContaining('The file was not made by payctl emulate.'),
    })
    expect(readFileSync(join(folder, 'text'), 'utf8')).toBe('dear diary')
    expect(refusal('export', join('nowhere', 'a.sqlite')).stderr).toContain('can’t be written')
    expect(refusal('export', 'folder', '--force').stderr).toContain('can’t be written')
    expect(existsSync(join(folder, 'nowhere'))).toBe(false)
    const atTerminal = await runPayctl(['emulator', 'export', '-'], { env, terminal: 80 })
    expect(atTerminal).toMatchObject({ code: 2, stderr: expect.stringContaining('on a terminal') })
  })

  it('write no file of an answer that is none, or that is cut', async () => {
    const file = join(newFolder(), 'a.sqlite')
    const head = { 'Content-Type': worldFile.type, 'Content-Length': '100' }
    const cut: Reply = (response) => {
      response.writeHead(200, head).write('SQLite format 3')
      setImmediate(() => response.destroy())
    }
    for (const answer of [[200, success({})], [200, 'text'], cut] as const) {
      const { url } = await startStub(answer)
      const env = { PAYCTL_BASE_URL: url }
      const { code, stdout } = await runPayctl(['emulator', 'export', file, '--retries', '0'], { env })
      expect({ stdout, failed: code !== 0, written: existsSync(file) }).toEqual({
        stdout: '',
        failed: true,
        written: false,
      })
    }
  })

  it('show no byte of the file in a trace', async () => {
    const { run } = await start()
    expect(run(['emulator', 'export', 'a.sqlite', '-v']).stderr).toMatch(/^< \(\d+ bytes\)$/m)
    expect(run(['emulator', 'import', 'a.sqlite', '-v']).stderr).toMatch(/^> \(\d+ bytes\)$/m)
  })
})
