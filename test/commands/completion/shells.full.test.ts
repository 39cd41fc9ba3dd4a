import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { formats } from '../../../src/run/invocation.ts'
import { runPayctl } from '../../support/run_payctl.ts'
import { startStub, success } from '../../support/stub.ts'
import { account, hostileAccounts, page } from './accounts.ts'
import { installed, openShell, replies, shells } from './shell.ts'

const servedBy = ({ url }: { readonly url: string }) => ({ PAYCTL_BASE_URL: url, PAYCTL_TOKEN: 'token-of-the-test' })

/** A Tab waits 0.9 s for its words: on a busy machine they may come too late. */
const onBusyMachines = { retry: 3 }

describe('payctl completion', onBusyMachines, () => {
  it.each(['bash', 'zsh', 'fish', 'powershell'])('%s prints a script that runs payctl at each Tab', async (shell) => {
    const { code, stdout, stderr } = await runPayctl(['completion', shell], { terminal: 40 })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain('payctl __complete ')
    expect(stdout.split('\n').length).toBeGreaterThan(10)
  })

  it('explains in help how to install each, without naming the internal command', async () => {
    const { stdout } = await runPayctl(['completion', '--help'])
    for (const shell of ['bash', 'zsh', 'fish', 'powershell']) expect(stdout).toContain(`payctl completion ${shell}`)
    expect(stdout).not.toContain('__complete')
    expect((await runPayctl(['--help'])).stdout).not.toContain('__complete')
  })
})

describe('bash', onBusyMachines, () => {
  it.each([
    ['payctl acc', ['accounts']],
    ['payctl user --output=j', ['json']],
    ['payctl user --output=', formats],
    ['payctl accounts create --currency ', ['CRC', 'USD']],
    ['payctl nothing ', []],
    ['payctl emulate --data ', []],
    ['payctl iban --base-url http://x:80 --out', ['--output']],
  ])('is given for %j %j', async (line, expected) => {
    expect(await replies(line, installed({}))).toEqual(expected)
  })

  it('is given the whole word where it takes = for a letter', async () => {
    expect(await replies('payctl user --output=j', installed({}), "COMP_WORDBREAKS=' '")).toEqual(['--output=json'])
  })

  it('is given no more than values where it inserts them, and descriptions where it lists them', async () => {
    const home = installed({})
    expect(await replies('payctl accounts ', home, 'COMP_TYPE=9')).toEqual(['list', 'create', 'get', 'balance'])
    expect(await replies('payctl accounts ', home, 'COMP_TYPE=37')).toEqual(['list', 'create', 'get', 'balance'])
    const listed = await replies('payctl accounts ', home, 'COMP_TYPE=63; COLUMNS=40')
    expect(listed[0]).toBe('list     (List your accounts with thei)')
    expect(Math.max(...listed.map((line) => line.length))).toBeLessThan(40)
    expect(await replies('payctl acc', home, 'COMP_TYPE=63')).toEqual(['accounts'])
  })

  it('loads twice, under set -eu and with any IFS', async () => {
    const prelude = 'set -eu; IFS=t; eval "$(IFS=; payctl completion bash)"; compopt() { :; }'
    expect(await replies('payctl acc', installed({}), prelude)).toEqual(['accounts'])
  })

  it('evaluates nothing of what was typed or of what the service sent', async () => {
    const stub = await startStub([200, success(page(hostileAccounts))])
    const home = installed(servedBy(stub))
    const expected = hostileAccounts.slice(0, 5).map(({ id }) => id)
    expect(await replies('payctl accounts get 3', home)).toEqual(expected)
    expect(await replies('payctl accounts get 3', home, 'COMP_TYPE=63')).toHaveLength(5)
    for (const typed of [
      '$(touch substituted)',
      '`touch backquoted`',
      '"; touch separated; "',
      '> redirected',
      '<(touch p)',
    ]) {
      await replies(`payctl user ${typed} `, home)
      await replies(`payctl accounts get --description=${typed}`, home)
    }
    expect(home.files()).toEqual([])
  })
})

describe('bash that shows all at the first Tab', onBusyMachines, () => {
  it('types no text of the service, however often an account comes', async () => {
    const again = hostileAccounts.slice(0, 2).map((one) => ({ ...one, id: account.id }))
    const stub = await startStub([200, success(page([...again, { ...account, owner_name: again[0]?.owner_name }]))])
    const home = installed(servedBy(stub))
    const { type, shown, run } = await openShell('bash', home)
    await run("bind 'set show-all-if-ambiguous on'")
    type('payctl accounts get 3\tX')
    expect(await shown(/X/)).toContain(`get ${account.id} X`)
    type('\u0003')
    await run('true')
    type('payctl accounts get 3\t\r')
    await run('true')
    expect(home.files()).toEqual([])
  })
})

describe.each(shells)('%s on a terminal', onBusyMachines, (shell) => {
  it('completes a value with a colon in it', async () => {
    const ids = ['bank:1:crc', 'bank:1:usd', 'bank:2:crc']
    const stub = await startStub([200, success(page(ids.map((id) => ({ ...account, id }))))])
    const { type, shown, run } = await openShell(shell, installed(servedBy(stub)))
    for (const [typed, completed] of [
      ['bank:2', ':crc'],
      ['bank:1:u', 'sd'],
    ] as const) {
      type(`payctl accounts get ${typed}\tX`)
      expect(await shown(/X/)).toMatch(new RegExp(`get ${typed}${completed}[ \b]+X`))
      type('\u0003\u0015')
      await run('true')
    }
  })

  it('completes commands and flags', async () => {
    const { type, shown } = await openShell(shell, installed({}))
    type('payctl accou\t')
    await shown(/payctl accounts /)
    type('cre\t')
    await shown(/create /)
    type('--curr\t')
    await shown(/ency /)
    type('U\t')
    await shown(/SD /)
  })

  it('completes files where a file is wanted, and only there', async () => {
    const home = installed({})
    writeFileSync(join(home.work, 'world.db'), '')
    const { type, shown, run } = await openShell(shell, home)
    type('payctl emulate --data wor\t')
    await shown(/ld\.db/)
    type('\u0003')
    await run('true')
    type('payctl accounts list wor\t X')
    expect(await shown(/X/)).not.toContain('world')
  })

  it('lists accounts by what they stand for, whatever their owners are called', async () => {
    const stub = await startStub([200, success(page(hostileAccounts))])
    const home = installed(servedBy(stub))
    const { type, shown, run } = await openShell(shell, home)
    type('payctl accounts get 3f25\t')
    if (shell !== 'fish') {
      await shown(new RegExp(account.id.slice(4, -1)))
      type('\t\t')
    }
    const list = await shown(/touch parallel/)
    expect(list).toContain('$(touch substituted)')
    type('\u0003')
    await run('true')
    // A Tab right after a substitution makes zsh expand it; a Tab after a space makes payctl complete.
    type('payctl accounts get $(touch typed) \t`touch typed` \t; \tX')
    // No Enter may follow: the line may survive a Ctrl-C during a Tab, and Enter would run the line.
    await shown(/X/)
    expect(home.files()).toEqual([])
  })
})
