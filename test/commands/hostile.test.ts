import { describe, expect, it } from 'vitest'
import { unseen } from '../output/hostile_text.ts'
import { everyNth } from '../support/full.ts'
import { runPayctl } from '../support/run_payctl.ts'
import { commandNames, exampleArguments, isGroup, useSeparateFolder } from './example_arguments.ts'
import { breakages, damages, type HostileService, payee, startHostile } from './hostile_service.ts'

useSeparateFolder()

/** Commands that need arguments other than those of their first example, run in several ways, or are also groups. */
const special: Readonly<Record<string, (service: HostileService) => readonly string[]>> = {
  'accounts list --all': () => ['accounts', 'list', '--all'],
  'payments watch': ({ payment }) => ['payments', 'watch', payment, '--wait-timeout', '200ms'],
  'payments history --all': () => ['payments', 'history', '--all'],
  'payments validate': ({ account }) => [
    ...['payments', 'validate', '--from', account, '--to', payee, '--amount', '1'],
  ],
  'payments send': ({ account }) => [
    ...['payments', 'send', '--from', account, '--to', payee, '--amount', '1', '--yes'],
  ],
  'payments send --dry-run': ({ account }) => [
    ...['payments', 'send', '--from', account, '--to', payee, '--amount', '1', '--dry-run'],
  ],
  'payments send --wait': ({ account }) => [
    ...['payments', 'send', '--from', account, '--to', payee, '--amount', '1', '--yes', '--wait-timeout', '200ms'],
  ],
  phone: () => ['phone', payee, '88886666'],
  lookup: ({ rows }) => [
    ...['lookup', '--file', rows, '--column', 'to', '--output-file', '/dev/null', '--cache', 'none'],
  ],
  'webhooks create': () => ['webhooks', 'create', '--url', 'http://127.0.0.1:9/other', '--events', 'all'],
  'webhooks delete': ({ subscription }) => ['webhooks', 'delete', subscription, '--yes'],
  'webhooks tail': () => ['webhooks', 'tail', '--limit', '1', '--port', '1'],
  'payments batch --dry-run': ({ rows }) => ['payments', 'batch', rows, '--dry-run', '--check-payees'],
  'emulator clients': () => ['emulator', 'clients'],
  'emulator clock': () => ['emulator', 'clock'],
  'emulator deliveries': () => ['emulator', 'deliveries'],
  'emulator credit': ({ account }) => ['emulator', 'credit', '--to', account, '--amount', '1'],
  'emulator registry': () => ['emulator', 'registry'],
  'emulator token': () => ['emulator', 'token'],
  'emulator users': () => ['emulator', 'users'],
  'emulator worlds': () => ['emulator', 'worlds'],
  'emulator chaos': () => ['emulator', 'chaos'],
  'emulator snapshots': () => ['emulator', 'snapshots'],
  'emulator requests': () => ['emulator', 'requests'],
  'emulator show': ({ payment }) => ['emulator', 'show', payment],
  'emulator wait': ({ payment }) => [
    ...['emulator', 'wait', '--payment', payment, '--status', 'failed', '--wait-timeout', '200ms'],
  ],
  'emulator wait ready': () => ['emulator', 'wait', 'ready', '--wait-timeout', '200ms'],
  api: () => ['api', 'GET', 'api/user'],
  'api --paginate': () => ['api', 'accounts.list', '--paginate'],
}

/** Commands that read no answer of a service, that read only saved data, or that steer the shared emulator. */
const leftOut = [
  /^(webhooks (events|replay)|emulate|init|login|logout|auth (token|refresh)|profiles .*|alias .*|explain|limits .*|limits|audit|config path|completion|openapi|schema|help)$/,
  /^payments (batch|batch (list|show)|outbox|resume)$/,
  /^payees (list|show|verify|update|rename|remove|import|export)$/,
  /^emulator (list|stop|reset|faults .*|registry .*|users create|token revoke|deliveries .*|clock .*|clients (add|remove)|credit cancel|worlds (create|delete)|snapshots .*)$/,
  /^emulator (export|import|helper|team key)$/,
  // The answer to this command is a stream, which this server does not pass on; emulator/watch.test.ts tests hostile
  // streams.
  /^emulator watch$/,
]

const service = await startHostile()

const derived = async (): Promise<readonly (readonly [string, (service: HostileService) => readonly string[]])[]> => {
  const { account: accounts, payment: payments, subscription: webhooks } = service
  const names = commandNames.filter((name) => !isGroup(name) && !(name in special))
  const run = names.filter((name) => !leftOut.some((pattern) => pattern.test(name)))
  return Promise.all(
    run.map(async (name) => {
      const argv = [...name.split(' '), ...(await exampleArguments(name, { accounts, payments, webhooks }))]
      return [name, () => argv] as const
    }),
  )
}

/** Each command that reads an answer of the service. */
const commands = { ...Object.fromEntries(await derived()), ...special }

/** Commands that succeed whatever the service answers. */
const sayingHowItIs = ['api GET api/user', 'auth status']

/** Formats for people and for machines, alternately; json and yaml print the answer unchanged. */
const formatOf = (nth: number): string => (nth % 2 === 0 ? 'table' : 'csv')

const run = (service: HostileService, argv: readonly string[], timeout = '5s') => {
  const listening = new AbortController()
  const tails = argv.includes('tail')
  // Without --quiet, a tail prints a line as soon as it has subscribed and waits for events.
  return runPayctl([...argv, '--retries', '0', '--timeout', timeout, ...(tails ? [] : ['--quiet'])], {
    env: { PAYCTL_BASE_URL: service.url, PAYCTL_TOKEN: service.token, NO_COLOR: '1', PAYCTL_DEBUG: '1' },
    terminal: 80,
    ...(tails && {
      signal: listening.signal,
      onStderr: (text) => /Ctrl-C\s+stops/.test(text) && listening.abort('SIGINT'),
    }),
  })
}

/** Describes a run that ended with an internal error or printed control sequences; undefined for any other run. */
const problemOf = ({ code, stdout, stderr }: Awaited<ReturnType<typeof run>>): string | undefined => {
  if (code === 1 || stderr.includes('bug')) return stderr
  const text = `${stdout}${stderr}`
  return unseen.test(text.replace(/[\n\t]/g, '')) ? text : undefined
}

type Look = (argv: readonly string[], format: string) => Promise<string | undefined>

/** Problems of the commands; the quick tests check a twelfth of the commands, chosen by `nth`. */
async function problems(nth: number, format: string, look: Look): Promise<readonly string[]> {
  const found: string[] = []
  await Promise.all(
    everyNth(Object.entries(commands), 12, nth).map(async ([name, argv]) => {
      const problem = await look(argv(service), format)
      if (problem) found.push(`${name} -o ${format}: ${problem}`)
    }),
  )
  return found
}

/** Numbers the entries. */
const numbered = <T>(entries: Readonly<Record<string, T>>) =>
  Object.entries(entries).map(([name, entry], nth) => [name, entry, nth] as const)

describe.each(numbered(damages))('data with %s', (_, damage, nth) => {
  it('is not a bug of any command', { timeout: 180_000 }, async () => {
    service.damage = (response, body) => {
      const envelope = JSON.parse(body)
      const status = envelope.success ? 200 : 422
      response.writeHead(status).end(JSON.stringify({ ...envelope, data: damage(envelope.data) }))
    }
    expect(
      await problems(nth, formatOf(nth), async (argv, format) =>
        problemOf(await run(service, [...argv, '-o', format])),
      ),
    ).toEqual([])
  })
})

/** Flags with which commands print the service's text: unchanged, in a trace, or through a user's program. */
const ways: Readonly<Record<string, readonly string[]>> = {
  csv: [],
  tsv: [],
  yaml: [],
  json: [],
  ndjson: ['--verbose'],
  'json of jq': ['--jq', '.. | strings'],
}

describe('data that hides something', () => {
  it.each(numbered(ways))('hides nothing on a terminal: %s', async (way, flags, nth) => {
    service.damage = (response, body) => {
      const envelope = JSON.parse(body)
      const data = damages['fields that hide']?.(envelope.data)
      response.writeHead(200, { 'X-Said': 'a\u0085b' }).end(JSON.stringify({ ...envelope, data }))
    }
    const look = async (argv: readonly string[], format: string) =>
      problemOf(await run(service, [...argv, ...flags, '-o', format.split(' ')[0] ?? '']))
    expect(await problems(nth, way, look)).toEqual([])
  })
})

/** With this answer the connection stays open, and the rest of the answer never comes. */
const endless = 'a wrong length'

describe.each(numbered(breakages))('an answer that is %s', (name, answer, nth) => {
  it('is not a bug of any command', async () => {
    service.damage = answer
    const look = async (argv: readonly string[], format: string) => {
      const finished = await run(service, [...argv, '-o', format], name === endless ? '500ms' : '5s')
      return (
        problemOf(finished) ?? (finished.code === 0 && !sayingHowItIs.includes(argv.join(' ')) ? 'success' : undefined)
      )
    }
    expect(await problems(nth, 'json', look)).toEqual([])
  })
})
