import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { newAuthorization, readAnswer, readPasted } from '../../src/auth/authorization.ts'
import { growth, linear, longTexts } from '../output/growth.ts'

const state = 'the-state-of-this-login'
const code = fc.stringMatching(/^[\x21-\x7e]{1,100}$/).filter((text) => !text.includes('://'))
const callback = 'http://127.0.0.1:49152/callback'

describe('an answer', () => {
  it('with the state of the login is understood, however it is pasted', () => {
    fc.assert(
      fc.property(code, fc.constantFrom('', '#', '#_=_'), (given, end) => {
        const query = new URLSearchParams({ code: given, state })
        expect(readAnswer(query, state)).toEqual({ code: given })
        for (const address of [`${callback}?${query}`, `127.0.0.1:49152/callback?${query}`, `?${query}`, `${query}`]) {
          expect(readPasted(` ${address}${end}\n`, state)).toEqual({ code: given })
        }
      }),
    )
  })

  it('may be the code alone, as it stands in an address', () => {
    expect(readPasted('4%2F0AX4-x', state)).toEqual({ code: '4/0AX4-x' })
    expect(readPasted('100%', state)).toEqual({ code: '100%' })
  })

  it('with any other state is none', () => {
    fc.assert(
      fc.property(code, fc.string(), fc.constantFrom('code', 'error'), (given, other, name) => {
        fc.pre(other !== state)
        const query = new URLSearchParams({ [name]: given, state: other })
        expect(readAnswer(query, state)).toBeNull()
        expect(readPasted(`${callback}?${query}`, state)).toBeNull()
      }),
    )
  })

  it.each(longTexts)('is looked for in no more time than the text is long: %s', async (_, make) => {
    expect(await growth((size) => readPasted(`?state=${make(size)}`, state), 8_000)).toBeLessThan(linear)
  })

  it.each([
    ['two states', `code=c&state=${state}&state=${state}`],
    ['two codes', `code=c&code=d&state=${state}`],
    ['no code', `state=${state}`],
    ['an empty code', `code=&state=${state}`],
    ['a code with a line end', `code=a%0Ab&state=${state}`],
    ['no state', 'code=c'],
  ])('with %s is none', (_, query) => {
    expect(readAnswer(new URLSearchParams(query), state)).toBeNull()
  })

  it.each([callback, encodeURIComponent(callback), 'https://other.example/', 'two words', 'two%20words', '', 'é'])(
    'that is only %j is none',
    (text) => {
      expect(readPasted(text, state)).toBeNull()
    },
  )

  it('is bound to a state and a verifier that no other login has', () => {
    const request = { authUrl: 'https://a.example', clientId: 'me', redirectUri: callback, scopes: undefined }
    const all = Array.from({ length: 100 }, () => newAuthorization(request))
    expect(new Set(all.flatMap((one) => [one.state, one.verifier])).size).toBe(200)
    for (const { url, verifier } of all) expect(url).not.toContain(verifier)
  })
})
