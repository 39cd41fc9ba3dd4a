import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { receiverUrl } from '../../../src/commands/webhooks/flags.ts'
import { rig, target } from './rig.ts'

describe('the URL of a receiver', () => {
  it.each([
    ['3900', 'http://localhost:3900'],
    ['3900/hook', 'http://localhost:3900/hook'],
    [':3900/hook?a=1', 'http://localhost:3900/hook?a=1'],
    ['localhost:3900/hook', 'http://localhost:3900/hook'],
    ['example.com/hook', 'http://example.com/hook'],
    ['https://example.com/hook', 'https://example.com/hook'],
    ['10.0.0.7:80', 'http://10.0.0.7:80'],
    ['0.0.0.0:3000', 'http://0.0.0.0:3000'],
    ['[::1]:3000/hook', 'http://[::1]:3000/hook'],
  ])('reads %s as %s', (text, url) => {
    expect(receiverUrl(text)).toBe(url)
  })

  it.each(['http://3900/hook', '0x7f.1/hook', '10.7:80/hook', '0.0.15.60/hook', 'http://0300.1.2.3/'])(
    'refuses %s, which names no host',
    (text) => {
      expect(() => receiverUrl(text)).toThrow('is not a host name: it would be read as the address')
    },
  )

  it.each(['99999/hook', ':/hook', 'ftp://example.com', 'a b'])('refuses %s', (text) => {
    expect(() => receiverUrl(text)).toThrow('This is not the URL of a receiver.')
  })

  it('never posts a number to another machine', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 99_999 }), fc.constantFrom('', '/hook', '?a=1'), (number, rest) => {
        let url: string
        try {
          url = receiverUrl(`${number}${rest}`)
        } catch {
          return
        }
        expect(new URL(url).hostname).toBe('localhost')
      }),
    )
  })
})

test('deliveries are posted to a bare port of this machine', async () => {
  const { tail, pay, settle } = await rig()
  const { url, posts } = await target()
  const running = await tail(['--forward-to', `${new URL(url).port}/hook`]).listening()

  await pay()
  await settle()
  await running.events(3)

  expect(posts).toHaveLength(3)
  expect(running.stderr).not.toContain('over http')
})

test('deliveries over plain http to another machine are warned of', async () => {
  const { run, tail } = await rig()
  const warning = 'over http: names and IBANs can be read on the way. Use https.'

  const running = await tail(['--forward-to', 'hooks.example/a', '--route', 'payment.failed=10.0.0.7/b']).listening()
  const created = await run(['webhooks', 'create', '--url', 'http://hooks.example/a', '--events', 'all'])
  const safe = await run(['webhooks', 'create', '--url', 'https://hooks.example/a', '--events', 'all'])

  expect(running.stderr).toContain(`Deliveries go to hooks.example ${warning}`)
  expect(running.stderr).toContain(`Deliveries go to 10.0.0.7 ${warning}`)
  expect(created.stderr).toContain(`Deliveries go to hooks.example ${warning}`)
  expect(safe.stderr).not.toContain('over http')
})
