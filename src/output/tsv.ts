import { printable } from '../run/sanitise.ts'
import { inert, separated } from './separated.ts'

export const tsv = separated((cells) => `${cells.map((cell) => inert(printable(cell))).join('\t')}\n`)
