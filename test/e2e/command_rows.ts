import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loginAt } from '../auth/logged_in.ts'
import { startStrictService } from '../auth/strict_service.ts'
import { payees, rig, target } from '../commands/webhooks/rig.ts'
import type { Meanwhile, Workplace } from './command_workplace.ts'

/** A command with input that makes it succeed, and the form of its output. */
export interface Row {
  /** Arguments after the command's name, made for each run; by default the first example of its help. */
  readonly args?: (workplace: Workplace) => readonly string[] | Promise<readonly string[]>
  readonly env?: (workplace: Workplace) => Promise<Readonly<Record<string, string>>>
  readonly input?: (workplace: Workplace) => string
  readonly meanwhile?: (workplace: Workplace) => Meanwhile
  /** True if the command only asks questions, which other tests answer. */
  readonly asks?: true
  /** Output on a pipe: rows below a heading (the default), plain words, or nothing. */
  readonly prints?: 'tsv' | 'words' | 'nothing'
  /** Output with --json: a document (the default), a document on each line, plain words, or nothing. */
  readonly json?: 'document' | 'lines' | 'words' | 'nothing'
  /** True if output in a terminal has colours. Default: true if the output is rows. */
  readonly colour?: boolean
  /** True if values must not be cut: they continue in the terminal's next line. */
  readonly whole?: boolean
}

const order = ({ account }: Workplace) => ['--from', account, '--to', payees.completed, '--amount', '5']

/** A number that is unique on this machine and at the tests' services. */
let last = 1_000_000
const next = (): number => ++last

const hook = (): string => `http://127.0.0.1:9/hook/${next()}`

export const subscribe = async ({ client }: Workplace, suspended = false): Promise<string> => {
  const body = { url: hook(), events: ['payment.completed' as const] }
  const { id } = await client.call('webhooks.create', { body })
  if (suspended) await client.call('webhooks.suspend', { params: { id } })
  return id
}

const idOf = async ({ run }: Workplace, ...argv: readonly string[]): Promise<string> => {
  const { stdout } = await run([...argv, '--json'])
  const parsed = JSON.parse(stdout)
  const list = parsed.data ?? parsed
  return String(list.at(-1).id)
}

const delivery = async (workplace: Workplace) => {
  await subscribe(workplace)
  await workplace.pay()
  await workplace.settle()
  return [await idOf(workplace, 'emulator', 'deliveries')]
}

const scheduledCredit = async (workplace: Workplace) => {
  const { stdout } = await workplace.run('emulator credit --to 88001234 --amount 5 --after 300d --json'.split(' '))
  return [JSON.parse(stdout).id]
}

/** An emulator whose clock no other command reads. */
const another = async () => ['--base-url', (await rig()).emulator.baseUrl]

const snapshot = async ({ run }: Workplace) => {
  const name = `s-${next()}`
  await run(['emulator', 'snapshots', 'take', name])
  return [name]
}

const newCustomer = () => ['--phone', `7${next()}`, '--name', 'Ana Vargas', '--document', '109990888']

const profile = async ({ run }: Workplace, name: string) => {
  await run(['profiles', 'set', name, '--base-url', 'http://127.0.0.1:9'])
  return [name]
}

/** Separate config and state folders: limits apply to this command only. */
const ownFolders = async ({ home }: Workplace) => {
  const folder = join(home, `limits-${next()}`)
  return { PAYCTL_CONFIG_DIR: join(folder, 'config'), PAYCTL_STATE_DIR: join(folder, 'state') }
}

const limited = async (workplace: Workplace) => {
  const env = await ownFolders(workplace)
  await workplace.piped(['limits', 'set', '--per-day', '2000000', 'CRC'], { env })
  return env
}

/** Environment of a machine with a login that can be renewed. */
const renewable = async ({ home }: Workplace) => {
  const service = await startStrictService()
  const configDir = join(home, `renewable-${next()}`)
  mkdirSync(configDir)
  const write = (name: string, profiles: unknown) =>
    writeFileSync(join(configDir, name), JSON.stringify({ version: 1, profiles }), { mode: 0o600 })
  write('credentials.json', { default: loginAt(service) })
  write('config.json', { default: { base_url: service.url } })
  return { PAYCTL_CONFIG_DIR: configDir, PAYCTL_BASE_URL: '', PAYCTL_TOKEN: '' }
}

const payee = async ({ run }: Workplace) => {
  const name = `payee-${letters(next())}`
  await run(['payees', 'add', name, '--to', payees.completed])
  return [name]
}

/** Writes a number in letters, because payctl could read digits as another kind of value. */
const letters = (number: number): string => String(number).replace(/\d/g, (digit) => 'abcdefghij'.charAt(Number(digit)))

const saved = JSON.stringify({ received_at: '2026-11-20T12:00:00Z', headers: {}, body: '{"event":"payment.failed"}' })

/** Waits for a preparation; returns an empty list of arguments. */
const after = async (work: Promise<unknown>): Promise<readonly string[]> => {
  await work
  return []
}

/**
 * Commands that need more than the arguments of their first example, commands that print no rows, and groups that are
 * also commands.
 */
export const rows: Readonly<Record<string, Row>> = {
  'payments send': { args: (workplace) => [...order(workplace), '--yes'] },
  'payments validate': { args: order },
  'payments watch': { colour: false },
  'payments receipt': { prints: 'words' },
  'payments find': { args: ({ payment }) => [payment] },
  'payments batch': {
    colour: false,
    args: (workplace) => {
      const name = `batch-${next()}`
      const rows = `to,amount,description,from\n${payees.completed},1,,${workplace.account}\n87000013,2,,${workplace.account}\n`
      return [workplace.file(`${name}.csv`, rows), '--yes', '--batch-id', name]
    },
  },
  'payments batch list': { colour: false },
  'payments batch show': {
    async args(workplace) {
      const name = `batch-${next()}`
      const rows = `to,amount,description,from\n${payees.completed},1,Row of ${name},${workplace.account}\n`
      await workplace.run(['payments', 'batch', workplace.file(`${name}.csv`, rows), '--yes', '--batch-id', name])
      return [name]
    },
  },
  'payments batch retry': {
    colour: false,
    args: async (workplace) => {
      const name = `batch-${next()}`
      const amount = `1.${String(next() % 100).padStart(2, '0')}`
      const rows = `to,amount,description,from\n${payees.failed},${amount},Row of ${name},${workplace.account}\n`
      await workplace.run(['payments', 'batch', workplace.file(`${name}.csv`, rows), '--yes', '--batch-id', name])
      await workplace.settle()
      return [name, '--yes']
    },
  },
  'payments outbox': {
    args: async (workplace) => {
      await workplace.run(['payments', 'send', ...order(workplace), '--yes'])
      return []
    },
  },
  'payments resume': {
    args: async (workplace) => {
      await workplace.run(['payments', 'send', ...order(workplace), '--yes'])
      return [await idOf(workplace, 'payments', 'intents')]
    },
  },
  'payees list': { args: (workplace) => after(payee(workplace)) },
  'payees show': { args: payee },
  'payees add': { args: () => [`new-${letters(next())}`, '--to', payees.completed] },
  'payees verify': { args: payee, whole: true },
  'payees update': { args: payee },
  'payees rename': { args: async (workplace) => [...(await payee(workplace)), `renamed-${letters(next())}`] },
  'payees import': {
    args: ({ file }) => [
      file(`payees-${next()}.csv`, `name,to\nimported-${letters(next())},${payees.completed}\n`),
      '--yes',
    ],
  },
  'payees export': { args: (workplace) => after(payee(workplace)) },
  'payees remove': { args: async (workplace) => [...(await payee(workplace)), '--yes'] },
  phone: { args: () => [payees.completed, payees.failed] },
  iban: { args: () => ['CR81016100100000000006'] },
  lookup: {
    args: (workplace) => {
      const name = `list-${next()}`
      const list = workplace.file(`${name}.csv`, `Teléfono\n${payees.completed}\n`)
      return ['--file', list, '--output-file', list.replace(name, `${name}-found`)]
    },
    colour: false,
  },
  'webhooks tail': {
    args: () => ['--limit', '1', '--events', 'payment.completed'],
    meanwhile: (workplace) => ({ cue: /Ctrl-C stops/, act: () => workplace.pay().then(workplace.settle) }),
    prints: 'words',
    json: 'lines',
    colour: true,
  },
  'webhooks replay': { args: async () => ['-', '--to', (await target()).url], input: () => saved },
  'webhooks list': { args: (workplace) => after(subscribe(workplace)) },
  'webhooks create': { args: () => ['--url', hook(), '--events', 'all'] },
  'webhooks delete': { args: async (workplace) => [await subscribe(workplace), '--yes'] },
  'webhooks resume': { args: async (workplace) => [await subscribe(workplace, true)] },
  emulate: {
    args: () => ['--port', '0'],
    meanwhile: () => ({ cue: /Ctrl-C stops it|"ready"/, act: (kill) => kill('SIGINT') }),
    prints: 'nothing',
    json: 'lines',
  },
  'emulator faults': {
    args: async (workplace) => after(workplace.run(['emulator', 'faults', 'add', 'user.get', '401', '--times', '9'])),
  },
  'emulator faults clear': { colour: false },
  'emulator faults remove': {
    args: async (workplace) => {
      await workplace.run(['emulator', 'faults', 'add', 'user.get', '401'])
      return [await idOf(workplace, 'emulator', 'faults')]
    },
  },
  'emulator registry': {},
  'emulator registry add': { args: newCustomer },
  'emulator registry remove': {
    args: async (workplace) => {
      const customer = newCustomer()
      await workplace.run(['emulator', 'registry', 'add', ...customer])
      return customer.slice(1, 2)
    },
  },
  'emulator users': {},
  'emulator users create': { args: () => ['--name', 'Luis Mora'] },
  'emulator token': { prints: 'words' },
  'emulator token revoke': {
    args: async (workplace) => {
      await workplace.run(['emulator', 'token', '--scopes', 'read-user'])
      return [await idOf(workplace, 'emulator', 'token', 'list')]
    },
  },
  'emulator credit': {},
  'emulator credit list': { args: (workplace) => after(scheduledCredit(workplace)) },
  'emulator credit cancel': { args: scheduledCredit },
  'emulator clients': {},
  'emulator clients add': {
    args: () => [`c${next()}`, '--redirect-uri', 'https://shop.example/callback'],
    whole: true,
  },
  'emulator clients remove': {
    args: async (shop) => {
      const id = `c${next()}`
      await shop.run(['emulator', 'clients', 'add', id, '--redirect-uri', 'https://shop.example/callback'])
      return [id]
    },
    whole: true,
  },
  'emulator deliveries': { args: (workplace) => after(delivery(workplace)) },
  'emulator deliveries show': { args: delivery, whole: true },
  'emulator deliveries resend': { args: delivery },
  'emulator compare': { args: () => ['default', 'default', '--all'] },
  'emulator story': { args: () => [], prints: 'words', json: 'words', whole: true },
  'emulator find': { args: ({ payment }) => [payment] },
  'emulator moments': { colour: false },
  'emulator receivers': { colour: false },
  'emulator subscriptions': { colour: false },
  'emulator watch': { args: () => ['--limit', '1'], prints: 'words', json: 'lines', colour: true },
  'emulator payments': {},
  'emulator payment': {
    args: async (workplace) => {
      const { stdout } = await workplace.run(['payments', 'send', ...order(workplace), '--yes', '--json'])
      return [JSON.parse(stdout).id, 'completed']
    },
  },
  'emulator requests': {},
  'emulator requests show': {
    args: async (workplace) => {
      await workplace.pay()
      return [await idOf(workplace, 'emulator', 'requests')]
    },
    whole: true,
  },
  'emulator open': { prints: 'words' },
  'emulator show': { args: async ({ payment }) => [payment] },
  fx: {},
  'emulator list': { colour: false },
  'emulator stop': { args: () => ['--all'], colour: false },
  'emulator wait': { args: async () => ['--idle', ...(await another())] },
  'emulator clock': {},
  'emulator clock set': { args: async () => ['2050-01-05', ...(await another())] },
  'emulator clock at': { args: async () => ['2050-01-05', ...(await another())] },
  'emulator clock run-until-idle': { args: another },
  'emulator clock speed': { args: async () => ['60', ...(await another())] },
  'emulator worlds': {},
  'emulator chaos': { colour: false },
  'emulator worlds create': { whole: true },
  'emulator worlds delete': {
    args: async (workplace) => {
      const name = `w-${next()}`
      await workplace.run(['emulator', 'worlds', 'create', '--name', name])
      return [name]
    },
  },
  'emulator worlds move': {
    args: async (workplace) => {
      const name = `w-${next()}`
      await workplace.run(['emulator', 'worlds', 'create', '--name', name])
      return [name, '--to', (await rig()).emulator.baseUrl]
    },
  },
  'emulator worlds show': { whole: true },
  'emulator backup': { args: ({ home }) => [join(home, `backup-${next()}`)] },
  'emulator restore': {
    args: async (workplace) => {
      const folder = join(workplace.home, `backup-${next()}`)
      await workplace.run(['emulator', 'backup', folder])
      return [folder, 'default', '--replace']
    },
  },
  'emulator export': { args: (workplace) => [workplace.file(`${next()}.sqlite`, ''), '--force'] },
  'emulator team key': {
    args: (workplace) => ['payments', '--teams', workplace.file(`${next()}.yaml`, 'teams: {}\n')],
    whole: true,
  },
  'emulator helper': { args: (workplace) => ['pytest', workplace.file(`${next()}.py`, ''), '--force'] },
  'emulator seed from-service': { args: () => [], prints: 'words', json: 'words', whole: true },
  'emulator import': {
    args: async (workplace) => {
      const file = workplace.file(`${next()}.sqlite`, '')
      await workplace.run(['emulator', 'export', file, '--force'])
      return [file]
    },
    whole: true,
  },
  'emulator snapshots': { args: (workplace) => after(workplace.run(['emulator', 'snapshots', 'take', 'kept'])) },
  'emulator snapshots restore': { args: snapshot },
  'emulator snapshots delete': { args: snapshot },
  login: { args: () => ['--with-token'], input: ({ emulator }) => emulator.token },
  init: { asks: true },
  logout: { prints: 'nothing', json: 'nothing' },
  'auth token': { prints: 'words' },
  'auth refresh': { env: renewable },
  'alias delete': {
    args: async ({ run }) => {
      const name = `mine-${next()}`
      await run(['alias', 'set', name, 'user'])
      return [name]
    },
    prints: 'nothing',
    json: 'nothing',
  },
  'profiles use': { args: (workplace) => profile(workplace, 'used') },
  'profiles set': { args: () => ['set', '--base-url', 'http://127.0.0.1:9'] },
  'profiles delete': { args: async (workplace) => [...(await profile(workplace, `p${next()}`)), '--yes'] },
  limits: { env: limited },
  'limits set': { env: ownFolders },
  'limits remove': { env: ownFolders, colour: false },
  'limits recount': { env: ownFolders, prints: 'nothing', json: 'nothing' },
  audit: {
    args: (workplace) => after(workplace.run(['payments', 'send', ...order(workplace), '--yes'])),
  },
  'config path': { prints: 'words' },
  'config set': { args: () => ['credentials', 'file'], env: ownFolders, prints: 'nothing', json: 'nothing' },
  api: { args: () => ['accounts.list'], prints: 'words', whole: true },
  openapi: { args: () => [], prints: 'words', whole: true },
  doctor: { whole: true },
  schema: { args: () => [] },
  completion: { args: () => ['bash'], prints: 'words', json: 'words', whole: true },
  help: { args: () => [], prints: 'words', json: 'words', colour: true },
}
