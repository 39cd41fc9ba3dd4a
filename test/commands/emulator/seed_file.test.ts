import { execFile } from 'node:child_process'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startEmulator } from '../../../emulator/index.ts'
import { payctlCommand } from '../../support/program.ts'
import { runPayctl, temporaryDirectory } from '../../support/run_payctl.ts'

async function fileWith(text: string) {
  const file = join(await temporaryDirectory(), 'world.yaml')
  writeFileSync(file, text)
  return file
}

/** The example of the guide, unchanged. */
const guide = readFileSync(new URL('../../../docs/guide/seeds.md', import.meta.url), 'utf8')
const [, example = ''] = /```yaml\n(# yaml-language-server[\s\S]*?)```/.exec(guide) ?? []

describe('payctl emulate --seed-file', () => {
  it('starts with what the example of the guide says', async () => {
    const state = await temporaryDirectory()
    const script = 'curl -s -H "Authorization: Bearer leo-token" $PAYCTL_BASE_URL/api/payments/history'
    const { stdout } = await promisify(execFile)(
      ...payctlCommand(['emulate', '--seed-file', await fileWith(example), '--', 'sh', '-c', script]),
      { env: { PATH: process.env.PATH ?? '', PAYCTL_STATE_DIR: state } },
    )
    expect(JSON.parse(stdout).data.data).toMatchObject([{ transfer_type: 'credit', payer: { name: 'Ana Vargas' } }])
  })

  it('says all that is wrong with a file, with line and column, and starts nothing', async () => {
    const file = await fileWith('users:\n  - name: Ana\naccounts:\n  - balance: 1500.25\n  - user: leo\n')
    const command = payctlCommand(['emulate', '--port', '0', '--seed-file', file])
    const run = promisify(execFile)(...command, { env: { PAYCTL_STATE_DIR: await temporaryDirectory() } })
    const { code, stdout, stderr } = await run.catch((error) => error)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr.split('\n')).toEqual([
      `error: ${file} has 2 faults; nothing was made from it.`,
      `  ${file}:4:14: accounts[0].balance: must be an integer number of minor units, e.g. 150025 for 1500.25`,
      `  ${file}:5:11: accounts[1].user: user leo does not exist`,
      '  All fields are in the JSON Schema of the package, payctl/seed-file.schema.json.',
      '',
    ])
  })

  it('says the same to programs', async () => {
    const file = await fileWith('accounts:\n  - balance: -1\n')
    const { code, stderr } = await runPayctl(['emulate', '--json', '--seed-file', file])
    const { message, errors } = JSON.parse(stderr).error
    expect({ code, message, errors }).toEqual({
      code: 2,
      message: `${file} has a fault; nothing was made from it.`,
      errors: { [`${file}:2:14`]: ['accounts[0].balance: must be at least 0'] },
    })
  })

  it('and --seed exclude each other', async () => {
    const { code, stderr } = await runPayctl(['emulate', '--seed', 'demo', '--seed-file', await fileWith('')])
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--seed and --seed-file exclude each other'),
    })
  })
})

describe('payctl emulator export --seed', () => {
  it('writes a seed file for its owner only, or prints it, from which the world starts again', async () => {
    const emulator = await startEmulator({ seedFile: await fileWith(example), settle: 'manual' })
    onTestFinished(() => emulator.close())
    const state = await temporaryDirectory()
    const env = { PAYCTL_STATE_DIR: state }
    const run = (...argv: string[]) =>
      runPayctl(['emulator', 'export', '--seed', ...argv, '--base-url', emulator.baseUrl], { env })
    const file = join(state, 'exported.yaml')
    expect(await run(file)).toEqual({
      code: 0,
      stdout: '',
      stderr: `Start from it: payctl emulate --seed-file ${file}\n`,
    })
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect((await run(file)).code).toBe(2)
    expect((await run(file, '--force')).code).toBe(0)
    expect((await run()).stdout).toBe(readFileSync(file, 'utf8'))
    expect(readFileSync(file, 'utf8')).toMatch(/^# yaml-language-server: \$schema=.*\n# Secrets are saved as digests/)
    await using again = await startEmulator({ seedFile: file, settle: 'manual' })
    expect(again.accounts()).toEqual(emulator.accounts())
    expect(await again.control.seed()).toEqual(await emulator.control.seed())
  })

  it('wants a name where it is not given', async () => {
    const { code, stderr } = await runPayctl(['emulator', 'export'])
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('The name of the file is missing'),
    })
  })
})

describe('payctl emulator worlds create --seed-file', () => {
  it('makes a world of it, or says what is wrong by line and column, and what the emulator finds by field', async () => {
    const emulator = await startEmulator()
    onTestFinished(() => emulator.close())
    const create = async (text: string) =>
      runPayctl(
        [
          ...['emulator', 'worlds', 'create', '--seed-file', await fileWith(text)],
          ...['--json', '--base-url', emulator.baseUrl],
        ],
        { env: { PAYCTL_STATE_DIR: await temporaryDirectory() } },
      )
    const { code, stdout } = await create(example)
    expect({ code, made: JSON.parse(stdout) }).toMatchObject({ code: 0, made: { user: { name: 'Ana Vargas' } } })
    const refused = await create('accounts:\n  - user: leo\n')
    expect(refused.code).toBe(7)
    expect(JSON.parse(refused.stderr).error.errors).toEqual({
      'from.seed.accounts.0.user': ['user leo does not exist'],
    })
    const wrong = await create('users:\n  - name: Ana\naccounts:\n  - balance: 1500.25\n')
    const { message, errors } = JSON.parse(wrong.stderr).error
    expect({ code: wrong.code, errors: Object.entries(errors) }).toEqual({
      code: 2,
      errors: [
        [expect.stringMatching(/world\.yaml:4:14$/), [expect.stringContaining('accounts[0].balance: must be an')]],
      ],
    })
    expect(message).toMatch(/world\.yaml has a fault; nothing was made from it\.$/)
    expect((await create('accounts: [')).code).toBe(2)
  })
})
