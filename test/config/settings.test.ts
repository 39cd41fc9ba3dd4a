import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { Ajv } from 'ajv'
import { execa } from 'execa'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { aliasSettings } from '../../src/cli/short_forms.ts'
import { configSettings } from '../../src/config/profile.ts'
import { changeSettings, readSettings, type SettingsFormat } from '../../src/config/settings.ts'
import { faultIn, lineOf, type Path, type Schema } from '../../src/config/settings_schema.ts'
import { payeesSettings } from '../../src/payees/payees_file.ts'
import { payctlCommand } from '../support/program.ts'
import { temporaryDirectory } from '../support/run_payctl.ts'
import '../support/seed.ts'

const formats: readonly (readonly [string, SettingsFormat<object>])[] = [
  ['profiles', configSettings as SettingsFormat<object>],
  ['aliases', aliasSettings as SettingsFormat<object>],
  ['payees', payeesSettings as SettingsFormat<object>],
]

async function folderWith(settings: Pick<SettingsFormat<never>, 'fileIn'>, text: string) {
  const folder = await temporaryDirectory()
  const file = settings.fileIn(folder)
  writeFileSync(file, text)
  return { folder, file, text: () => readFileSync(file, 'utf8') }
}

describe.each(formats)('the file of %s', (_, settings) => {
  it('is private, and keeps members that this payctl does not know', async () => {
    const { folder, file, text } = await folderWith(settings, JSON.stringify({ ...settings.empty, later: [1] }))

    await changeSettings(settings, folder, (content) => ({ ...settings.empty, ...content }))

    expect(JSON.parse(text())).toEqual({ version: 1, later: [1], ...settings.empty })
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  it('is not written without a change', async () => {
    const { folder, text } = await folderWith(settings, JSON.stringify(settings.empty))

    await changeSettings(settings, folder, (content) => content)

    expect(text()).toBe(JSON.stringify(settings.empty))
  })

  it.each([
    ['broken', '{"version": 1', 'is broken: line 1: it is not JSON'],
    ['of another kind', '[1]', 'is broken: line 1: it is not a JSON object'],
    ['of a newer payctl', '{"version": 2}', 'was written by a newer payctl'],
    ['of version 0', '{\n"version": 0}', 'is broken: line 2: version must be a number, at least 1'],
  ])('that is %s is refused, and never changed', async (_, content, message) => {
    const { folder, file, text } = await folderWith(settings, content)
    const refused = `The ${settings.noun} file ${file} ${message}`

    expect(() => readSettings(settings, folder)).toThrow(refused)
    await expect(changeSettings(settings, folder, () => settings.empty)).rejects.toThrow(refused)

    expect(text()).toBe(content)
    expect(readdirSync(folder).sort()).toEqual([basename(file), basename(file).replace('.json', '.lock')].sort())
  })
})

describe('a format with migrations', () => {
  interface Lamps {
    readonly lamps: Readonly<Record<string, boolean>>
  }
  const lampSettings: SettingsFormat<Lamps> = {
    noun: 'lamp',
    fileIn: (folder) => join(folder, 'lamps.json'),
    entry: 'lamp',
    empty: { lamps: {} },
    schema: {
      type: 'object',
      required: ['lamps'],
      properties: { lamps: { type: 'object', additionalProperties: { type: 'boolean' } } },
    },
    migrations: [
      ({ lit, ...rest }) => ({ ...rest, on: lit }),
      ({ on, ...rest }) => ({ ...rest, lamps: Object.fromEntries((on as string[]).map((name) => [name, true])) }),
    ],
  }

  it.each([
    ['without a version', { lit: ['hall'] }],
    ['of version 1', { version: 1, lit: ['hall'] }],
    ['of version 2', { version: 2, on: ['hall'] }],
    ['of version 3', { version: 3, lamps: { hall: true } }],
  ])('reads a file %s, and writes the newest version', async (_, content) => {
    const { folder, text } = await folderWith(lampSettings, JSON.stringify(content))

    expect(readSettings(lampSettings, folder)).toEqual({ lamps: { hall: true } })
    expect(JSON.parse(text())).toEqual(content)
    await changeSettings(lampSettings, folder, ({ lamps }) => ({ lamps: { ...lamps, porch: false } }))

    expect(JSON.parse(text())).toEqual({ version: 3, lamps: { hall: true, porch: false } })
  })

  it('refuses a higher version', async () => {
    const { folder } = await folderWith(lampSettings, '{"version": 4}')
    expect(() => readSettings(lampSettings, folder)).toThrow('was written by a newer payctl')
  })

  it('writes nothing that it could not read', async () => {
    const { folder, text } = await folderWith(lampSettings, '{"version": 3, "lamps": {}}')

    const wrong = { lamps: { hall: 'on' } } as unknown as Lamps
    await expect(changeSettings(lampSettings, folder, () => wrong)).rejects.toThrow('schema violation')

    expect(text()).toBe('{"version": 3, "lamps": {}}')
    expect(readdirSync(folder).sort()).toEqual(['lamps.json', 'lamps.lock'])
  })
})

describe('a schema', () => {
  /** Member names that the schemas use, for random JSON values. */
  const name = fc.constantFrom('aliases', 'profiles', 'payees', 'name', 'base_url', 'holder', 'a')
  const json = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      fc.constantFrom('text', 1, 1.5, true, null),
      fc.array(tie('value'), { maxLength: 2 }),
      fc.dictionary(name, tie('value'), { maxKeys: 4 }),
    ),
  })).value

  it.each(formats)('of %s allows what ajv allows', (_, { schema }) => {
    const isValid = new Ajv({ strict: false }).compile(schema)
    fc.assert(
      fc.property(
        fc.oneof(json, fc.record(Object.fromEntries(Object.keys(schema.properties ?? {}).map((key) => [key, json])))),
        (value) => {
          expect(faultIn(value, schema, String) === undefined).toBe(isValid(value))
        },
      ),
      { numRuns: 300 },
    )
  })

  const prod: Schema = {
    type: 'object',
    required: ['users'],
    additionalProperties: false,
    properties: {
      kind: { type: 'string', enum: ['oauth', 'dashboard'] },
      users: { type: ['array', 'null'], minItems: 1, items: { type: 'integer' } },
      live: { type: 'boolean' },
    },
  }

  it.each([
    [[], ' is not an object'],
    [{}, 'users is missing'],
    [{ users: {} }, 'users is not a list or null'],
    [{ users: [] }, 'users is empty'],
    [{ users: [1, 'b'] }, 'users.1 is not a whole number'],
    [{ users: null, kind: 'pat' }, 'kind is not oauth or dashboard'],
    [{ users: null, live: 1 }, 'live is not true or false'],
    [{ users: null, toString: 1 }, 'toString is not known to this payctl'],
    [{ users: null }, undefined],
  ])('says of %j that it %s', (value, reason) => {
    const nameOf = (path: Path) => path.join('.')
    expect(faultIn(value, prod, nameOf)?.reason).toBe(reason)
  })
})

describe('the line of a value', () => {
  it('is the line of its name, or of the item in a list, wherever the line ends are', () => {
    const named = fc.dictionary(
      fc.string(),
      fc.oneof(fc.string(), fc.array(fc.string()), fc.dictionary(fc.string(), fc.integer())),
    )
    fc.assert(
      fc.property(named, fc.constantFrom(0, 2), (value, indent) => {
        const text = JSON.stringify(value, null, indent)
        const names = Object.keys(JSON.parse(text))
        for (const name of names) {
          const line = text.split('\n')[lineOf(text, [name]) - 1] ?? ''
          expect(line).toContain(JSON.stringify(name))
        }
        expect(lineOf(text, [])).toBe(1)
      }),
    )
  })

  it.each([
    [['list', 1], 4],
    [['list', 2, 'name'], 6],
    [['list', 2, 'missing'], 5],
    [['list', 9], 2],
    [['absent'], 1],
  ])('at %j is %i', (path, line) => {
    const text = '{\n"list": [\n1,\n"a, [b]", // {\n{"x": 1,\n"name": 2}\n]}'.replace(' // {', '')
    expect(lineOf(text, path)).toBe(line)
  })
})

const bash = (command: string, args: readonly string[], options: object) =>
  execa('bash', ['-c', `ulimit -f 1; ${command} "$@"`, 'bash', ...args], {
    reject: false,
    ...options,
  })

describe('a disk that takes only a part of the file', () => {
  const profiles = Object.fromEntries(
    Array.from({ length: 30 }, (_, at) => [`p${at}`, { base_url: 'https://a.example' }]),
  )
  const text = JSON.stringify({ version: 1, profiles })

  it.each([
    ['', {}],
    [' inside a snap', { SNAP: '/snap/node/1' }],
  ])('leaves the settings as they were%s', async (_, env) => {
    expect(text.length).toBeGreaterThan(1024)
    const { folder, text: now } = await folderWith(configSettings, text)

    const { exitCode, stderr } = await bash('exec', payctlCommand(['profiles', 'use', 'p1']).flat(), {
      env: { ...env, PAYCTL_CONFIG_DIR: folder, PAYCTL_STATE_DIR: folder },
    })

    expect({ exitCode, stderr }).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("can't be written: ") })
    expect(now()).toBe(text)
    expect(readdirSync(folder).sort()).toEqual(['config.json', 'config.lock'])
  })

  // Shows why conf only writes a draft, and why the bundle replaces the package that writes conf's files.
  it('makes conf alone lose them', async () => {
    const { folder, text: now } = await folderWith(configSettings, text)
    const alone = `import Conf from 'conf'
      const conf = new Conf({ cwd: ${JSON.stringify(folder)}, accessPropertiesByDotNotation: false })
      conf.set('current', 'p1')
      console.log('saved')`

    const { stdout } = await bash('exec', [process.execPath, '--input-type=module', '--eval', alone], {
      cwd: import.meta.dirname,
    })

    expect(stdout).toBe('saved')
    expect(now()).toHaveLength(1024)
    expect(() => JSON.parse(now())).toThrow()
  })
})
