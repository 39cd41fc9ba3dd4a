import { createHmac } from 'node:crypto'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { verifyDelivery } from '../../../src/index.ts'
import { addressOf, ofTheMessage, rig, target } from './rig.ts'

const secret = 'Abc123Abc123Abc123Abc123Abc123Ab'
const raw = Buffer.from(String.raw`{"event":"payment.created","data":{"name":"Jim\u00e9nez 1\/2"}}`)
const signature = createHmac('sha256', secret).update(raw).digest('hex')

describe('verifyDelivery', () => {
  it('takes the body as bytes and as text, and hexadecimal digits in either case', () => {
    expect(verifyDelivery(raw, signature, secret)).toBe(true)
    expect(verifyDelivery(raw.toString(), signature.toUpperCase(), secret)).toBe(true)
  })

  it('takes the body of a Request, as a route of Hono or Next.js reads it', async () => {
    const request = new Request('http://shop.example/hook', { method: 'POST', body: raw })
    expect(verifyDelivery(await request.arrayBuffer(), signature, secret)).toBe(true)
  })

  it.each([
    ['another secret', raw, signature, `${secret} `],
    ['another body', Buffer.concat([raw, Buffer.from('\n')]), signature, secret],
    ['a body serialised again', JSON.stringify(JSON.parse(raw.toString())), signature, secret],
    ['a short signature', raw, signature.slice(2), secret],
    ['a long one', raw, `${signature}00`, secret],
    ['no hexadecimal digits', raw, 'x'.repeat(64), secret],
    ['none', raw, undefined, secret],
    ['null', raw, null, secret],
    ['two headers', raw, [signature, signature], secret],
  ])('refuses %s', (_, body, header, key) => {
    expect(verifyDelivery(body, header, key)).toBe(false)
  })

  it.each([
    [JSON.parse(raw.toString()), secret],
    [raw, ''],
    [raw, undefined],
  ])('throws for a parsed body and for no secret', (body, key) => {
    expect(() => verifyDelivery(body, signature, key as string)).toThrow(TypeError)
  })
})

const secretFile = () => {
  const file = join(mkdtempSync(join(tmpdir(), 'payctl-secret-')), 'hook.secret')
  writeFileSync(file, `${secret}\n`)
  return file
}

describe('--secret-file', () => {
  it('signs what tail passes on and what replay posts, in place of the signature that came', async () => {
    const { tail, subscriptions, run } = await rig()
    const { url, posts } = await target()
    const flags = ['--secret-file', secretFile(), '--signature-header', 'X-Signature']
    const running = await tail(['--forward-to', url, ...flags]).listening()
    const { deliver } = await addressOf(subscriptions)
    await deliver(raw, { 'X-Webhook-Id': 'whd_7', 'x-signature': 'of the service' })
    await running.events(1)
    expect(await run(['webhooks', 'replay', 'last', '--to', url, ...flags])).toMatchObject({ code: 0 })
    expect(posts).toHaveLength(2)
    for (const post of posts) {
      expect(post.body).toEqual(raw)
      const [own, ...others] = ofTheMessage(post).filter(([name]) => /^x-signature$/i.test(name))
      expect(others).toEqual([])
      expect(verifyDelivery(post.body, own?.[1], secret)).toBe(true)
    }
  })

  it.each([
    ['one flag of the two', ['--forward-to', 'localhost:1', '--secret-file', 'x'], 'Give both'],
    ['nothing to sign', ['--secret-file', 'x', '--signature-header', 'X-Signature'], 'Add --forward-to or --route'],
    ['a reserved header', ['--signature-header', 'Host'], 'header that is not reserved'],
  ])('refuses %s', async (_, flags, why) => {
    const { run } = await rig()
    const { code, stderr } = await run(['webhooks', 'tail', ...flags])
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(why) })
  })
})
