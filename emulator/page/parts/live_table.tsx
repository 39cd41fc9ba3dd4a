import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect } from 'preact/hooks'
import type { AnswerError } from '../frame/api.ts'
import { counted } from '../frame/language.ts'
import { epoch } from '../frame/live.ts'
import type { LiveList, Row } from './live_list.ts'
import { RowWindow } from './row_window.tsx'
import { Waiting } from './states.tsx'

interface LiveTableProps<R extends Row> {
  readonly list: LiveList<R>
  readonly label: string
  /** True while a detail is open beside the table: new rows then wait. */
  readonly isReading: boolean
  readonly header: ComponentChildren
  /** Cells of a row; `above` is the row before it. */
  readonly row: (row: R, above: R | undefined) => ComponentChildren
  /** Shown instead of a table without rows. */
  readonly empty: ComponentChildren
}

/** Height of a row in pixels; the style sheet must have the same value. */
const rowHeight = 48

/** A table of rows that events add to and change. New rows never move the rows that the user is reading. */
export function LiveTable<R extends Row>({ list, label, isReading, header, row, empty }: LiveTableProps<R>) {
  const isAway = useSignal(false)
  useEffect(() => {
    void list.restart()
  }, [list, epoch.value])
  // In the same frame as the detail: a row that arrives between the two would move the table.
  useLayoutEffect(() => {
    list.hold(isReading || isAway.value)
  }, [list, isReading, isAway.value])
  void list.version.value
  const count = list.length
  const waiting = list.waiting.value
  const error = list.error.value as AnswerError | null
  if (error) return <Waiting error={error} retry={() => void list.restart()} />
  if (list.isLoading.value) return <Waiting error={null} />
  if (count === 0 && waiting === 0) return empty
  return (
    <>
      <p class="count soft" role="status">
        {counted('list.rows', count)}{' '}
        {waiting > 0 && (
          <button type="button" class="new-rows" onClick={() => list.release()}>
            {counted('list.new', waiting)}
          </button>
        )}
      </p>
      <RowWindow
        label={label}
        count={count}
        rowHeight={rowHeight}
        header={header}
        onTop={(isAtTop) => {
          isAway.value = !isAtTop
        }}
        row={(index) => {
          const item = list.at(index)
          return item === undefined ? (
            <span role="cell" class="unread" />
          ) : (
            row(item, index > 0 ? list.at(index - 1) : undefined)
          )
        }}
      />
    </>
  )
}
