import { expect, test } from 'vitest'
import { account, hideHistory, phone, recover } from '../commands/payments/service.ts'
import { limitedPayctl, sending } from './limited_payctl.ts'

const writes = [
  ['webhooks', 'create', '--url', 'https://example.com/hook', '--events', 'all'],
  ['webhooks', 'delete', account, '--yes'],
  ['api', 'POST', '/api/webhooks', '-f', 'url=https://example.com/hook'],
  ['api', 'POST', '/api/webhooks', '-f', 'url=https://example.com/hook', '-H', 'X-Idempotency-Key: any'],
  ['api', 'POST', '/api/accounts', '-f', 'currency=CRC', '-H', 'X-Idempotency-Key: any'],
  ['api', 'PUT', '/api/anything', '-f', 'a=b'],
  ['api', 'DELETE', '/api/anything'],
]

test('a read-only profile refuses every change, and reads as before', async () => {
  const at = await limitedPayctl()
  await at.limit('--read-only')

  for (const argv of writes) {
    const { exitCode, stderr } = await at.run(...argv)
    expect({ argv, exitCode, stderr }).toMatchObject({ exitCode: 5 })
    expect(stderr).toMatch(/allow reading only|payctl does not know what/)
  }
  const reads = [
    ['accounts', 'list'],
    ['payments', 'history'],
    ['phone', phone],
    ['api', 'GET', '/api/accounts'],
  ]
  for (const argv of reads) expect({ argv, ...(await at.run(...argv)) }).toMatchObject({ argv, exitCode: 0 })
  expect(at.service.received.filter(({ method }) => method !== 'GET')).toEqual([])
})

test('its --dry-run says so', async () => {
  const at = await limitedPayctl()
  await at.limit('--read-only')

  const { exitCode, stderr } = await at.run(...sending('1'), '--dry-run')

  expect(stderr).toContain('allow reading only')
  expect(exitCode).toBe(5)
})

test('what is in doubt is not repeated by a profile that has become read-only', async () => {
  const at = await limitedPayctl()
  at.service.afterCommit = (_, response) => {
    response.destroy()
    return 'handled'
  }
  await at.send('1', '--retries', '0')
  await at.limit('--read-only')

  hideHistory(at.service)
  const all = await at.run('payments', 'resume')
  const one = await at.run('payments', 'resume', 'last')
  recover(at.service)
  const found = await at.run('payments', 'resume')

  expect([all.exitCode, one.exitCode, found.exitCode]).toEqual([10, 10, 0])
  expect(all.stdout).toContain('allow reading only')
  expect(all.stderr).toContain('allow reading only: payctl reads the history, and sends nothing again')
  expect(all.stderr).not.toContain('Finding out')
  expect(one.stderr).toContain('allow reading only')
  expect(at.requested()).toBe(1)
})
