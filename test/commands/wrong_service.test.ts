import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { freePort } from '../support/free_port.ts'
import { at, runPayctl } from '../support/run_payctl.ts'
import { startStub, success } from '../support/stub.ts'

const refusal = (errors: unknown) => ({ success: false, message: 'Validation error', data: null, errors })

test('after a 422 the flags to change are named', async () => {
  const { url } = await startStub([422, refusal({ amount: ['Too much.'], recipient_iban: ['Unknown.'] })])
  const argv = ['payments', 'validate', '--from', '3f2504e0-4f89-41d3-9a0c-0305e82c3301', '--to', '88881234']
  const { code, stderr } = await runPayctl([...argv, '--amount', '1', '--no-input'], at(url))
  expect(code).toBe(7)
  expect(stderr).toContain('Change --amount and --to and run the command again.')
  expect(stderr).not.toContain('--help')
})

test('a base URL that ends in /api is named', async () => {
  const { url } = await startStub([404, { success: false, message: 'Not found', data: null }])
  const { stderr } = await runPayctl(['accounts', 'list', '--base-url', `${url}/api`], {
    env: { PAYCTL_TOKEN: 'token-of-the-test' },
  })
  expect(stderr).toContain('The base URL ends in /api, which payctl adds itself')
})

test('https to a port that speaks http is named', async () => {
  const server = createServer((_, response) => response.end('{}'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { code, stderr } = await runPayctl(['user', '--retries', '0'], at(url))
  expect(code).toBe(12)
  expect(stderr).toContain('it speaks http, not https')
})

test('a service elsewhere that does not answer leads to doctor, and one on this machine to the emulator', async () => {
  const far = await runPayctl(['user', '--retries', '0'], at('https://api.payctl.invalid'))
  expect(far.stderr).toContain('https://api.payctl.invalid. To look closer:\nnext:  payctl doctor')
  expect(far.stderr).not.toContain('emulate')
  const near = await runPayctl(['user', '--retries', '0'], at(`http://127.0.0.1:${await freePort()}`))
  expect(near.stderr).toContain('next:  payctl emulate\n')
})

test('a service that answers gets no advice', async () => {
  const { url } = await startStub([200, success({ id: 'u', name: 'Ana', email: 'a@x' })])
  expect(await runPayctl(['user'], at(url))).toMatchObject({ code: 0, stderr: '' })
})
