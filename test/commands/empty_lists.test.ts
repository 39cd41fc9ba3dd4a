import { describe, expect, it } from 'vitest'
import { everyNth } from '../support/full.ts'
import { at, runPayctl } from '../support/run_payctl.ts'
import { startStub, success } from '../support/stub.ts'

const page = { data: [], current_page: 1, last_page: 1, per_page: 20, total: 0, next_page_url: null }

/** A service whose lists are all empty: pages, or the emulator's bare lists. */
const startEmpty = () =>
  startStub((response, { url }) => {
    const body = JSON.stringify(success(/_emulator\/(?!deliveries|requests|worlds)/.test(url ?? '') ? [] : page))
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(body)
  })

const commands: readonly (readonly [command: string, note: string])[] = [
  ['accounts list', 'No accounts.'],
  ['accounts list --all', 'No accounts.'],
  ['payments history', 'No payments.'],
  ['payments history --all', 'No payments.'],
  ['payments history --limit 2', 'No payments.'],
  ['payments outbox', 'No intents.'],
  ['payments resume', 'No payment is in doubt.'],
  ['webhooks list', 'No subscriptions.'],
  ['webhooks list --all', 'No subscriptions.'],
  ['webhooks replay /dev/null --to http://127.0.0.1:9', 'No deliveries to post.'],
  ['phone --file /dev/null', 'No numbers to look up.'],
  ['iban --file /dev/null', 'No IBANs to look up.'],
  ['api accounts.list -o csv', 'The list is empty.'],
  ['api accounts.list --paginate', 'The list is empty.'],
  ['emulator deliveries', 'No deliveries.'],
  ['emulator deliveries --all', 'No deliveries.'],
  ['emulator registry', 'Nobody.'],
  ['emulator requests', 'No requests.'],
  ['emulator requests --all', 'No requests.'],
  ['emulator requests --limit 2', 'No requests.'],
  ['emulator snapshots', 'No snapshots.'],
  ['emulator worlds', 'No worlds.'],
  ['emulator worlds --all', 'No worlds.'],
  ['emulator scenarios', 'No such payees.'],
  ['emulator token list', 'No tokens.'],
  ['emulator users', 'No users.'],
]

/** The quick tests filter the output of only some commands, because each filter starts a jq process. */
const filtered = new Set(everyNth(commands, 6).map(([command]) => command))

describe.each(commands)('payctl %s of nothing', (command, note) => {
  it('says so on stderr, once, unless it is to be quiet', async () => {
    const { url } = await startEmpty()
    const argv = command.split(' ')
    const jq = filtered.has(command) ? [['-o', 'ndjson', '--jq', '.']] : []
    const formats = argv.includes('-o') ? [[]] : [[], ['--json'], ...jq]
    for (const format of formats) {
      const { code, stderr } = await runPayctl([...argv, ...format], at(url))
      expect({ code, format, count: stderr.split(note).length - 1 }).toEqual({ code: 0, format, count: 1 })
    }
    expect((await runPayctl([...argv, '--quiet'], at(url))).stderr).toBe('')
  })
})

it('a page beyond the last is not called an empty list', async () => {
  const stub = await startStub([200, success({ ...page, current_page: 9, last_page: 2, total: 30 })])
  const { stderr } = await runPayctl(['payments', 'history', '--page', '9'], at(stub.url))
  expect(stderr).toBe('Page 9 does not exist: the last of 30 payments are on page 2.\n')
})

it('a list that could not be read is not called empty', async () => {
  const stub = await startStub([500, '{}'])
  for (const command of ['payments history --all', 'phone 88887777 88886666', 'accounts list']) {
    const { stderr } = await runPayctl([...command.split(' '), '--retries', '0'], at(stub.url))
    expect(stderr).toMatch(/^error: /)
    expect(stderr).not.toContain('No ')
  }
})
