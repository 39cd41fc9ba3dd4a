import { stripVTControlCharacters } from 'node:util'
import stringWidth from 'string-width'
import { describe, expect, it } from 'vitest'
import { commandNames, isGroup, useSeparateFolder } from '../commands/example_arguments.ts'
import { everyNth } from '../support/full.ts'
import { type Row, rows } from './command_rows.ts'
import { columns, type Ended, workplace } from './command_workplace.ts'
import { prepared } from './prepared.ts'

useSeparateFolder()

const names = commandNames.filter((name) => (name in rows || !isGroup(name)) && !rows[name]?.asks)

const linesOf = (text: string): readonly string[] => text.replace(/\r?\n$/, '').split(/\r?\n/)

const remedy = 'If it needs other arguments than those of the first example in its help, add a row to command_rows.ts.'

function requireDone({ code, stderr }: Ended): void {
  expect({ code, stderr }, remedy).toMatchObject({ code: 0 })
  expect(stderr).not.toMatch(/^\s+at .+:\d+|error:|bug/m)
}

/** Checks that every row has as many cells as the heading; an empty table also has its heading. */
function requireRows(stdout: string): void {
  const cells = linesOf(stdout).map((line) => line.split('\t').length)
  expect(linesOf(stdout)[0]).toMatch(/^[a-z_]+(\t[a-z_]+)+$/)
  expect(new Set(cells).size).toBe(1)
}

function requirePrinted(stdout: string, prints: Row['prints']): void {
  if (prints === 'nothing') expect(stdout).toBe('')
  else if (prints === 'tsv') requireRows(stdout)
  else expect(stdout).toMatch(/\S\n$/)
}

function requireJson(stdout: string, json: Row['json']): void {
  if (json === 'nothing') expect(stdout).toBe('')
  else if (json === 'document') JSON.parse(stdout)
  else if (json === 'lines') for (const line of linesOf(stdout)) JSON.parse(line)
  else expect(stdout).toMatch(/\S\n$/)
}

describe('every command', () => {
  it('is what a row of this test is for', () => {
    expect(commandNames).toEqual(expect.arrayContaining(Object.keys(rows)))
  })

  it.each(commandNames.filter((name) => isGroup(name) && !names.includes(name)))(
    '%s without a verb is told what there is',
    async (name) => {
      const { piped } = await workplace()
      const { code, stdout, stderr } = await piped(name.split(' '))
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
      expect(stderr).toContain('Usage: ')
    },
  )
})

describe.each(everyNth(names, 4))('%s', (name) => {
  const { prints = 'tsv', json = 'document', colour = prints === 'tsv', whole = false }: Row = rows[name] ?? {}
  it('prints data into a pipe, JSON with --json, and what fits and is coloured at a terminal', async () => {
    const at = await workplace()
    const asked = await prepared(name, at, ['--json'])
    const [data, plain, coloured] = [await prepared(name, at), await prepared(name, at), await prepared(name, at)]
    const [inPipe, inJson, uncoloured, inColour] = await Promise.all([
      data.piped(),
      asked.piped(),
      plain.atTerminal({ NO_COLOR: '1' }),
      coloured.atTerminal({ NO_COLOR: '' }),
    ])
    for (const ended of [inPipe, inJson, uncoloured, inColour]) requireDone(ended)
    for (const { stdout } of [inPipe, inJson, uncoloured]) expect(stdout).not.toContain('\u001b')
    expect(inColour.stdout.includes('\u001b[')).toBe(colour)
    requirePrinted(inPipe.stdout, prints)
    requireJson(inJson.stdout, json)
    for (const { stdout } of whole ? [] : [uncoloured, inColour]) {
      const widths = linesOf(stripVTControlCharacters(stdout)).map((line) => stringWidth(line))
      expect({ stdout, wide: Math.max(...widths) > columns }).toEqual({ stdout, wide: false })
    }
  })
})
