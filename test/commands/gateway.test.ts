import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { limitedPayctl, sending } from '../limits/limited_payctl.ts'
import { fileOf } from './payments/batch_service.ts'
import { payctl } from './payments/payctl.ts'
import { account, isPayment, type Received, startService } from './payments/service.ts'

// A gateway in front of the service answers without the envelope of the interface. The gateway knows nothing of the
// service's accounts, holders and payments, and may answer after the service has handled the request.

/** A service behind a gateway that answers some requests itself. */
async function behindGateway(isAnswered: (request: Received) => boolean) {
  const service = await startService()
  const gateway = { status: 404, body: '<h1>Not here</h1>' }
  service.before = (request, response) => {
    if (!isAnswered(request)) return undefined
    response.writeHead(gateway.status).end(gateway.body)
    return 'handled'
  }
  return { service, gateway, cli: payctl(service.url) }
}

const forbidden = '{"message":"Forbidden"}'

describe('a gateway’s answer to a read is not the service’s', () => {
  test.each([
    [404, ['payments', 'get', account], 12],
    [403, ['accounts', 'balance', account], 12],
    [422, ['accounts', 'get', account], 12],
    [404, ['phone', '88881234'], 12],
    [404, ['phone', '88881234', '--output', 'tsv'], 12],
    [404, ['phone', '88881234', '88884321'], 12],
    [404, ['iban', 'CR05015202001026284066'], 12],
    [400, ['api', 'GET', '/api/accounts'], 12],
    [401, ['accounts', 'list'], 4],
    [429, ['accounts', 'list', '--retries', '0'], 11],
  ])('%i to %j', async (status, argv, code) => {
    const { gateway, cli } = await behindGateway(() => true)
    gateway.status = status

    for (const body of ['<h1>Not here</h1>', forbidden]) {
      gateway.body = body
      const run = await cli.run(...argv)
      expect(run).toMatchObject({ code })
      expect(run.stdout).not.toMatch(/not_found|invalid/)
    }
  })

  test('a file of lookups has such a row as failed, and asks for it again', async () => {
    const { service, gateway, cli } = await behindGateway(({ path }) => path.endsWith('/88880002'))
    const file = cli.file('numbers.csv', 'phone\n88880001\n88880002\n88880003\n')
    const look = ['lookup', '--file', file, '--output-file', join(dirname(file), 'out.csv'), '--force', '--json']

    for (const status of [400, 404, 422]) {
      gateway.status = status
      expect(await cli.run(...look)).toMatchObject({ code: 12 })
    }
    service.before = () => undefined
    expect(await cli.run(...look)).toMatchObject({ code: 0 })
    expect(service.count('/api/phone/information/88880001')).toBe(1)
  })

  test('a payee of a list is not refused', async () => {
    const { gateway, cli } = await behindGateway(({ path }) => path.includes('information'))
    const file = cli.file('payees.csv', 'name,to\nana,88881234\n')

    for (const status of [404, 422]) {
      gateway.status = status
      const { code, stderr } = await cli.run('payees', 'import', file, '--yes')
      expect(code).toBe(12)
      expect(stderr).not.toContain('Refused')
    }
  })

  test('a payee of a batch is not called unknown', async () => {
    const { service, cli } = await behindGateway(({ path }) => path.includes('information'))
    const file = cli.file('rows.csv', fileOf(1))

    const { code, stderr } = await cli.run('payments', 'batch', file, '--yes', '--check-payees')

    expect(code).toBe(12)
    expect(stderr).not.toContain('not known to the service')
    expect(service.received.filter(isPayment)).toEqual([])
  })

  test('a row of a batch that was paid is not passed over without a word', async () => {
    const { service, cli } = await behindGateway(() => false)
    const batch = ['payments', 'batch', cli.file('rows.csv', fileOf(1)), '--yes', '--batch-id', 'run']
    await cli.run(...batch)
    service.before = ({ path }, response) => {
      if (!/\/payments\/[\w-]{36}$/.test(path)) return undefined
      response.writeHead(404).end('<h1>Not here</h1>')
      return 'handled'
    }

    expect((await cli.run(...batch)).stderr).toMatch(/statuses of 1 row sent before may be out of date/)
  })

  test('a limit that depends on the currency of an account is not judged without it', async () => {
    const at = await limitedPayctl()
    await at.limit('--per-payment', '20 CRC')
    at.service.before = ({ path }, response) => {
      if (!path.startsWith('/api/accounts/')) return undefined
      response.writeHead(404).end('<h1>Not here</h1>')
      return 'handled'
    }

    const { exitCode, stderr } = await at.run(...sending('1'), '--yes')

    expect(exitCode).toBe(12)
    expect(stderr).toContain('The server answered 404 with a web page instead of JSON.')
    expect(at.requested()).toBe(0)
  })

  test('doctor does not call a scope missing', async () => {
    const { gateway, cli } = await behindGateway(({ path }) => path.startsWith('/api/webhooks'))
    gateway.status = 403

    const { stdout } = await cli.run('doctor', '--json')

    expect(stdout).toContain('no answer on manage-webhooks')
    expect(stdout).not.toContain('lacks')
  })
})

describe('a write that a gateway answers may have been carried out', () => {
  const writes = [
    ['accounts', 'create', '--currency', 'CRC'],
    ['webhooks', 'create', '--url', 'https://example.com/hook', '--events', 'all'],
    ['webhooks', 'delete', account, '--yes'],
    ['webhooks', 'suspend', account],
    ['webhooks', 'resume', account],
    ['api', 'POST', '/api/accounts', '-f', 'currency=CRC'],
    ['api', 'PUT', '/api/anything', '-f', 'a=b'],
    ['api', 'PATCH', '/api/anything', '-f', 'a=b'],
    ['api', 'DELETE', '/api/anything'],
  ]

  test.each(writes)('%s %s %s', async (...argv) => {
    const { service, gateway, cli } = await behindGateway(({ method }) => method !== 'GET')
    for (const status of [400, 401, 403, 404, 405, 409, 410, 422, 429]) {
      for (const body of ['<h1>Not here</h1>', forbidden, '']) {
        Object.assign(gateway, { status, body })
        const { code, stderr } = await cli.run(...argv)
        expect({ status, body, code, stderr }).toMatchObject({
          code: 10,
          stderr: expect.stringContaining('may have been carried out: check before repeating it'),
        })
      }
      service.before = ({ method }) => (method === 'GET' ? undefined : [status, 'Not this one'])
      const refused = await cli.run(...argv)
      expect({ status, code: refused.code }).not.toMatchObject({ code: 10 })
      expect(refused.stderr).toContain('Not this one')
      service.before = (request, response) => {
        if (request.method === 'GET') return undefined
        response.writeHead(gateway.status).end(gateway.body)
        return 'handled'
      }
    }
  })
})
