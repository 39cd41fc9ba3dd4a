import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export const root = join(import.meta.dirname, '../..')

const page = readFileSync(join(root, 'docs/decisions/emulator.md'), 'utf8')

/** The rows of docs/decisions/emulator.md. */
export const rows = page
  .split('\n')
  .map((line) => line.split(' | '))
  .filter(([first]) => /^\| \d+$/.test(first ?? ''))
  .map((cells) => ({ number: Number(cells[0]?.slice(2)), proof: cells.at(-1) ?? '' }))

/** Tests that prove the rows. */
export const proofs = rows.flatMap(({ number, proof }) =>
  [...proof.matchAll(/`(test\/[^`]+)`: “([^”]+)”/g)].map(([, file = '', title = '']) => ({ number, file, title })),
)

const decided = proofs.map(({ file, title }) => ({
  cases: /^test\/conformance\/cases\/(\w+)\.ts$/.exec(file)?.[1],
  title: new RegExp(
    `^${title
      .split(/%s|\$\w+/)
      .map((part) => part.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'))
      .join('.*')}$`,
    's',
  ),
}))

/**
 * True if a case of this file proves a decision of the emulator about a point that the interface leaves open: a
 * service may differ.
 */
export const isDecision = (cases: string | undefined, name: string): boolean =>
  decided.some((proof) => proof.cases !== undefined && proof.cases === cases && proof.title.test(name))
