import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runPayctl } from '../../support/run_payctl.ts'
import { serve } from '../../support/server.ts'
import { payctl } from '../payments/payctl.ts'
import { pageOf } from '../payments/service.ts'
import { rig } from './rig.ts'

const hook = 'https://example.com/hook'
const missing = '01900000-0000-7000-8000-00000000ffff'

describe('webhooks create', () => {
  it('subscribes, and masks the values of headers but for --json and --show-headers', async () => {
    const { run, subscriptions } = await rig()
    const flags = ['--url', hook, '--events', 'payment.failed,payment.completed', '--max-attempts', '5']
    const made = await run([
      ...['webhooks', 'create', ...flags, '--delivery-timeout', '60', '--header', 'X-Secret: s3cret', '-o', 'csv'],
    ])
    expect(made).toMatchObject({ code: 0 })
    expect(made.stdout).toContain('X-Secret: ***')
    const [subscription] = await subscriptions()
    expect(subscription).toMatchObject({
      url: hook,
      events: ['payment.failed', 'payment.completed'],
      max_attempts: 5,
      timeout: 60,
      headers: { 'X-Secret': 's3cret' },
    })
    const id = subscription?.id ?? ''
    for (const args of [['list'], ['get', id]]) {
      for (const format of ['table', 'csv', 'tsv']) {
        const { stdout } = await run(['webhooks', ...args, '-o', format])
        expect(stdout).toContain(id)
        expect(stdout).not.toContain('s3cret')
      }
      expect((await run(['webhooks', ...args, '--show-headers', '-o', 'table'])).stdout).toContain('s3cret')
    }
    expect(JSON.parse((await run(['webhooks', 'list', '--json'])).stdout)).toEqual([subscription])
    expect(JSON.parse((await run(['webhooks', 'get', id, '--json'])).stdout)).toEqual(subscription)
  })

  it('points at the subscriptions if the answer is lost', async () => {
    const url = await serve((request) => request.socket.destroy())
    const args = ['webhooks', 'create', '--url', hook, '--events', 'all', '--base-url', url, '--token', 't']
    const { code, stderr } = await runPayctl(args)
    expect(code).toBe(10)
    expect(stderr).toContain(`before you repeat the command:\nnext:  payctl webhooks list --base-url ${url}`)
  })

  it.each([
    ['table', (text: string) => /^ {2}Secret +(\w+)$/m.exec(text)?.[1]],
    ['json', (text: string) => JSON.parse(text).secret],
    ['ndjson', (text: string) => JSON.parse(text).secret],
    ['yaml', (text: string) => /^secret: (\w+)$/m.exec(text)?.[1]],
    ['csv', (text: string) => /,(\w+)$/.exec(text)?.[1]],
    ['tsv', (text: string) => /\t(\w+)$/.exec(text)?.[1]],
  ] as const)('shows the secret once, as %s, and says so; no trace has it', async (format, secretIn) => {
    const { run } = await rig()
    const flags = ['--url', hook, '--events', 'all']
    const made = await run(['webhooks', 'create', ...flags, '-o', format, '-v'])
    const secret = secretIn(made.stdout)
    expect(secret).toMatch(/^[0-9A-Za-z]{32}$/)
    expect(made.stderr).toContain('Save the secret now: it will not be shown again.')
    expect(made.stderr).toContain('"secret":"***"')
    expect(made.stderr).not.toContain(secret)
    for (const args of [['list'], ['list', '--json'], ['list', '--show-headers']]) {
      expect((await run(['webhooks', ...args])).stdout).not.toContain(secret)
    }
  })

  it('gives the secret to --jq, and with --quiet says nothing', async () => {
    const { run } = await rig()
    const made = await run(['webhooks', 'create', '--url', hook, '--events', 'all', '--jq', '.secret', '--quiet'])
    expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(/^[0-9A-Za-z]{32}$/), stderr: '' })
  })

  it('takes the value of a header from a file or stdin, and hides it in traces', async () => {
    const { run, home, subscriptions } = await rig()
    await writeFile(join(home, 'secret'), 'from-a-file\n')
    const headers = [
      '--header',
      `X-File=@${join(home, 'secret')}`,
      '--header',
      'X-Input=@-',
      '--header',
      'X-Plain:in-argv',
    ]
    const made = await run(['webhooks', 'create', '--url', hook, '--events', 'all', ...headers, '-v'], {
      input: 'from-stdin\r\n',
    })
    expect(made.code).toBe(0)
    expect((await subscriptions())[0]?.headers).toEqual({
      'X-File': 'from-a-file',
      'X-Input': 'from-stdin',
      'X-Plain': 'in-argv',
    })
    expect(made.stderr).toContain('POST')
    expect(made.stderr + made.stdout).not.toMatch(/from-a-file|from-stdin|in-argv/)
  })

  it.each([
    ['completed', 'Perhaps you mean payment.completed.'],
    ['payment.complete', 'Perhaps you mean payment.completed.'],
    ['payment.created,pyament.failed', 'Perhaps you mean payment.failed.'],
    ['nonsense', 'Events are: payment.created,'],
    ['', 'Events are:'],
  ])('does not send the event %j', async (events, why) => {
    const { code, stderr } = await payctl('http://127.0.0.1:1').run(
      'webhooks',
      'create',
      '--url',
      hook,
      '--events',
      events,
    )
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining(why) })
  })

  it.each([
    ['--url', 'ftp://example.com'],
    ['--url', 'https://user:pw@example.com'],
    ['--url', 'https://exa mple.com'],
    ['--max-attempts', '0'],
    ['--delivery-timeout', '30s'],
    ['--header', 'no value'],
    ['--header', 'X-A: b\nX-C: d'],
    ['--header', 'X-A=@'],
    ['--header', 'X-A=@/nowhere'],
  ])('does not send %s %j', async (flag, value) => {
    const argv = ['webhooks', 'create', '--url', hook, '--events', 'all', flag, value]
    const { code, stdout, stderr } = await payctl('http://127.0.0.1:1').run(...argv)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(/error: .+\n(( {2}|next: {2}).+\n)+$/)
    expect(stderr).not.toContain('pw')
  })

  it('leaves to the service what only the service knows', async () => {
    const { run } = await rig()
    const { code, stderr } = await run(['webhooks', 'create', '--url', hook, '--events', 'all', '--max-attempts', '99'])
    expect({ code, stderr }).toMatchObject({ code: 7, stderr: expect.stringContaining('max attempts') })
  })
})

describe('webhooks list', () => {
  it('lists a page, newest first, and says how to get the rest', async () => {
    const { run, client } = await rig()
    const ids: string[] = []
    for (let n = 0; n < 5; n++) {
      const body = { url: `${hook}/${n}`, events: ['payment.failed' as const] }
      ids.unshift((await client.call('webhooks.create', { body })).id)
    }
    const idsOf = async (...flags: string[]) => {
      const { stdout, stderr } = await run(['webhooks', 'list', ...flags, '--json'])
      return { ids: JSON.parse(stdout).map(({ id }: { id: string }) => id), stderr }
    }
    expect(await idsOf()).toEqual({ ids, stderr: '' })
    expect(await idsOf('--page', '2', '--per-page', '2')).toEqual({
      ids: ids.slice(2, 4),
      stderr: '2 of 5 subscriptions. More: --page 3, --all',
    })
    expect(await idsOf('--all', '--per-page', '2')).toEqual({ ids, stderr: '' })
    expect(await run(['webhooks', 'list', '--all', '--page', '2'])).toMatchObject({ code: 2 })
  })
})

describe('webhooks suspend, resume, delete', () => {
  it('suspends and resumes; twice is a conflict', async () => {
    const { run, client } = await rig()
    const { id } = await client.call('webhooks.create', { body: { url: hook, events: ['payment.failed'] } })
    const suspended = await run(['webhooks', 'suspend', id, '--reason', 'Moving', '-o', 'csv'])
    expect(suspended).toMatchObject({ code: 0, stdout: expect.stringContaining(`${id},suspended,`) })
    expect((await client.call('webhooks.get', { params: { id } })).suspended_reason).toBe('Moving')
    expect(await run(['webhooks', 'suspend', id])).toMatchObject({ code: 6, stdout: '' })
    expect(await run(['webhooks', 'resume', id])).toMatchObject({ code: 0 })
    expect(await run(['webhooks', 'resume', id])).toMatchObject({ code: 6, stdout: '' })
  })

  it('deletes with --yes, and reports a missing subscription', async () => {
    const { run, client, subscriptions } = await rig()
    const { id } = await client.call('webhooks.create', { body: { url: hook, events: ['payment.failed'] } })
    const unasked = await run(['webhooks', 'delete', id])
    expect(unasked).toMatchObject({ code: 2, stderr: expect.stringContaining('Add --yes') })
    expect(await subscriptions()).toHaveLength(1)
    expect(await run(['webhooks', 'delete', id, '--yes', '--json'])).toMatchObject({ code: 0 })
    expect(await subscriptions()).toEqual([])
    for (const args of [
      ['get', missing],
      ['delete', missing, '--yes'],
      ['suspend', missing],
      ['resume', missing],
    ]) {
      expect(await run(['webhooks', ...args])).toMatchObject({ code: 3 })
    }
  })

  it.each([
    ['y\n', 0, 0],
    ['n\n', 2, 1],
    ['\n', 2, 1],
  ])('asks on a terminal, naming URL and events: %j', async (keys, code, left) => {
    const { emulator, client, subscriptions } = await rig()
    const { id } = await client.call('webhooks.create', { body: { url: hook, events: ['payment.failed'] } })
    const run = await payctl(emulator.baseUrl, { token: emulator.token }).ask(keys, 'webhooks', 'delete', id)
    expect(run.code).toBe(code)
    expect(run.stderr).toContain(`Remove the subscription of ${hook} to payment.failed?`)
    if (code === 2) expect(run.stderr).toContain('Not confirmed: nothing was removed.')
    expect(await subscriptions()).toHaveLength(left)
  })
})

describe('webhooks against other services', () => {
  /** Answers every request with the test's answer. */
  async function service(answer: (page: number) => unknown, status = 200) {
    const pages: number[] = []
    const url = await serve((request, response) => {
      const page = Number(new URL(request.url ?? '', 'http://x').searchParams.get('page') ?? 1)
      pages.push(page)
      response
        .writeHead(status, { 'Content-Type': 'application/json' })
        .end(JSON.stringify({ success: status < 400, message: 'ok', data: answer(page) }))
    })
    return { pages, ...payctl(url) }
  }

  const subscription = (id: string) => ({ id, url: hook, events: ['payment.failed'], active: true, headers: null })

  it('lists a plain array', async () => {
    const { run } = await service(() => [subscription('a'), subscription('b')])
    expect(JSON.parse((await run('webhooks', 'list', '--json')).stdout)).toEqual([subscription('a'), subscription('b')])
  })

  it('says nothing of a secret where the service gives none', async () => {
    const { run } = await service(() => subscription('a'))
    const { code, stdout, stderr } = await run('webhooks', 'create', '--url', hook, '--events', 'all', '-o', 'csv')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/,secret\r?\n.*,\r?\n$/)
  })

  it('lists all pages', async () => {
    const { run, pages } = await service((page) =>
      pageOf([subscription(`a${page}`), subscription(`b${page}`)], page, 3),
    )
    const listed = JSON.parse((await run('webhooks', 'list', '--all', '--json')).stdout)
    expect(listed.map(({ id }: { id: string }) => id)).toEqual(['a1', 'b1', 'a2', 'b2', 'a3', 'b3'])
    expect(pages).toEqual([1, 2, 3])
  })

  it('lists a plain array with --all too', async () => {
    const { run, pages } = await service(() => [subscription('a'), subscription('b')])
    expect(JSON.parse((await run('webhooks', 'list', '--all', '--json')).stdout)).toHaveLength(2)
    expect(pages).toEqual([1])
  })

  it.each([[{ id: 'x' }], [null], ['text']])('says that %j is not a list', async (data) => {
    const { run } = await service(() => data)
    expect(await run('webhooks', 'list')).toMatchObject({
      code: 12,
      stderr: expect.stringContaining('but its data is'),
    })
  })

  it.each([['suspend'], ['resume']])('%s takes an answer without data', async (verb) => {
    const { run } = await service(() => null)
    const { code, stdout } = await run('webhooks', verb, 'sub_1', '-o', 'csv')
    expect({ code, id: stdout.split('\n')[1]?.split(',')[0] }).toEqual({ code: 0, id: 'sub_1' })
  })

  it('names the scope where the service does not', async () => {
    const { run } = await service(() => null, 403)
    const { code, stderr } = await run('webhooks', 'list', '--json')
    expect(code).toBe(5)
    expect(JSON.parse(stderr).error).toMatchObject({ status: 403, message: expect.stringContaining('manage-webhooks') })
  })
})

describe('webhooks events', () => {
  it('lists the events of the interface', async () => {
    const { code, stdout } = await payctl('http://127.0.0.1:1').run('webhooks', 'events', '-o', 'csv')
    expect(code).toBe(0)
    const names = stdout
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => line.split(',')[0])
    expect(names).toHaveLength(5)
    const source = readFileSync(new URL('../../../docs/reference/api.md', import.meta.url), 'utf8')
    for (const name of names) expect(source).toContain(`\`${name}\``)
  })
})
