import { describe, expect, it } from 'vitest'
import { ApiError, OutcomeUnknownError } from '../../src/client/index.ts'
import { errorOf, failure, payment, type Reply, rig, startStub, success } from '../support/stub.ts'

const refusal: Reply = [401, failure('Unauthenticated.')]

/** A client with a renewable token, the tokens that it tried to renew, and the tokens of its requests. */
async function renewable(replies: readonly Reply[], renew?: (refused: string) => Promise<boolean>) {
  const stub = await startStub(...replies)
  const refused: string[] = []
  let token = 'token-1'
  const { client } = rig(stub.url, {
    token: async () => token,
    async renew(old) {
      refused.push(old)
      if (renew) return await renew(old)
      token = 'token-2'
      return true
    },
  })
  return { stub, client, refused, tokens: () => stub.received.map(({ headers }) => headers.authorization) }
}

describe('a token that is refused', () => {
  it('is renewed and the attempt made again', async () => {
    const { client, refused, tokens } = await renewable([refusal, [200, success({ id: 'u' })]])

    expect(await client.call('user.get')).toEqual({ id: 'u' })

    expect([refused, tokens()]).toEqual([['token-1'], ['Bearer token-1', 'Bearer token-2']])
  })

  it('is renewed once in a call', async () => {
    const { client, refused, stub } = await renewable([refusal])

    expect(await errorOf(client.call('user.get'))).toMatchObject({ status: 401 })

    expect([refused.length, stub.received.length]).toEqual([1, 2])
  })

  it('is the error when no other error occurs', async () => {
    const { client, stub } = await renewable([refusal], async () => false)

    expect(await errorOf(client.call('user.get'))).toBeInstanceOf(ApiError)
    expect(stub.received).toHaveLength(1)
  })

  it('gives way to why it could not be renewed', async () => {
    const { client } = await renewable([refusal], async () => {
      throw new Error('log in again')
    })

    expect(await errorOf(client.call('user.get'))).toMatchObject({ message: 'log in again' })
  })

  it('does not use up a retry', async () => {
    const replies: readonly Reply[] = [[503, ''], refusal, [503, ''], [200, success({ id: 'u' })]]
    const { client, stub } = await renewable(replies)

    expect(await client.call('user.get')).toEqual({ id: 'u' })
    expect(stub.received).toHaveLength(4)
  })

  it('of a payment is renewed too: the service did nothing, and the key stays', async () => {
    const { client, stub } = await renewable([refusal, [201, success({ id: 'p' })]])

    expect(await client.call('payments.create', payment)).toMatchObject({ id: 'p' })
    expect(stub.received.map(({ headers }) => headers['x-idempotency-key'])).toEqual(['key-1', 'key-1'])
  })

  it('of a write without a key is renewed when the service itself said no', async () => {
    const { client, stub } = await renewable([refusal, [201, success({ id: 'a' })]])

    expect(await client.call('accounts.create', { body: { currency: 'CRC' } })).toEqual({ id: 'a' })
    expect(stub.received).toHaveLength(2)
  })

  it('of a write without a key is not when something between said it', async () => {
    const { client, stub, refused } = await renewable([[401, '<html>proxy</html>']])

    expect(await errorOf(client.call('accounts.create', { body: { currency: 'CRC' } }))).toMatchObject({ status: 401 })
    expect([stub.received.length, refused]).toEqual([1, []])
  })
})

describe('a payment in doubt', () => {
  it('is settled with the renewed token', async () => {
    const { client } = await renewable([[500, failure('?')], refusal, [201, success({ id: 'p' })]])

    expect(await client.call('payments.create', payment)).toMatchObject({ id: 'p' })
  })

  it.each([
    ['refused', async () => false],
    ['not renewed', async () => Promise.reject(new Error('log in again'))],
  ])('stays in doubt when the token is %s', async (_, renew) => {
    const { client } = await renewable([[500, failure('?')], refusal], renew)

    expect(await errorOf(client.call('payments.create', payment))).toBeInstanceOf(OutcomeUnknownError)
  })

  it('is in doubt after a 401 that was not the service’s own, whatever comes then', async () => {
    const { client } = await renewable([
      [401, '<html>proxy</html>'],
      [422, failure('Insufficient balance')],
    ])

    expect(await errorOf(client.call('payments.create', payment))).toBeInstanceOf(OutcomeUnknownError)
  })

  it('is in doubt when the renewal fails after such a 401', async () => {
    const { client } = await renewable([[401, '<html>proxy</html>']], async () => {
      throw new Error('log in again')
    })

    expect(await errorOf(client.call('payments.create', payment))).toBeInstanceOf(OutcomeUnknownError)
  })
})
