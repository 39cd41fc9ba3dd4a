import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { commandPaths } from '../../.build/cli_reference.ts'
import { manPages } from '../../.build/man_pages.ts'
import { exits } from '../../src/errors/exit_codes.ts'

const pages = await manPages()
const spanish = await manPages('es')

/** Text of a page without macros and escapes, which is nearly the output of `man`. */
const textOf = (name: string, from = pages): string =>
  (from[name] ?? '')
    .replace(/^\.[A-Z]+ ?/gm, '')
    .replace(/\\f[BR]/g, '')
    .replaceAll('\\-', '-')
    .replaceAll('\\&', '')

const hasMandoc = (() => {
  try {
    execFileSync('mandoc', ['-T', 'lint', '/dev/null'], { stdio: 'ignore' })
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ENOENT'
  }
})()

describe('man pages', () => {
  it('are built as they are written', () => {
    for (const [folder, built] of [
      ['dist/man', pages],
      ['dist/man/es/man1', spanish],
    ] as const) {
      const names = readdirSync(folder).filter((name) => name !== 'es')
      expect(names.sort()).toEqual(Object.keys(built).sort())
      for (const [name, text] of Object.entries(built)) expect(readFileSync(join(folder, name), 'utf8')).toBe(text)
    }
  })

  it('describe every command, each on the page of its first word', async () => {
    for (const path of await commandPaths()) {
      expect(textOf(`payctl-${path[0]}.1`)).toMatch(new RegExp(`^payctl ${path.join(' ')}\\b`, 'm'))
      expect(textOf('payctl.1')).toContain(`payctl-${path[0]}(1)`)
    }
  })

  it('list every exit code', () => {
    const text = textOf('payctl.1').replaceAll('\n', ' ')
    for (const { code, meaning } of Object.values(exits)) expect(text).toContain(`${code} ${meaning}`)
  })

  it('are Spanish as a whole for the commands with Spanish help, with the same commands and flags', () => {
    expect(Object.keys(spanish)).toEqual(
      expect.arrayContaining(['payctl.1', 'payctl-payments.1', 'payctl-lookup.1', 'payctl-login.1', 'payctl-limits.1']),
    )
    expect(Object.keys(spanish)).not.toContain('payctl-emulator.1')
    for (const name of Object.keys(spanish)) {
      const text = textOf(name, spanish)
      expect(text).toMatch(/^NOMBRE\n[\s\S]*^SINOPSIS\n[\s\S]*^DESCRIPCI/m)
      expect(text).not.toMatch(/^(NAME|SYNOPSIS|Examples:|SEE ALSO)$/m)
      /** Commands, flags and the beginnings of examples. */
      const marks = /^\.SS .*|(?<=^\.TP\n\\fB(?:\\-\w, )?)\\-\\-[\w\\-]+|^payctl\S+\(1\)| {2}\$ \S+(?: \S+){0,3}/gm
      expect({ name, marks: spanish[name]?.match(marks) }).toEqual({ name, marks: pages[name]?.match(marks) })
    }
  })

  it('have no line that man would take for a macro', () => {
    const macros = new Set(['TH', 'SH', 'SS', 'TP', 'PP', 'EX', 'EE'])
    for (const text of [...Object.values(pages), ...Object.values(spanish)]) {
      const strange = text
        .split('\n')
        .filter((line) => /^[.']/.test(line) && !macros.has(line.split(' ')[0]?.slice(1) ?? ''))
      expect(strange).toEqual([])
      expect(text).toMatch(/^[\x20-\x7e\n]+$/)
    }
  })

  it.runIf(hasMandoc)('pass the lint of mandoc without a warning', () => {
    const files = [
      ...Object.keys(pages).map((name) => `dist/man/${name}`),
      ...Object.keys(spanish).map((name) => `dist/man/es/man1/${name}`),
    ]
    const lint = (() => {
      try {
        return execFileSync('mandoc', ['-T', 'lint', '-W', 'all', ...files], { encoding: 'utf8' })
      } catch (error) {
        return (error as { stdout: string }).stdout
      }
    })()
    // Ignores warnings about long lines, because examples must be printed as typed.
    expect(lint.split('\n').filter((line) => line !== '' && !line.includes('input text line longer'))).toEqual([])
  })
})
