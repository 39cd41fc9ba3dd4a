import { readdirSync, readFileSync } from 'node:fs'
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it } from 'vitest'
import { commandPaths } from '../../.build/cli_reference.ts'
import { topics } from '../../src/cli/help_topics.ts'
import { exits } from '../../src/errors/exit_codes.ts'
import { version } from '../../src/version.ts'
import { runPayctl } from '../support/run_payctl.ts'
import { rootListings } from './root_commands.ts'

const paths = await commandPaths()

/** Column in which the descriptions of options, arguments and commands begin. */
const columnsOf = (help: string): readonly number[] => [
  ...new Set(
    help
      .split('\n')
      .map((line) => /^ {2}\S+( \S+)* {2,}(?=\S)/.exec(line)?.[0].length)
      .filter((column) => column !== undefined),
  ),
]

/**
 * Help text with each run of white space as one space, and without the line of --help: help with grouped options does
 * not have that line.
 */
const wordsOf = (help: string): string => help.replace(/^(Options:\n)? {2}-h, --help .*$/gm, '').replaceAll(/\s+/g, ' ')

describe('help', () => {
  it('of payctl fits 80 columns and names every command', async () => {
    const { code, stdout, stderr } = await runPayctl(['--help'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatchSnapshot()
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80)
    for (const name of Object.keys(rootListings)) expect(stdout).toMatch(new RegExp(`^  ${name} `, 'm'))
  })

  it('states a default once', async () => {
    for (const path of paths) {
      const { stdout } = await runPayctl(['help', ...path])
      for (const option of stdout.split(/\n(?= {2}-)/)) {
        expect(option.match(/\bdefault:/g)?.length ?? 0, `${path}: ${option}`).toBeLessThanOrEqual(1)
      }
    }
  })

  it('of payctl fits on a screen of 50 lines, and has bold headings where there are colours', async () => {
    const { stdout } = await runPayctl(['--help'])
    expect(stdout.split('\n').length).toBeLessThanOrEqual(50)
    const coloured = await runPayctl(['--help'], { env: { FORCE_COLOR: '1' } })
    expect(coloured.stdout).toContain('\x1b[1mMoney:\x1b[22m')
    expect(stripVTControlCharacters(coloured.stdout)).toBe(stdout)
  })

  it('is what payctl alone, and payctl help, print', async () => {
    const asked = await runPayctl(['--help'])
    expect(await runPayctl([])).toEqual(asked)
    expect(await runPayctl(['help'])).toEqual(asked)
  })

  it.each([
    [['accounts']],
    [['accounts', 'list']],
    [['accounts', 'create']],
    [['accounts', 'get']],
    [['accounts', 'balance']],
    [['user']],
    [['phone']],
    [['iban']],
  ])('of %j is the same by --help and by payctl help', async (path) => {
    const { code, stdout } = await runPayctl(['help', ...path])
    expect(code).toBe(0)
    expect(stdout).toMatchSnapshot()
    expect((await runPayctl([...path, '--help'])).stdout).toBe(stdout)
  })

  it.each(paths.map((path) => path.join(' ')))(
    'of %s fits 80 columns, lines up and ends with examples',
    async (name) => {
      const { code, stdout } = await runPayctl([...name.split(' '), '--help'])
      const [text = '', examples = ''] = stdout.split('\nExamples:\n')
      expect(code).toBe(0)
      expect(text).toMatch(new RegExp(`^Usage: payctl ${name} `))
      expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([])
      expect(columnsOf(text)).toHaveLength(1)
      expect(examples).toMatch(/^( {2}\$ .+\n( {6}.+\n)*)+$/)
      expect(examples).toMatch(new RegExp(`^  \\$ (.+ \\| )?payctl (--\\S+ )*${name}\\b`, 'm'))
    },
  )

  it.each(paths.map((path) => path.join(' ')))(
    'of %s fits a screen of 45 lines; payctl help has every option with all its words',
    async (name) => {
      const brief = (await runPayctl([...name.split(' '), '--help'])).stdout
      const all = (await runPayctl(['help', ...name.split(' ')])).stdout
      expect(brief.trimEnd().split('\n').length).toBeLessThanOrEqual(45)
      expect(brief.includes(`\nEverything: payctl help ${name}\n`)).toBe(wordsOf(all) !== wordsOf(brief))
      const flags = new Set([...all.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm)].map(([, flag]) => flag))
      for (const flag of flags) if (flag !== '--help') expect(brief).toContain(flag)
      expect(all).not.toContain('Everything:')
    },
  )

  it('of emulate names the options of few runs, which payctl help describes', async () => {
    const brief = (await runPayctl(['emulate', '--help'])).stdout
    expect(brief).toMatchSnapshot()
    expect(brief).toMatch(/\nMore options:\n {2}--rng-seed, (.+\n)+/)
    const all = (await runPayctl(['help', 'emulate'])).stdout
    expect(all).toMatchSnapshot()
    expect(all).toMatch(/ {2}--rng-seed <n\|text> +the same ids/)
    expect(all).toContain('PAYCTL_ACCOUNT_CRC')
  })

  it.each([[['emulator', 'clock', 'freeze']], [['payments', 'get']], [['help']]])(
    'of %j is what payctl help prints',
    async (path) => {
      const asked = await runPayctl([...path, '--help'])
      expect(await runPayctl(['help', ...path])).toEqual(asked)
      expect(asked.stdout).toMatch(new RegExp(`^Usage: payctl ${path.join(' ')} `))
    },
  )

  it('goes to stderr with exit code 2 when a verb is missing', async () => {
    const { code, stdout, stderr } = await runPayctl(['accounts'])
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain('Usage: payctl accounts')
  })

  it.each(Object.keys(topics))('on the topic %s fits 80 columns', async (topic) => {
    const { code, stdout, stderr } = await runPayctl(['help', topic], { terminal: 80 })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80)
    expect((await runPayctl(['help', 'help'])).stdout).toContain(`\n  ${topic}: `)
  })

  it('on the environment names every variable of payctl that the program reads', async () => {
    const sources = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))
    const read = sources.flatMap((name) => readFileSync(`src/${name}`, 'utf8').match(/(?<=\benv\.)PAYCTL_\w+/g) ?? [])
    const { stdout } = await runPayctl(['help', 'environment', '--json'])
    const told = JSON.parse(stdout).map(({ name }: { name: string }) => name)
    expect(told).toEqual(expect.arrayContaining([...new Set(read)]))
    expect(read.length).toBeGreaterThan(10)
  })

  it('on exit-codes is the table of exit codes', async () => {
    const { code, stdout } = await runPayctl(['help', 'exit-codes', '--json'])
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toEqual(Object.entries(exits).map(([name, exit]) => ({ name, ...exit })))
  })
})

it.each(['--version', '-V'])('%s is one line', async (flag) => {
  expect(await runPayctl([flag])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' })
})
