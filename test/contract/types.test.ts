import { describe, expect, it } from 'vitest'
import { endpoints } from '../../src/contract/index.ts'
import { compile } from './compile.ts'

const imports = `import type { Endpoints, Handlers, InputOf, OutputOf } from 'contract'`

const table = `
import { type Endpoint, endpoint, type Handlers, User } from 'contract'
const table = {
  'user.get': endpoint({
    method: 'GET',
    path: '/user',
    summary: '',
    access: 'public',
    success: { status: 200, message: '', data: User },
    errors: {},
  }),
} as const satisfies Record<string, Endpoint>
declare const user: User
`

const { errors, instantiations } = compile({
  complete: `${table} export const handlers: Handlers<typeof table, null> = { 'user.get': () => user }`,
  missing: `${table} export const handlers: Handlers<typeof table, null> = {}`,
  unknown: `${table} export const handlers: Handlers<typeof table, null> = { 'user.get': () => user, 'user.put': () => user }`,
  asynchronous: `${table} export const handlers: Handlers<typeof table, null> = { 'user.get': async () => user }`,
  wrong: `${table} export const handlers: Handlers<typeof table, null> = { 'user.get': () => ({ ...user, email: 1 }) }`,
  input: `${imports}; export const input: never = { ...(null as unknown as InputOf<'payments.get'>) }`,
  output: `${imports}; export const output: never = null as unknown as OutputOf<'accounts.create'>`,
  all: `${imports}
    export type Inputs = { [Id in keyof Endpoints]: InputOf<Id> }
    export declare const inputs: Inputs
    export declare const handlers: Handlers<Endpoints, null>
    export const input: Inputs['payments.create'] = inputs['payments.create']
    export const output: OutputOf<'payments.create'> = handlers['payments.create'](input, null)`,
})

describe('handlers of an endpoint table', () => {
  it('compile when there is one for every row', () => {
    expect(errors.complete).toEqual([])
  })

  it('do not compile when one is missing', () => {
    expect(errors.missing).toEqual([expect.stringContaining(`Property ''user.get'' is missing`)])
  })

  it('do not compile for a row that does not exist', () => {
    expect(errors.unknown).toEqual([expect.stringContaining(`''user.put'' does not exist`)])
  })

  it('do not compile when one returns a promise', () => {
    expect(errors.asynchronous).toEqual([expect.stringContaining('Promise<')])
  })

  it('do not compile when one returns something else', () => {
    expect(errors.wrong).toEqual([expect.stringContaining('number')])
  })
})

describe('types of the table', () => {
  it('read like what a person would write', () => {
    expect(errors.input).toEqual([`TS2322: Type '{ params: { id: string; }; }' is not assignable to type 'never'.`])
    expect(errors.output).toEqual([
      `TS2322: Type '{ id: string; iban: string; currency: "CRC" | "USD"; created_at: string; updated_at: string; }' is not assignable to type 'never'.`,
    ])
  })

  it('cost the compiler little (2,200 instantiations a row when this was written)', () => {
    expect(errors.all).toEqual([])
    expect(instantiations / Object.keys(endpoints).length).toBeLessThan(5000)
  })
})
