import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { commandPaths } from '../../.build/cli_reference.ts'
import { manPages } from '../../.build/man_pages.ts'
import { exits } from '../../src/errors/exit_codes.ts'

const pages = await manPages()

/** Text of a page without macros and escapes, which is nearly the output of `man`. */
const textOf = (name: string): string =>
  (pages[name] ?? '')
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
    expect(readdirSync('dist/man').sort()).toEqual(Object.keys(pages).sort())
    for (const [name, text] of Object.entries(pages)) expect(readFileSync(`dist/man/${name}`, 'utf8')).toBe(text)
  })

  it('describe every command, each on the page of its first word', async () => {
    for (const path of await commandPaths()) {
      expect(textOf(`payctl-${path[0]}.1`)).toMatch(new RegExp(`^payctl ${path.join(' ')}\\b`, 'm'))
      expect(textOf('payctl.1')).toContain(`payctl-${path[0]}(1)`)
    }
  })

  it('list every exit code', () => {
    for (const { code, meaning } of Object.values(exits)) expect(textOf('payctl.1')).toContain(`${code}\n${meaning}`)
  })

  it('have no line that man would take for a macro', () => {
    const macros = new Set(['TH', 'SH', 'SS', 'TP', 'PP', 'EX', 'EE'])
    for (const text of Object.values(pages)) {
      const strange = text
        .split('\n')
        .filter((line) => /^[.']/.test(line) && !macros.has(line.split(' ')[0]?.slice(1) ?? ''))
      expect(strange).toEqual([])
      expect(text).toMatch(/^[\x20-\x7e\n]+$/)
    }
  })

  it.runIf(hasMandoc)('pass the lint of mandoc without a remark', () => {
    const files = Object.keys(pages).map((name) => `dist/man/${name}`)
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
