import type { SheetRow } from '../sheets/sheet.ts'
import { compareDocuments } from '../values/document.ts'
import { compareNames, differenceOf } from '../values/holder_name.ts'
import type { Answer } from './answers.ts'

/** Indexes of columns with the names and documents that the file's author expects. */
export interface ExpectedColumns {
  readonly name?: number | undefined
  readonly document?: number | undefined
}

/**
 * Result of comparing a holder with what a row expects. `not compared`: the service hides or omits the holder's value.
 */
type Fit = 'yes' | 'partly' | 'no' | 'not compared'

const nameFits = { same: 'yes', partly: 'partly', other: 'no' } as const
const documentFits = { same: 'yes', other: 'no', 'not compared': 'not compared' } as const

/** Compares the holders of a sheet's values with what the rows expect, and counts the results. */
export class HolderChecks {
  readonly names: Record<Fit, number> | null
  readonly documents: Record<Fit, number> | null
  readonly #columns: ExpectedColumns

  constructor(columns: ExpectedColumns) {
    this.#columns = columns
    this.names = columns.name === undefined ? null : { yes: 0, partly: 0, no: 0, 'not compared': 0 }
    this.documents = columns.document === undefined ? null : { yes: 0, partly: 0, no: 0, 'not compared': 0 }
  }

  /** Headings of the added cells. */
  get headings(): readonly string[] {
    return [
      ...(this.names ? ['name fits'] : []),
      ...(this.documents ? ['document fits'] : []),
      ...(this.names || this.documents ? ['difference'] : []),
    ]
  }

  /**
   * Cells to add to a row, one for each heading. A cell is empty if the row expects nothing or the holder of the row's
   * value is unknown.
   */
  cellsOf({ cells }: SheetRow, { name, document_number, reason }: Answer): readonly string[] {
    const differences: string[] = []
    const results: string[] = []
    const add = (counts: Record<Fit, number>, at: number | undefined, fitOf: (expected: string) => Fit) => {
      const expected = (cells[at ?? -1] ?? '').trim()
      const fit = expected === '' || reason !== undefined ? undefined : fitOf(expected)
      if (fit) counts[fit] += 1
      results.push(fit ?? '')
    }
    if (this.names)
      add(this.names, this.#columns.name, (expected) => {
        if (!name) return 'not compared'
        const comparison = compareNames(expected, name)
        differences.push(String(differenceOf(comparison)))
        return nameFits[comparison.verdict]
      })
    if (this.documents)
      add(this.documents, this.#columns.document, (expected) => {
        const fit = documentFits[compareDocuments(expected, document_number)]
        if (fit === 'no') differences.push(`document ${document_number}`)
        return fit
      })
    if (results.length > 0) results.push(differences.filter((text) => text !== '').join('; '))
    return results
  }
}
