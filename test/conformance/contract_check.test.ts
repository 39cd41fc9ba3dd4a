import { expect, test } from 'vitest'
import { checkReply } from './contract_check.ts'

test.each([
  [{}, 'no Content-Type'],
  [{ 'content-type': 'text/html' }, 'text/html'],
])('an answer with the headers %j is not JSON', (headers, got) => {
  const check = () => checkReply('user.get', { status: 200, headers, text: '{}' }, { emulated: false })
  expect(check).toThrow(`expected '${got}' to match`)
})
