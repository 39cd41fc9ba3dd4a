import { stringify } from 'csv-stringify/sync'
import { inert, printableLines } from '../run/sanitise.ts'
import { separated } from './separated.ts'

export const csv = separated((cells) => stringify([cells.map((cell) => inert(printableLines(cell), ','))]))
