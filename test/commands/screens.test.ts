import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import stringWidth from 'string-width'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startEmulator } from '../../emulator/index.ts'
import { receiver } from '../support/receiver.ts'
import { runPayctl, temporaryDirectory } from '../support/run_payctl.ts'

const longName = 'María del Rosario Fernández-Quesada Villalobos de la Trinidad y Asociados Sociedad Anónima'
const wideName = '株式会社 コスタリカ送金サービス 山田太郎 👨‍👩‍👧'

/** An emulator with at least one item in each list, and payctl in terminals of any width. */
async function setUp() {
  const state = await temporaryDirectory()
  const emulator = await startEmulator({ settle: 0 })
  onTestFinished(() => emulator.close())
  const env = {
    PAYCTL_BASE_URL: emulator.baseUrl,
    PAYCTL_TOKEN: emulator.token,
    PAYCTL_STATE_DIR: state,
    PAYCTL_CONFIG_DIR: state,
    NO_COLOR: '1',
  }
  const run = (terminal: number | undefined, ...argv: readonly string[]) =>
    runPayctl(argv, { env, ...(terminal !== undefined && { terminal }) })
  const shown = async (terminal: number | undefined, ...argv: readonly string[]) => {
    const { code, stdout, stderr } = await run(terminal, ...argv)
    expect({ argv, code }).toEqual({ argv, code: 0 })
    return { stdout, stderr }
  }
  const at = async (terminal: number | undefined, ...argv: readonly string[]) => (await shown(terminal, ...argv)).stdout
  const done = (...argv: readonly string[]) => at(undefined, ...argv)
  await done('emulator', 'registry', 'add', '--phone', '71112222', '--name', longName, '--document', '3101999888')
  await done('emulator', 'registry', 'add', '--phone', '71113333', '--name', wideName, '--document', '3101999889')
  for (const [to, amount] of [
    ['71112222', '1234567.89'],
    ['71113333', '300'],
    ['CR73015100100000000001', '5'],
  ] as const) {
    await done('payments', 'send', '--from', 'CRC', '--to', to, '--amount', amount, '--yes')
  }
  const refused = ['--from', 'CRC', '--to', '87000001', '--amount', '99999999', '--yes']
  expect((await run(undefined, 'payments', 'send', ...refused)).code).toBe(7)
  for (const [to, amount] of [
    ['87000006', '1234567.89'],
    ['87000008', '300'],
    ['87000011', '80'],
  ] as const) {
    await run(undefined, 'payments', 'send', '--from', 'USD', '--to', to, '--amount', amount, '--yes')
    await run(undefined, 'payments', 'send', '--from', 'CRC', '--to', to, '--amount', amount, '--yes')
  }
  const nomina = join(state, 'nomina.csv')
  await writeFile(nomina, `to,amount,from\n71112222,1000.01,${emulator.accounts()[0]?.id}\n87000006,5,CRC\n`)
  await run(undefined, 'payments', 'batch', nomina, '--yes', '--batch-id', 'nomina-de-noviembre-2026')
  await done('webhooks', 'create', '--url', 'http://127.0.0.1:9/hooks/of/payments', '--events', 'all')
  await done('emulator', 'faults', 'add', 'payments.create', '500', '--after', '1000')
  await done('emulator', 'snapshots', 'take', 'hoy')
  await done('emulator', 'credit', '--to', emulator.accounts()[0]?.id ?? '', '--amount', '25000', '--after', '2h')
  await done('payees', 'add', 'bufete', '--to', '71112222')
  await done('limits', 'set', '--per-payee-day', '250000000', '--hours', '00:00-24:00', 'CRC')
  await done('payments', 'send', '--from', 'CRC', '--to', 'CR73015100100000000001', '--amount', '5', '--yes')
  return { at, shown, run, state }
}

const lists: readonly (readonly [command: string, row: RegExp])[] = [
  ['accounts list', /María Fernández Rojas/m],
  ['payments history', /Rechazo Siempre .*the money is back in CR\d\d \.{3} \d{4}/],
  ['payments history --all', /Rechazo Siempre/],
  ['payments find 87000006', /Rechazo Siempre/],
  ['payments outbox --all', /Insufficient balance|maximum limit/],
  ['payments batch list', /nomina-de-noviembre-2026/],
  ['payments batch show last', /Rechazo Siempre/],
  ['payees verify', /bufete/],
  ['payees export', /bufete/],
  ['lookup 71112222 71113333 CR73015100100000000001', /CR73 0151 0010 0000 0000 01/],
  ['iban CR73015100100000000001 CR70015200100000000002', /Carlos Jiménez Mora/],
  ['webhooks events', /payment\.failed/],
  ['emulator payments', /the money is back/],
  ['emulator find 87000006', /Rechazo Siempre/],
  ['emulator faults', /payments\.create/],
  ['emulator deliveries', /whd_/],
  ['emulator snapshots', /hoy/],
  ['emulator credit list', /25,000\.00 CRC|25000/],
  ['alias list', /payments send/],
  ['schema', /payments history/],
  ['help environment', /PAYCTL_TOKEN/],
  ['help files', /journal\.db/],
  ['help exit-codes', /outcome_unknown/],
  ['payments history', /María del Rosario Fern.+ sinpe +.*[0-9a-f]{5}$/m],
  ['payments outbox', /-?1,234,567\.89.+71112222 +[0-9a-z]{5}\b/m],
  ['payments outbox', /^ +Amount exceeds maximum limit: nothing was taken$/m],
  ['payees list', /bufete +María del Rosario/],
  ['payments history --columns id,status,amount,payee_name,payer_name,created_at', /^ID .+AMOUNT/],
  ['phone 71112222 71113333', /^71113333 +株式会社/m],
  ['webhooks list', /http:\/\/127\.0\.0\.1:9\/hooks\/of\/payments/],
  ['audit', /^TODAY \(UTC\) +AMOUNT {2}EVENT +PAYEE [\s\S]*1,234,567\.89.* {2}asked +71112222/],
  ['limits', /hours 00:00-24:00/],
  ['limits', /^(?:default +)?CR73 0151 0010 0000 0000 01 +250,000,000\.00 CRC +5\.00 CRC +249,999,995\.00 CRC/m],
  ['api', /^accounts\.balance +GET +\/api\/accounts\/\{id\}\/balance/m],
  ['profiles list', /^emulator/m],
  ['emulator accounts', /María Ferná/],
  ['emulator subscriptions', /http:\/\/127\.0\.0\.1:9\/hooks\/of\/payments/],
  ['emulator users', /María Fernández Rojas/],
  ['emulator registry', /^71112222 +completed +María del Ros/m],
  ['emulator scenarios', /Rechazo Siempre/],
  ['emulator token list', /manage-webhooks/],
  ['emulator clients', /payctl command line/],
  ['emulator worlds', /^default/m],
  ['emulator requests --all', /payments\.create/],
  ['emulator show last', /the payment is pending/],
  ['emulator report', /^violations/m],
  ['emulator sql', /^registry +address, name/m],
]

/**
 * Commands that print lists and are left out here: they change something, have no heading, or print an empty list in
 * this emulator.
 */
const elsewhere = [
  'payments batch retry',
  'payments resume',
  'payments watch',
  'payees import',
  'webhooks replay',
  'emulator list',
  'emulator moments',
  'emulator receivers',
  'emulator stop',
  'emulator faults clear',
  'limits set',
  'limits remove',
  'doctor',
  'explain',
]

/** The line of headings, below the title that some lists have. */
const headingOf = (text: string): string => {
  const [first = '', second = ''] = text.split('\n')
  return /[a-z]/.test(first) ? second : first
}

const headingsOf = (text: string): readonly string[] =>
  headingOf(text)
    .trim()
    .split(/ {2,}/)
    .map((heading) => heading.replace(/ \(UTC.*\)$/, '').toLowerCase())

/** Columns that have values on the wider screen and are missing on the narrower screen. */
function missing(narrow: string, wide: string): readonly string[] {
  const rows = wide.split('\n')
  const line = headingOf(wide)
  return headingsOf(wide).filter((heading) => {
    const at = line.toLowerCase().indexOf(heading)
    const end = at + heading.length
    const isEmpty = rows.slice(rows.indexOf(line) + 1).every((row) => row.slice(at, end).trim() === '')
    return !isEmpty && !headingsOf(narrow).includes(heading)
  })
}

/** The line without the overwritten progress. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: terminals are steered by them
const settled = (line: string): string => line.split(/\x1b\[[?\d]*[a-zA-Z]/).at(-1) ?? ''

const leftOut = (stderr: string): readonly string[] =>
  /Left out: ([^.]+)\. Wider terminal/.exec(stderr.replaceAll('\n', ' '))?.[1]?.split(', ') ?? []

/** Lines that cut an amount, a phone or an IBAN, or continue it in the next line. */
function brokenNumbers(text: string): readonly string[] {
  const lines = text.split('\n')
  return lines.filter(
    (line, at) =>
      /\d…/.test(line) ||
      /\bCR\d\d(?! \.{3} \d{4})(?!( ?\d){18})/.test(line) ||
      /\d[.,]$/.test(line.trimEnd()) ||
      (/[\d.]\d$/.test(line) && /^ +(\d{4}\b|[A-Z]{3}$|\d\d$)/.test(lines[at + 1] ?? '')),
  )
}

describe('screens', () => {
  it.each([80, 100, 140])(
    'of %i columns have every list as a table, with names and whatever they need',
    async (columns) => {
      const { shown } = await setUp()
      for (const [command, row] of lists) {
        const { stdout: text, stderr } = await shown(columns, ...command.split(' '))
        const lines = text.trimEnd().split('\n')
        expect(headingOf(text), command).toMatch(/^[A-Z ,.()/-]*[A-Z]{2}[A-Z0-9 ,.()/-]*$/)
        expect(row.source.includes('back') ? text.replace(/\s+/g, ' ') : text, command).toMatch(row)
        expect(
          [...lines, ...stderr.split('\n').map(settled)].filter((line) => stringWidth(line) > columns),
          command,
        ).toEqual([])
        expect(brokenNumbers(`${text}\n${stderr}`), command).toEqual([])
        // On screens of 110 columns or more, lists also have optional columns; no note names the columns that do not
        // fit.
        if (columns >= 110) continue
        const wider = await shown(109, ...command.split(' '))
        expect(leftOut(stderr), command).toEqual(expect.arrayContaining([...missing(text, wider.stdout)]))
      }
    },
  )

  it('are of every command that prints a list', async () => {
    const { at } = await setUp()
    const outputs: readonly { command: string; shape: string }[] = JSON.parse(await at(undefined, 'schema', '--json'))
    const names = outputs.filter(({ shape }) => shape === 'array').map(({ command }) => command)
    const covered = lists.map(([command]) => command)
    const isCovered = (name: string) => covered.some((command) => `${command} `.startsWith(`${name} `))
    expect(names.filter((name) => !isCovered(name)).toSorted()).toEqual(elsewhere.toSorted())
  })

  it('name a saved payee in the limits, by whom a part is used', async () => {
    const { at } = await setUp()
    await at(undefined, 'payees', 'add', 'luz', '--to', 'CR73015100100000000001')
    expect(await at(80, 'limits')).toMatch(/^(?:default +)?luz +250,000,000\.00 CRC +5\.00 CRC +249,999,995\.00 CRC$/m)
    const json = JSON.parse(await at(undefined, 'limits', '--json'))
    expect(json).toContainEqual(expect.objectContaining({ payee: 'CR73015100100000000001', payee_name: 'luz' }))
  })

  it.each([80, 100, 140])('of %i columns have a replay as a table', async (columns) => {
    const { at, state } = await setUp()
    const receiving = await receiver()
    const body = JSON.stringify({ event: 'payment.completed', data: { id: '01a1ffeb-f792-7000-8000-00b83c888f6b' } })
    const file = join(state, 'deliveries.jsonl')
    await writeFile(file, `${JSON.stringify({ received_at: '2026-11-21T20:28:51.000Z', headers: {}, body })}\n`)
    const text = await at(columns, 'webhooks', 'replay', file, '--to', receiving.url)
    expect(text).toMatch(/^LINE +(?:RECEIVED AT \(UTC\) +)?EVENT +PAYMENT +/)
    expect(text).toMatch(/^1 .+payment\.completed +\S* .*204/m)
    for (const line of text.split('\n')) expect(stringWidth(line)).toBeLessThanOrEqual(columns)
  })

  it('explain a word on a card, in a sentence that is whole', async () => {
    const { at } = await setUp()
    expect(await at(80, 'explain', '10')).toBe(
      [
        '  Kind     exit code',
        '  Value    10 outcome_unknown',
        '  Meaning  outcome unknown: money may have moved',
        '  Next     payctl payments resume\n',
      ].join('\n'),
    )
  })

  it('say that the time of exchange rates is local', async () => {
    const { at } = await setUp()
    expect(await at(80, 'fx')).toMatch(/^ {2}Last updated, local time {2}\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \(UTC\)$/m)
  })

  it('of 40 columns have cards where no table fits', async () => {
    const { at } = await setUp()
    for (const [command] of lists) expect((await at(40, ...command.split(' '))).trim(), command).not.toBe('')
  })

  it('show the facts of a payment before it, side by side or below, never in the margin', async () => {
    const { run } = await setUp()
    for (const to of ['71112222', '71113333', '87000001']) {
      const order = ['--from', 'CRC', '--to', to, '--amount', '5', '--dry-run']
      const { stderr } = await run(80, 'payments', 'send', ...order)
      expect(stderr).toMatch(/^ {2}To {8}\S/m)
      expect(stderr).toMatch(/^ {2}At {8}emulator on port \d+\n {12}no real money, as maria/m)
      for (const line of stderr.trimEnd().split('\n')) {
        expect(line).toMatch(/^ {2}/)
        expect(stringWidth(line)).toBeLessThanOrEqual(80)
      }
    }
  })

  it('show a body of JSON in lines that break between words', async () => {
    const { at } = await setUp()
    const lines = (await at(80, 'emulator', 'requests', 'show', 'r1')).trimEnd().split('\n')
    for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(80)
  })
})
