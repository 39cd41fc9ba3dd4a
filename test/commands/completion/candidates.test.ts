import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startEmulator } from '../../../emulator/index.ts'
import { topics } from '../../../src/cli/help_topics.ts'
import { builtInForms } from '../../../src/cli/short_forms.ts'
import { announce } from '../../../src/config/running_emulators.ts'
import { chaosProfileNames } from '../../../src/contract/emulator_names.ts'
import { openJournal } from '../../../src/journal/journal.ts'
import { formats } from '../../../src/run/invocation.ts'
import { announcementOf } from '../../config/ready.ts'
import { runPayctl, temporaryDirectory } from '../../support/run_payctl.ts'
import { failure, startStub, success } from '../../support/stub.ts'
import { rootListings } from '../root_commands.ts'
import { account, hostileAccounts, page } from './accounts.ts'

type Variables = Readonly<Record<string, string>>

/** Words that Tab offers after `line`: value and description. */
async function offered(line: string, env: Variables = {}): Promise<readonly (readonly string[])[]> {
  const { code, stdout, stderr } = await runPayctl(['__complete', 'line', line], { env })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return stdout
    .split('\n')
    .slice(0, -1)
    .map((row) => row.split('\t'))
}

const valuesAfter = async (line: string, env: Variables = {}) => (await offered(line, env)).map(([value]) => value)

const files = [[':files']]

describe('completion', () => {
  it('offers every command with its summary', async () => {
    expect(await offered('payctl ')).toEqual([
      ...Object.entries(rootListings).map(([name, { summary }]) => [name, summary]),
      ...Object.entries(builtInForms).map(([name, words]) => [name, words.join(' ')]),
    ])
    expect(await valuesAfter('payctl acc')).toEqual(['accounts'])
    expect(await valuesAfter('payctl __')).toEqual([])
  })

  it.each([
    ['payctl accounts ', ['list', 'create', 'get', 'balance']],
    ['payctl --json -p emulator accounts ', ['list', 'create', 'get', 'balance']],
    ['payctl emulator clock ad', ['advance']],
    ['payctl accounts create --currency ', ['CRC', 'USD']],
    ['payctl accounts create --currency=U', ['--currency=USD']],
    ['payctl user -o ', formats],
    ['payctl user --output ', formats],
    ['payctl user --output=ts', ['--output=tsv']],
    ['payctl user -oj', ['-ojson']],
    ['payctl user -qoj', ['-qojson']],
    ['payctl -o json us', ['user']],
    ['payctl --nothing us', ['user']],
    ['payctl "accounts" \'li', ['list']],
    ['payctl  acc\\ou', ['accounts']],
    ['payctl emulator rail ', ['pin', 'sinpe_movil']],
    ['payctl schema payments send --dry', ['--dry-run']],
    ['payctl emulate --chaos-profile ', chaosProfileNames],
    ['payctl profiles set emulator --fx-provider ', []],
    ['payctl emulator rail pin ', ['online', 'offline']],
    ['payctl emulator rail pin online ', []],
    ['payctl completion ', ['bash', 'zsh', 'fish', 'powershell']],
    ['payctl help ', [...Object.keys(rootListings), ...Object.keys(topics)]],
    ['payctl help emulator clock ', ['freeze', 'unfreeze', 'advance', 'set', 'at', 'run-until-idle', 'speed']],
    ['payctl help payments nothing ', []],
    ['payctl schema ', [...Object.keys(rootListings), 'error']],
    ['payctl schema emulator worlds ', ['create', 'show', 'move', 'delete']],
    ['payctl nothing ', []],
    ['payctl payments send --amount ', []],
    ['payctl user --timeout ', []],
    ['payctl user -- --', []],
    ['payctl --emulator=', []],
    ['payctl payments send --amount --from', []],
  ])('after %j offers %j', async (line, expected) => {
    expect(await valuesAfter(line)).toEqual(expected)
  })

  it('offers flags: the command’s own first, no hidden one, none twice', async () => {
    const all = await valuesAfter('payctl payments send --')
    expect(all.slice(0, 3)).toEqual(['--from', '--to', '--amount'])
    expect(all).toContain('--emulator')
    expect(await valuesAfter('payctl payments send --to 8888-7777 --json --')).toEqual(
      all.filter((flag) => flag !== '--to' && flag !== '--json'),
    )
    expect(await valuesAfter('payctl emulator clock --control')).toEqual([])
    expect(await offered('payctl --out')).toEqual([['--output', expect.stringContaining('default: table')]])
  })

  it.each([
    'payctl emulate --data ',
    'payctl emulate --chaos 1 --chaos-profile ./no',
    'payctl phone --file ',
    'payctl iban --file=num',
    'payctl emulate --ready-file=/tm',
    'payctl emulate -- np',
    'payctl emulate -- npm --',
    'payctl emulate npm --',
  ])('leaves %j to the shell, which knows the files', async (line) => {
    expect(await offered(line)).toEqual(files)
  })

  it('offers profiles with where they lead', async () => {
    const config = await temporaryDirectory()
    const profiles = { work: { base_url: 'https://api.example.com' }, 'a.b': {}, '$(touch x)': {}, 'two words': {} }
    await writeFile(join(config, 'config.json'), JSON.stringify({ profiles }))
    const expected = [
      ['work', 'https://api.example.com'],
      ['a.b', ''],
      ['emulator', 'the emulator that runs on this machine'],
    ]
    expect(await offered('payctl -p ', { PAYCTL_CONFIG_DIR: config })).toEqual(expected)
    expect(await offered('payctl user --profile ', { PAYCTL_CONFIG_DIR: config })).toEqual(expected)
    expect(await valuesAfter('payctl user --profile=w', { PAYCTL_CONFIG_DIR: config })).toEqual(['--profile=work'])
    await writeFile(join(config, 'config.json'), 'no JSON')
    expect(await offered('payctl -p ', { PAYCTL_CONFIG_DIR: config })).toEqual([])
    expect(await valuesAfter('payctl accounts li', { PAYCTL_CONFIG_DIR: config })).toEqual(['list'])
  })

  it.each([
    ['--jq', 'bad('],
    ['--excel', 'es-CR', '--json'],
  ])('asks the service as well after %s %s, which is for what a run prints', async (...flags) => {
    const emulator = await startEmulator()
    onTestFinished(() => emulator.close())
    const env = { PAYCTL_BASE_URL: emulator.baseUrl, PAYCTL_TOKEN: emulator.token }
    const argv = ['__complete', 'words', ...flags, 'accounts', 'get', 'C']
    const { code, stdout, stderr } = await runPayctl(argv, { env })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^CRC\t/)
  })

  it('takes the words as zsh and fish pass them, and the line as PowerShell does', async () => {
    const words = await runPayctl(['__complete', 'words', 'user', '--output', 'js'])
    const encoded = await runPayctl(['__complete', 'base64', Buffer.from('payctl user --output js').toString('base64')])
    expect([words.stdout, encoded.stdout]).toEqual(['json\t\n', 'json\t\n'])
  })

  it.each([[[]], [['line']], [['words']], [['base64', '%%%']], [['nothing', 'payctl x']]])(
    'of %j says nothing wrong',
    async (argv) => {
      expect(await runPayctl(['__complete', ...argv])).toMatchObject({ code: 0, stderr: '' })
    },
  )
})

describe('ids of intents and payments', () => {
  it('come from the journal, which is only looked at', async () => {
    const state = await temporaryDirectory()
    const env = { PAYCTL_STATE_DIR: state }
    expect(await offered('payctl payments resume ', env)).toEqual([])
    expect(await readdir(state)).toEqual([])
    const journal = openJournal(state)
    const draft = { profile: 'default', base_url: 'http://127.0.0.1:1', user: 'maria', world: null }
    const body = { source_account_id: account.id, amount: 150025, recipient_phone: '88887777' }
    const lost = journal.prepare({ ...draft, idempotency_key: 'a', body })
    const paid = journal.prepare({ ...draft, idempotency_key: 'b', body })
    journal.markSent(lost.id)
    journal.markSettled(paid.id, { id: '019a2e5c-7b1d-7c3e-9f4a-2b6d8e0f1a3c', status: 'completed' })
    journal.close()
    expect(await offered('payctl payments resume ', env)).toEqual([
      [lost.id, expect.stringMatching(/^1500\.25 to 88887777, sent, 20/)],
      ['last', 'the newest'],
    ])
    expect(await offered('payctl payments get ', env)).toEqual([
      ['019a2e5c-7b1d-7c3e-9f4a-2b6d8e0f1a3c', expect.stringMatching(/^1500\.25 to 88887777, completed, 20/)],
      ['last', 'the newest'],
    ])
  })
})

it('names of the emulator: accounts, worlds, snapshots, users and faults', async () => {
  const emulator = await startEmulator()
  onTestFinished(() => emulator.close())
  const env = { PAYCTL_BASE_URL: emulator.baseUrl, PAYCTL_TOKEN: emulator.token }
  const made = [
    ['worlds', 'create', '--name', 'blue'],
    ['snapshots', 'take', 'with-orders'],
    ['faults', 'add', 'payments.create', '500'],
  ]
  for (const words of made) {
    const { code, stderr } = await runPayctl(['emulator', ...words], { env })
    expect(code, stderr).toBe(0)
  }
  const users = await runPayctl(['emulator', 'users', '--json'], { env })
  const ids = (JSON.parse(users.stdout) as { id: string }[]).map(({ id }) => id)
  const accounts = emulator.accounts().map(({ id }) => id)
  for (const line of ['account ', 'credit --to ']) {
    const offers = await valuesAfter(`payctl emulator ${line}`, env)
    expect(offers).toEqual(expect.arrayContaining(accounts))
    expect(offers).not.toContain('CRC')
  }
  const expected: readonly (readonly [line: string, values: readonly string[]])[] = [
    ['worlds show ', ['blue', 'default']],
    ['worlds delete ', ['blue', 'default']],
    ['worlds create --from-world ', ['blue', 'default']],
    ['status --world ', ['blue', 'default']],
    ['snapshots restore ', ['with-orders']],
    ['snapshots delete ', ['with-orders']],
    ['worlds create --from-snapshot ', ['with-orders']],
    ['token --user ', ids],
    ['faults remove ', ['1']],
  ]
  for (const [line, values] of expected) {
    expect((await valuesAfter(`payctl emulator ${line}`, env)).toSorted(), line).toEqual(values.toSorted())
  }
  expect(await valuesAfter('payctl emulator worlds create --chaos-profile ', env)).toEqual(
    expect.arrayContaining([...chaosProfileNames]),
  )
})

describe('running emulators', () => {
  it('are offered by name, port and world', async () => {
    const state = await temporaryDirectory()
    const emulator = await startEmulator()
    onTestFinished(() => emulator.close())
    announce(state, announcementOf(emulator, { name: 'shop' }))
    const env = { PAYCTL_STATE_DIR: state }
    await runPayctl(['emulator', 'worlds', 'create', '--name', 'blue'], { env })
    const { port } = new URL(emulator.baseUrl)
    expect(await offered('payctl --emulator=', env)).toEqual([
      ['--emulator=shop', emulator.baseUrl],
      [`--emulator=${port}`, 'shop'],
      ['--emulator=shop/blue', `a world of ${emulator.baseUrl}`],
    ])
    expect(await valuesAfter('payctl accounts list --emulator=shop/', env)).toEqual(['--emulator=shop/blue'])
    expect(await valuesAfter('payctl emulator stop ', env)).toEqual(['shop'])
    const [account] = emulator.accounts()
    expect(await valuesAfter('payctl emulator account ', env)).toContain(account?.id)
  })
})

describe('ids of accounts', () => {
  const at = (url: string, state: string) => ({
    PAYCTL_BASE_URL: url,
    PAYCTL_TOKEN: 'token-of-the-test',
    PAYCTL_STATE_DIR: state,
  })

  it.each(['payctl accounts get ', 'payctl accounts balance ', 'payctl payments send --from '])(
    'are offered after %j with what they stand for, without a balance',
    async (line) => {
      const stub = await startStub([200, success(page([account]))])
      const found = await offered(line, at(stub.url, await temporaryDirectory()))
      expect(found).toEqual([
        ['CRC', `${account.iban} Ana`],
        [account.iban, 'CRC Ana'],
        [account.id, `${account.iban} CRC Ana`],
      ])
    },
  )

  it('are left out where they name two, as a currency does', async () => {
    const others = [
      { ...account, id: account.id.replace(/0$/, '1') },
      { ...account, id: account.id.replace(/0$/, '2') },
    ]
    const dollars = { ...account, iban: 'CR12010400100000000001', balance: { ...account.balance, currency: 'USD' } }
    const closed = { ...dollars, iban: 'CR73015100100000000001', status: 'closed' }
    const stub = await startStub([200, success(page([account, ...others, dollars, closed]))])
    const found = await offered('payctl payments send --from ', at(stub.url, await temporaryDirectory()))
    expect(found.filter(([value]) => /^[A-Z]{3}$/.test(value ?? ''))).toEqual([['USD', `${dollars.iban} Ana`]])
    expect(found).toContainEqual([closed.iban, 'USD Ana (closed)'])
  })

  it('are requested once a minute, and saved where only their owner can read them', async () => {
    const state = await temporaryDirectory()
    const stub = await startStub([200, success(page([account]))])
    const first = await offered('payctl accounts get ', at(stub.url, state))
    expect(await offered('payctl payments send --from=', at(stub.url, state))).toEqual([
      ['--from=CRC', first[0]?.[1]],
      [`--from=${account.iban}`, first[1]?.[1]],
      [`--from=${account.id}`, first[2]?.[1]],
    ])
    expect(stub.received).toHaveLength(1)
    expect(await readdir(state)).toEqual(['completion-accounts.json'])
    const file = join(state, 'completion-accounts.json')
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    const text = await readFile(file, 'utf8')
    expect(text).not.toContain('token-of-the-test')
    await writeFile(file, JSON.stringify({ ...JSON.parse(text), taken: Date.now() - 61_000 }))
    await offered('payctl accounts get ', at(stub.url, state))
    await writeFile(file, text.slice(0, 40))
    await offered('payctl accounts get ', at(stub.url, state))
    expect(stub.received).toHaveLength(3)
  })

  it('of another service, user or profile are never shown', async () => {
    const state = await temporaryDirectory()
    const config = await temporaryDirectory()
    const other = { ...account, id: '3f2504e0-4f89-41d3-9a0c-0305e82c3399' }
    const [stub, elsewhere] = [
      await startStub([200, success(page([account]))]),
      await startStub([200, success(page([other]))]),
    ]
    const profiles = { one: { base_url: stub.url }, two: { base_url: stub.url } }
    await writeFile(join(config, 'config.json'), JSON.stringify({ profiles }))
    const env = { ...at(stub.url, state), PAYCTL_CONFIG_DIR: config }
    expect(await valuesAfter('payctl accounts get 3', env)).toEqual([account.id])
    const there = `--base-url ${elsewhere.url} --token token-of-the-test`
    expect(await valuesAfter(`payctl ${there} accounts get 3`, env)).toEqual([other.id])
    expect(await valuesAfter('payctl accounts get 3', env)).toEqual([account.id])
    await valuesAfter('payctl accounts get ', { ...env, PAYCTL_TOKEN: 'token-of-another' })
    await valuesAfter('payctl -p one --token t accounts get ', env)
    await valuesAfter('payctl -p two --token t accounts get ', env)
    expect(stub.received).toHaveLength(5)
    expect(await offered('payctl -p nowhere accounts get ', env)).toEqual([])
  })

  it.each([
    ['a refusal', [401, failure('Unauthenticated.')]],
    ['a fault', [500, 'down']],
    ['no JSON', [200, '<html>']],
    ['data of another shape', [200, success({ data: [null, 7] })]],
  ] as const)('are left out after %s', async (_, reply) => {
    const stub = await startStub(reply)
    expect(await offered('payctl accounts get ', at(stub.url, await temporaryDirectory()))).toEqual([])
    expect(stub.received).toHaveLength(1)
  })

  it('are left out when the service does not answer, and nothing is waited for', async () => {
    const stub = await startStub(() => {})
    const state = await temporaryDirectory()
    const start = process.hrtime.bigint()
    expect(await offered('payctl accounts get ', at(stub.url, state))).toEqual([])
    expect(Number(process.hrtime.bigint() - start) / 1e6).toBeLessThan(10_000) // the client alone would wait 30 s, four times
    expect(await offered('payctl accounts get ', at('http://127.0.0.1:1', state))).toEqual([])
    expect(await offered('payctl accounts get ', { PAYCTL_STATE_DIR: state })).toEqual([])
  })

  it('are offered even if nothing can be saved', async () => {
    const stub = await startStub([200, success(page([account]))])
    const folder = await temporaryDirectory()
    const file = join(folder, 'file')
    await writeFile(file, '')
    const env = { ...at(stub.url, file), PAYCTL_CONFIG_DIR: folder }
    expect(await valuesAfter('payctl accounts get 3', env)).toEqual([account.id])
  })

  it('that could mean something to a shell are left out, and names lose what a terminal would obey', async () => {
    const stub = await startStub([200, success(page(hostileAccounts))])
    const found = await offered('payctl accounts get 3', at(stub.url, await temporaryDirectory()))
    expect(found.map(([id]) => id)).toEqual(hostileAccounts.slice(0, 5).map(({ id }) => id))
    for (const row of found) {
      expect(row).toHaveLength(2)
      expect(row.join('')).not.toMatch(/\p{Cc}/u)
    }
  })
})
