import type { Context } from '../../cli/command.ts'
import { changeSettings, readSettings } from '../../config/settings.ts'
import { type ColumnMap, readByHeading } from '../../payments/batch_columns.ts'
import type { FileLayouts, StagedFile } from '../../payments/batch_file.ts'
import { describeColumns, layoutOf, layoutSettings, withLayout } from '../../payments/batch_layouts.ts'
import { say } from '../../words/text.ts'

/** Remembered column layouts of payment files. `isAsked`: true if a person answers questions. */
export function fileLayouts(isAsked: boolean, context: Context): FileLayouts {
  const saved = readSettings(layoutSettings, context.configDir)
  return {
    remembered: (headings) => layoutOf(headings, saved),
    async agree(headings, likely, areNeeded) {
      if (!isAsked) return false
      const read = readByHeading(headings)
      if (read.size > 0) context.output.note(say`Columns read by their headings: ${describeColumns(read)}.`)
      const { askYes } = await import('../../cli/prompts.ts')
      const isRight = await askYes(say`${describeColumns(likely)}: use this?`, context)
      if (isRight || !areNeeded) await remember(headings, isRight ? likely : new Map(), context)
      return isRight
    },
  }
}

/**
 * Remembers the headings of the columns that `--map` has named: a position would name another column in a file with
 * another order.
 */
export async function rememberColumns(
  { header, heading }: StagedFile,
  map: ColumnMap,
  context: Context,
): Promise<void> {
  const headings = header.cells.map((cell) => cell.trim())
  const columns = new Map([...map.keys()].map((name) => [name, headings[heading.places.get(name) ?? -1] ?? '']))
  const isClear = (text: string) => text !== '' && headings.indexOf(text) === headings.lastIndexOf(text)
  if ([...columns.values()].every(isClear)) await remember(headings, columns, context)
}

/** Remembers the columns of files with these headings. */
async function remember(headings: readonly string[], columns: ColumnMap, context: Context): Promise<void> {
  const before = layoutOf(headings, readSettings(layoutSettings, context.configDir))
  if (before && describeColumns(before) === describeColumns(columns)) return
  const edit = (saved: Parameters<typeof withLayout>[2]) => withLayout(headings, columns, saved)
  await changeSettings(layoutSettings, context.configDir, edit, context.signal)
  context.output.note('Remembered for files with these headings. To change the columns: --map')
}
