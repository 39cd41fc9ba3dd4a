import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

interface RowWindowProps {
  /** Name of the table for screen readers. */
  readonly label: string
  readonly count: number
  /** Height of each row in pixels. */
  readonly rowHeight: number
  readonly header: ComponentChildren
  readonly row: (index: number) => ComponentChildren
  /** Called when the reader leaves the top of the list, or returns to it. */
  readonly onTop?: (isAtTop: boolean) => void
}

/** Number of rows that are drawn above and below the visible rows. */
const margin = 8

/** A table that draws only the visible rows; all rows must have the same height. */
export function RowWindow({ label, count, rowHeight, header, row, onTop }: RowWindowProps) {
  const box = useRef<HTMLDivElement>(null)
  const first = useSignal(0)
  const visible = useSignal(40)
  const measure = () => {
    const { current } = box
    if (!current) return
    first.value = Math.max(0, Math.floor(current.scrollTop / rowHeight) - margin)
    visible.value = Math.ceil(current.clientHeight / rowHeight) + 2 * margin
    onTop?.(current.scrollTop < rowHeight)
  }
  useLayoutEffect(() => {
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(box.current as HTMLDivElement)
    return () => observer.disconnect()
  }, [])
  const from = Math.min(first.value, Math.max(0, count - 1))
  const to = Math.min(count, from + visible.value)
  const indexes = Array.from({ length: Math.max(0, to - from) }, (_, at) => from + at)
  return (
    <div class="rows" ref={box} onScroll={measure}>
      <div role="table" aria-label={label} aria-rowcount={count + 1}>
        <div role="rowgroup" class="rows-head">
          <div role="row" class="row head" aria-rowindex={1}>
            {header}
          </div>
        </div>
        <div role="rowgroup" class="rows-body" style={{ height: `${count * rowHeight}px` }}>
          {indexes.map((index) => (
            <div
              key={index}
              role="row"
              class="row"
              aria-rowindex={index + 2}
              style={{ transform: `translateY(${index * rowHeight}px)`, height: `${rowHeight}px` }}
            >
              {row(index)}
            </div>
          ))}
        </div>
      </div>
    </div>
  )
}
