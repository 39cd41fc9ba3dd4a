import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hintOf } from '../../src/cli/next_step.ts'
import { formatIban } from '../../src/contract/iban.ts'
import { buildIban } from '../../src/contract/index.ts'
import { CliError } from '../../src/errors/cli_error.ts'
import { resolveAccount } from '../../src/values/account.ts'

const colones = account('0190a000-0000-7000-8000-0000000000c1', buildIban('999', '10000000000001'), 'CRC')
const dollars = account('0190a000-0000-7000-8000-0000000000d1', buildIban('999', '20000000000001'), 'USD')
const savings = account('0277b111-2222-7000-8000-00000000aaaa', buildIban('152', '00012345678901'), 'USD', 'closed')
const accounts = [colones, dollars, savings]

function account(id: string, iban: string, currency: string, status = 'active') {
  return { id, iban, status, balance: { currency } }
}

const refusal = (text: string, among: readonly (typeof colones)[] = accounts) => {
  try {
    resolveAccount(text, among, '--from')
  } catch (error) {
    if (error instanceof CliError) return error
    throw error
  }
  throw new Error(`${text} names an account`)
}

test.each([
  [colones.id, colones],
  [colones.id.toUpperCase(), colones],
  [` ${colones.id}\n`, colones],
  [colones.iban, colones],
  [formatIban(colones.iban).toLowerCase(), colones],
  [`IBAN ${formatIban(dollars.iban)}`, dollars],
  ['00c1', colones],
  ['...00c1', colones],
  ['…00d1', dollars],
  ['0277', savings],
  ['0277b111-2222', savings],
  ['8901', savings],
  ['4567 8901', savings],
  ['crc', colones],
  ['USD', dollars],
])('%s', (text, meant) => {
  expect(resolveAccount(text, accounts, '--from')).toBe(meant)
})

test.each([
  [
    '0001',
    '--from "0001" matches 2 of your accounts.',
    /CRC \.\.\.0001 \(id \.\.\.000c1\), USD \.\.\.0001 \(id \.\.\.000d1\)/,
  ],
  ['0190', '--from "0190" matches 2 of your accounts.', /Name one by its id/],
  [
    '1234',
    '--from "1234" is not one of your accounts.',
    /^Your accounts: CRC .+, USD \.\.\.8901 \(id \.\.\.0aaaa, closed\)$/,
  ],
  ['EUR', '--from "EUR" is not one of your accounts.', /Your accounts/],
  ['001', '--from "001" is too short: give at least 4 characters.', /an id, an IBAN/],
  ['', '--from is empty.', /accounts list/],
  ['ana@example.com', '--from "ana@example.com" looks like an email address, not like an account.', /accounts list/],
  ['8888-1234', '--from "8888-1234" looks like a phone, and is not one of your accounts.', /Your accounts/],
  ['mi cuenta', '--from "mi cuenta" does not name an account.', /accounts list/],
  ['%', '--from "%" is too short', /accounts list/],
  ['00%1', '--from "00%1" does not name an account.', /accounts list/],
  [`${colones.iban.slice(0, -1)}2`, 'has a typing error', /digit by digit/],
  [
    '3f2504e0-4f89-41d3-9a0c-0305e82c3301',
    '--from "3f2504e0-4f89-41d3-9a0c-0305e82c3301" is not the id of one of your accounts.',
    /Your accounts/,
  ],
])('%j is refused', (text, message, hint) => {
  const refused = refusal(text)
  expect(refused.message).toContain(message)
  expect(refused.hint ?? (refused.next && hintOf(refused.next, {}))).toMatch(hint)
})

test('two accounts of a currency need a choice, and only those that can pay are offered', () => {
  const second = account('0333c111-2222-7000-8000-00000000bbbb', buildIban('999', '20000000000002'), 'USD')
  expect(refusal('USD', [...accounts, second]).message).toBe('--from "USD" matches 2 of your accounts.')
  expect(resolveAccount('USD', [savings], '--from')).toBe(savings)
})

test('without any account it says how to open one', () => {
  expect(refusal('CRC', []).next).toEqual({ kind: 'open_account' })
})

test('a text names an account only by all of its id, by a part of it, or by the end of its IBAN', () => {
  const parts = fc
    .tuple(fc.constantFrom(...accounts), fc.nat(40), fc.nat(40), fc.boolean())
    .map(([{ id, iban }, from, to, isId]) => (isId ? id : iban).slice(from, to))
  fc.assert(
    fc.property(parts, (part) => {
      const meant = accounts.filter(({ id, iban, balance: { currency } }) => {
        if (part === currency || iban === part) return true
        if (!/^\d+$/.test(part))
          return id.includes(part) || (/^[\d-]+$/.test(part) && iban.endsWith(part.replaceAll('-', '')))
        return id.startsWith(part) || id.endsWith(part) || iban.endsWith(part)
      })
      if (part.length >= 4 && meant.length === 1) expect(resolveAccount(part, accounts, 'from')).toBe(meant[0])
      else expect(() => resolveAccount(part, accounts, 'from')).toThrow()
    }),
    { numRuns: 1000 },
  )
})
