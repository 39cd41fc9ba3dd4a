import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import type { Command } from 'commander'
import { describe, expect, it } from 'vitest'
import { commandPaths } from '../../.build/cli_reference.ts'
import { showEverything } from '../../src/cli/help.ts'
import { topics } from '../../src/cli/help_topics.ts'
import { createProgram, loadCommand } from '../../src/cli/program.ts'
import { RunContext } from '../../src/cli/run_context.ts'
import { translatedHelp } from '../../src/cli/spanish_help.ts'
import { root } from '../../src/commands/index.ts'
import { areas, helpInSpanish } from '../../src/words/spanish_help.ts'
import { runPayctl, temporaryDirectory } from '../support/run_payctl.ts'

/** Commands whose help is English in every language. The help of all others is Spanish. */
const englishOnly = ['webhooks', 'emulate', 'emulator', 'doctor', 'api', 'openapi', 'schema']

const paths = await commandPaths()
const spanishPaths = [[], ...paths.filter(([group = '']) => !englishOnly.includes(group))]
const entries = Object.values(areas).flatMap((area) => Object.entries<string>(area))

const spanish = { LANG: 'es_CR.UTF-8' }
const helpOn = async (path: readonly string[], env: Readonly<Record<string, string>> = spanish, terminal?: number) =>
  (await runPayctl(['help', ...path], { env: { NO_COLOR: '1', ...env }, ...(terminal && { terminal }) })).stdout

/**
 * Texts of the Spanish help screens, `--help` and `payctl help`. `missing`: those that the catalogue lacks; `used`: all
 * of them.
 */
async function textsOfHelp() {
  const stream = () => new PassThrough()
  const io = { stdin: stream(), stdout: stream(), stderr: stream() }
  const context = new RunContext({ root, env: {}, io, signal: new AbortController().signal })
  const missing = new Set<string>()
  const used = new Set<string>()
  const inSpanish = helpInSpanish((text) => missing.add(text))
  const translate: typeof inSpanish = (said) => {
    used.add(String(said).replaceAll('\n', ' '))
    return inSpanish(said)
  }
  for (const isWhole of [false, true]) {
    const program = await createProgram(context)
    if (isWhole) showEverything(program)
    const visit = async (command: Command): Promise<void> => {
      translatedHelp(command, translate)
      for (const child of command.commands) {
        if (command === program && englishOnly.includes(child.name())) continue
        await loadCommand(child, context)
        await visit(child)
      }
    }
    await visit(program)
  }
  await context.begin({ output: 'table', lang: 'es' }, ['help'])
  for (const topic of Object.values(topics)) await topic.print(context, translate)
  return { missing: [...missing], used: [...used].join('\n') }
}

describe('The Spanish help', () => {
  it('has every text, and no other', async () => {
    const { missing, used } = await textsOfHelp()
    expect(missing).toEqual([])
    expect(entries.length).toBeGreaterThan(400)
    const unused = entries.map(([english]) => english).filter((english) => !used.includes(english))
    expect(unused).toEqual([])
  })

  it('says each text once', () => {
    const english = entries.map(([key]) => key)
    expect(english.filter((key, at) => english.indexOf(key) !== at)).toEqual([])
  })

  it('translates every text', () => {
    const alike = [
      'a,b',
      'iban',
      'id',
      'n',
      'shell',
      'token',
      'url',
      '{ "value": 150025, "currency": "CRC" }',
      "or '>1000', '<=200'",
    ]
    const values = /^[a-z]+[-_a-z]*(, [a-z]+[-_a-z]*)+$/
    const untranslated = entries.filter(([english, text]) => english === text && !values.test(english))
    expect(untranslated.map(([english]) => english).filter((english) => !alike.includes(english))).toEqual([])
  })

  it('keeps flags, commands, numbers and values', () => {
    const changed = entries.filter(([english, text]) => String(marksOf(english)) !== String(marksOf(text)))
    expect(changed).toEqual([])
  })

  it('keeps the flags, the choices and the examples of each screen', async () => {
    for (const path of spanishPaths) {
      const [there, here] = [await helpOn(path, {}), await helpOn(path)]
      expect({ path, language: here.split(' ')[0] }).toEqual({ path, language: 'Uso:' })
      expect({ path, flags: flagsIn(here) }).toEqual({ path, flags: flagsIn(there) })
      expect({ path, commands: examplesIn(here) }).toEqual({ path, commands: examplesIn(there) })
    }
  })

  it('has no English words, also in lines without a translation', async () => {
    for (const path of [...spanishPaths, ...Object.keys(topics).map((topic) => [topic])]) {
      const [text = ''] = (await helpOn(path, spanish, 140)).split('\nEjemplos:\n')
      const words = text.match(/(?<!-)\b(the|with|your|which|are|of|then|and|its|for)\b/g)
      expect({ path, words }).toEqual({ path, words: null })
    }
  })

  it('lists all commands, examples and topics in 80 columns', async () => {
    const lines = (await helpOn([], spanish, 80)).split('\n')
    expect(lines).toContain('Temas:')
    expect(lines.filter((line) => line.length > 80)).toEqual([])
  })

  it.each([40, 80, 140])('fits in a terminal of %i columns, and lines up', async (width) => {
    for (const path of spanishPaths) {
      const [text = ''] = (await helpOn(path, spanish, width)).split('\nEjemplos:\n')
      const lines = text.split('\n').filter((line) => !/^ {2}|^Uso: |payctl help /.test(line))
      expect({ path, wide: lines.filter((line) => line.length > Math.max(width, 80)) }).toEqual({ path, wide: [] })
      if (width === 40) continue
      expect({ path, wide: text.split('\n').filter((line) => line.length > width) }).toEqual({ path, wide: [] })
      expect({ path, columns: columnsIn(text).length }).toEqual({ path, columns: 1 })
    }
    for (const topic of Object.keys(topics)) {
      const lines = (await helpOn([topic], spanish, width))
        .split('\n')
        .filter((line) => width > 40 || !line.startsWith('  -'))
      expect({ topic, wide: lines.filter((line) => line.length > Math.max(width, 80)) }).toEqual({ topic, wide: [] })
    }
  })

  it('fits a screen with --help, as in English', async () => {
    for (const path of spanishPaths) {
      const { stdout } = await runPayctl([...path, '--help'], { env: spanish })
      const most = path.length === 0 ? 50 : 45
      const tooLong = stdout.split('\n').slice(most + 1)
      expect({ path, tooLong }).toEqual({ path, tooLong: [] })
    }
  })
})

describe('The language of help', () => {
  it.each([
    [['payments', '--help'], spanish, /^Uso: payctl payments /],
    [['--lang', 'es', 'payments', 'get', '--help'], {}, /^Uso: payctl payments get /],
    [['payments', 'get', '--help', '--lang', 'es'], {}, /^Uso: payctl payments get /],
    [['help', 'payments', 'get'], { PAYCTL_LANG: 'es' }, /^Uso: payctl payments get /],
    [['help', 'money'], { PAYCTL_LANG: 'es' }, /^El dinero se cuenta /],
    [[], spanish, /^Uso: payctl <comando>/],
    [['help', 'monye'], spanish, /^error: No hay ayuda sobre 'monye'\.\n {2}¿Quiso decir money\?$/m],
    [['payments', 'get', '--help', '--lang', 'en'], spanish, /^Usage: /],
    [['payments', 'get', '--help'], { ...spanish, CI: 'true' }, /^Usage: /],
    [['payments', 'get', '--help'], { ...spanish, LC_ALL: 'C' }, /^Usage: /],
  ])('of %j with %j', async (argv, env, says) => {
    const { stdout, stderr } = await runPayctl(argv, { env })
    expect(stdout + stderr).toMatch(says)
  })

  it('is that of the profile, and English if the profile can not be read', async () => {
    const state = await temporaryDirectory()
    const env = { PAYCTL_STATE_DIR: state, PAYCTL_CONFIG_DIR: state }
    await runPayctl(['profiles', 'set', 'default', '--base-url', 'http://127.0.0.1:1', '--lang', 'es'], { env })
    expect((await runPayctl(['payments', '--help'], { env })).stdout).toMatch(/^Uso: /)
    await writeFile(join(state, 'config.json'), '{')
    expect(await runPayctl(['payments', '--help'], { env })).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Usage: /),
    })
  })

  it('is the same where a subcommand is missing, on stderr', async () => {
    const { code, stdout, stderr } = await runPayctl(['accounts'], { env: spanish })
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(/^Uso: payctl accounts /)
  })

  it('is English for the commands whose screens are English', async () => {
    for (const path of paths.filter(([group = '']) => englishOnly.includes(group))) {
      expect(await helpOn(path)).toBe(await helpOn(path, {}))
    }
  })

  it('does not change the JSON of a topic', async () => {
    for (const topic of ['environment', 'files', 'exit-codes']) {
      const state = await temporaryDirectory()
      const run = (env: object) => runPayctl(['help', topic, '--json'], { env: { PAYCTL_STATE_DIR: state, ...env } })
      expect(await run(spanish)).toEqual(await run({}))
    }
  })
})

/** Flags, names of commands, variables, numbers, values and file endings in a text. */
function marksOf(text: string): readonly string[] {
  const names = new Set(paths.map((path) => path.join(' ')))
  const commands = [...text.matchAll(/payctl ([a-z-]+)(?: ([a-z-]+))?(?: ([a-z-]+))?/g)].flatMap(
    ([, ...words]) => [3, 2, 1].map((count) => words.slice(0, count).join(' ')).find((name) => names.has(name)) ?? [],
  )
  const others = text.match(
    /--[a-z][a-z-]*|-[opvq]\b|PAYCTL_\w+|\b[a-z]+=\S+|\.(?:xlsx|csv|tsv|json|ndjson)\b|\d[\d.,:-]*|\b(?:prepared|stdin|stdout|stderr|or last|o last)\b/g,
  )
  return [...commands, ...(others ?? []).map((mark) => mark.replace(/[.,:]+$/, '').replace(/^or? last/, 'last'))].sort()
}

const flagsIn = (help: string) => help.match(/^ {2}(-\w, )?--[\w-]+(\[=)?/gm)

/** Lines below the heading of the examples, without their comments. */
const examplesIn = (help: string) =>
  /\n(?:Examples|Ejemplos):\n((?: .*(?:\n|$))*)/
    .exec(help)?.[1]
    ?.split('\n')
    .map((line) => line.replace(/(?<=\S)( {2,}| # ).*$/, ''))

/** Columns in which the descriptions of options, arguments and commands begin. */
const columnsIn = (help: string) => [
  ...new Set(help.split('\n').flatMap((line) => /^ {2}\S+( \S+)* {2,}(?=\S)/.exec(line)?.[0].length ?? [])),
]
