import { describe, expect, it } from 'vitest'
import { commands } from '../../src/commands/index.ts'
import { exits } from '../../src/output/exit_codes.ts'
import { version } from '../../src/version.ts'
import { runPayctl } from './run_payctl.ts'

describe('help', () => {
  it('of payctl fits 80 columns and names every command', async () => {
    const { code, stdout, stderr } = await runPayctl(['--help'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatchSnapshot()
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80)
    for (const name of Object.keys(commands)) expect(stdout).toMatch(new RegExp(`^  ${name} `, 'm'))
  })

  it('is what payctl alone, and payctl help, print', async () => {
    const asked = await runPayctl(['--help'])
    expect(await runPayctl([])).toEqual(asked)
    expect(await runPayctl(['help'])).toEqual(asked)
  })

  it.each([
    [['accounts']],
    [['accounts', 'list']],
    [['accounts', 'create']],
    [['accounts', 'get']],
    [['accounts', 'balance']],
    [['user']],
    [['phone']],
    [['iban']],
    [['emulate']],
  ])('of %j is the same by --help and by payctl help', async (path) => {
    const { code, stdout } = await runPayctl(['help', ...path])
    expect(code).toBe(0)
    expect(stdout).toMatchSnapshot()
    expect((await runPayctl([...path, '--help'])).stdout).toBe(stdout)
  })

  it('goes to stderr with exit code 2 when a verb is missing', async () => {
    const { code, stdout, stderr } = await runPayctl(['accounts'])
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain('Usage: payctl accounts')
  })

  it('on exit-codes is the table of exit codes', async () => {
    const { code, stdout } = await runPayctl(['help', 'exit-codes', '--json'])
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toEqual(Object.entries(exits).map(([name, exit]) => ({ name, ...exit })))
  })
})

it.each(['--version', '-V'])('%s is one line', async (flag) => {
  expect(await runPayctl([flag])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' })
})
