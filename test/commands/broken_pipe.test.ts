import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { freshMachine } from '../support/installed_payctl.ts'
import { payctlCommand } from '../support/program.ts'
import { startStub, success } from '../support/stub.ts'

const account = { id: 'a', iban: 'b', balance: { value: 1, currency: 'CRC', formatted: '0.01 CRC' }, status: 'active' }

/** Pages without end. */
const endless = () => {
  let page = 0
  return startStub((response) => {
    page += 1
    const rows = Array.from({ length: 1000 }, (_, n) => ({ ...account, id: `${page}-${n}` }))
    response.end(JSON.stringify(success({ data: rows, current_page: page, last_page: page + 1 })))
  })
}

const flags: readonly (readonly string[])[] = [
  ...['json', 'ndjson', 'csv', 'tsv', 'yaml', 'table'].map((format) => ['-o', format]),
  ['-o', 'ndjson', '--jq', '.id'],
]

describe('a reader that has had enough', () => {
  it.each(flags.map((list) => [list.join(' '), list] as const))('ends a list with %s silently', async (_, list) => {
    const stub = await endless()
    const { env } = await freshMachine()
    const child = spawn(...payctlCommand(['accounts', 'list', '--all', ...list]), {
      env: { ...env, PAYCTL_BASE_URL: stub.url, PAYCTL_TOKEN: 'token-of-the-test' },
    })
    let stderr = ''
    child.stderr.on('data', (chunk) => {
      stderr += chunk
    })
    await once(child.stdout, 'data')
    child.stdout.destroy()
    const [code] = await once(child, 'close')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  })

  it.each([['stdout'], ['stderr']])('does not crash a command whose %s is closed from the start', async (closed) => {
    const stub = await startStub([404, { success: false, message: 'No.', data: null, errors: {} }])
    const { env } = await freshMachine()
    const command = `"$@" user -v ${closed === 'stdout' ? '>&-' : '2>&-'}`
    const child = spawn('sh', ['-c', command, 'sh', ...payctlCommand().flat()], {
      env: { ...env, PAYCTL_BASE_URL: stub.url, PAYCTL_TOKEN: 'token-of-the-test' },
    })
    const [code] = await once(child, 'close')
    expect(code).toBe(3)
  })

  it('of stderr leaves the data alone', async () => {
    const stub = await startStub([200, success({ id: 'x' })])
    const { env } = await freshMachine()
    const child = spawn(...payctlCommand(['user', '-v', '--json']), {
      env: { ...env, PAYCTL_BASE_URL: stub.url, PAYCTL_TOKEN: 'token-of-the-test' },
    })
    child.stderr.destroy()
    let stdout = ''
    child.stdout.on('data', (chunk) => {
      stdout += chunk
    })
    const [code] = await once(child, 'close')
    expect({ code, stdout: JSON.parse(stdout) }).toEqual({ code: 0, stdout: { id: 'x' } })
  })
})
