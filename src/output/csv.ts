import { stringify } from 'csv-stringify/sync'
import { printableLines } from '../run/sanitise.ts'
import { inert } from '../sheets/inert.ts'
import { separated } from './separated.ts'

export const csv = separated((cells) => stringify([cells.map((cell) => inert(printableLines(cell)))]))
