import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { describe, expect, it } from 'vitest'
import { printsOf } from '../../src/cli/prints.ts'
import { root } from '../../src/commands/index.ts'
import { commandNames, isGroup, useSeparateFolder } from '../commands/example_arguments.ts'
import { runPayctl } from '../support/run_payctl.ts'
import { rows } from './command_rows.ts'
import { type Workplace, workplace } from './command_workplace.ts'
import { prepared } from './prepared.ts'

useSeparateFolder()

const outputs = await printsOf(root)

const ajv = formats.default(new Ajv2020({ strict: true, strictTypes: false, strictRequired: false }))

async function schemaOf(name: string) {
  const { code, stdout, stderr } = await runPayctl(['schema', ...name.replace(/[<>]/g, '').split(' ')])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return JSON.parse(stdout)
}

/**
 * The schema of the output, changed so that it allows only named fields: payctl's emulator sends only fields of the
 * contract.
 */
const closed = (schema: object): object =>
  JSON.parse(JSON.stringify(schema), (_, value) =>
    value?.type?.includes?.('object') && value.properties && Object.keys(value.properties).length > 0
      ? { additionalProperties: false, ...value }
      : value,
  )

/** True if several parts of a schema describe one object together. */
const open = (schema: object): boolean => JSON.stringify(schema).includes('"allOf"')

/** Rows of `payctl schema` for commands whose shape depends on an argument. */
const asRun: Readonly<Record<string, string>> = {
  'payments resume': 'payments resume <id>',
  api: 'api <endpoint>',
  lookup: 'lookup <file>',
}

const names = commandNames.filter((name) => name in rows || !isGroup(name))

/** Checks that the output of a command has the shape and the schema that `payctl schema` prints. */
async function requireSchema(name: string, stdout: string): Promise<void> {
  const shape = outputs[name]?.shape
  if (shape === 'nothing') return expect(stdout).toBe('')
  if (shape === 'text') return expect(stdout).toMatch(/\S\n$/)
  const documents = shape === 'lines' ? stdout.trimEnd().split('\n') : [stdout]
  expect(documents.length).toBeGreaterThan(0)
  const schema = await schemaOf(name)
  const validate = ajv.compile(open(schema) ? schema : closed(schema))
  for (const document of documents) {
    const data = JSON.parse(document)
    if (shape !== 'lines') expect(Array.isArray(data)).toBe(shape === 'array')
    expect({ valid: validate(data), errors: validate.errors }).toEqual({ valid: true, errors: null })
  }
}

describe('payctl schema', () => {
  it('knows every command, and no others', () => {
    expect(names.filter((name) => !(name in outputs))).toEqual([])
    const bare = Object.keys(outputs).map((name) => name.replace(/ (--|<).*$|^(help) .*$/, '$2'))
    expect(bare.filter((name) => name !== 'error' && !names.includes(name))).toEqual([])
  })

  it.each(names.filter((name) => !rows[name]?.asks))('has the schema of %s', async (name) => {
    const run = await prepared(name, await workplace(), ['--json'])
    const { code, stdout, stderr } = await run.piped()
    expect({ code, stderr }).toMatchObject({ code: 0 })
    await requireSchema(asRun[name] ?? name, stdout)
  })
})

describe('payctl schema of another shape', () => {
  const printed = async ({ piped }: Workplace, argv: readonly string[]) => (await piped([...argv, '--json'])).stdout

  it.each([
    'accounts list',
    'payments history',
    'webhooks list',
    'emulator deliveries',
    'emulator requests',
    'emulator worlds',
  ])('%s --envelope', async (name) => {
    const at = await workplace()
    await requireSchema(`${name} --envelope`, await printed(at, [...name.split(' '), '--envelope']))
  })

  it('payments: a dry run, one intent, all that is in doubt', async () => {
    const at = await workplace()
    const order = ['--from', at.account, '--to', '87000001', '--amount', '5']
    await requireSchema('payments send --dry-run', await printed(at, ['payments', 'send', ...order, '--dry-run']))
    const file = at.file('dry.csv', `to,amount,description,from\n87000001,1,,${at.account}\n`)
    await requireSchema('payments batch --dry-run', await printed(at, ['payments', 'batch', file, '--dry-run']))
    await at.run(['payments', 'send', ...order, '--yes'])
    await requireSchema('payments outbox <id>', await printed(at, ['payments', 'intents', 'last']))
    await requireSchema('payments resume', await printed(at, ['payments', 'resume']))
    await requireSchema(
      'payments send',
      await printed(at, ['payments', 'send', ...order, '--yes', '--wait', '--wait-timeout', '1ms']),
    )
  })

  it('of lookups that find nobody, of no arguments, and of itself', async () => {
    const at = await workplace()
    await requireSchema('phone', await printed(at, ['phone', '87000001', '88889999', '123']))
    await requireSchema('iban', await printed(at, ['iban', 'CR81016100100000000006', 'CR00']))
    await requireSchema('api', await printed(at, ['api']))
    for (const topic of ['environment', 'files', 'exit-codes']) {
      await requireSchema(`help ${topic}`, await printed(at, ['help', topic]))
    }
    await requireSchema('schema <command>', await printed(at, ['schema', 'user']))
  })

  it('of an error', async () => {
    const { piped, account } = await workplace()
    const validate = ajv.compile(await schemaOf('error'))
    for (const argv of [['payments', 'get', 'x'], ['accounts', 'get', account.replace(/.$/, '0')], ['nonsense']]) {
      const { code, stderr } = await piped([...argv, '--json', '--quiet'])
      expect(code).not.toBe(0)
      expect({ valid: validate(JSON.parse(stderr)), errors: validate.errors }).toEqual({ valid: true, errors: null })
    }
  })
})

describe('payctl schema says', () => {
  it.each([
    [['completion'], 'text'],
    [['logout'], 'nothing on stdout'],
    [['payments'], 'Did you mean payments send?'],
    [['acounts', 'list'], 'Did you mean accounts list?'],
    [['payments', 'get', '--envelope'], 'has no documented output'],
  ])('%j: %s', async (words, said) => {
    const { code, stdout, stderr } = await runPayctl(['schema', ...words])
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(said)
  })

  it('the same of a short form as of what it stands for', async () => {
    expect(await schemaOf('history')).toEqual(await schemaOf('payments history'))
  })
})
