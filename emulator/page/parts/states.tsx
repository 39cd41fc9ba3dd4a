import type { ComponentChildren } from 'preact'
import type { Page } from '../../../src/contract/index.ts'
import type { AnswerError } from '../frame/api.ts'
import { text } from '../frame/language.ts'
import { Copy } from './copy.tsx'

/** Heading of a view; it gets the focus after navigation. */
export function Heading({
  children,
  aside,
}: {
  readonly children: ComponentChildren
  readonly aside?: ComponentChildren
}) {
  return (
    <div class="heading">
      <h1 data-heading tabIndex={-1}>
        {children}
      </h1>
      {aside}
    </div>
  )
}

/** Placeholder for data that could not be read, or is being read. */
export function Waiting({ error, retry }: { readonly error: AnswerError | null; readonly retry?: () => void }) {
  if (!error) {
    return (
      <p class="waiting soft" role="status">
        {text('state.loading')}
      </p>
    )
  }
  return (
    <div class="alert" role="alert">
      <p>
        <bdi>{error.status === 0 ? text('state.noAnswer') : error.message}</bdi>
      </p>
      {retry && (
        <button type="button" onClick={retry}>
          {text('do.retry')}
        </button>
      )}
    </div>
  )
}

/** Says that a table shows only the first rows; nothing if it shows all rows. */
export const Cut = ({ page: { data, total } }: { readonly page: Pick<Page<unknown>, 'data' | 'total'> }) =>
  data.length < total ? <p class="soft">{text('list.cut', { count: data.length, total })}</p> : null

/** An empty view: says what to do first, with a command to copy and perhaps a form that does it. */
export function Empty({
  title,
  children,
  command,
}: {
  readonly title: string
  readonly children?: ComponentChildren
  readonly command?: string
}) {
  return (
    <section class="empty">
      <h2>{title}</h2>
      {children}
      {command !== undefined && <Command>{command}</Command>}
    </section>
  )
}

/** A command for the terminal, with a button that copies it. */
export const Command = ({ children }: { readonly children: string }) => (
  <div class="command">
    <code>{children}</code>
    <Copy value={children} label="do.copy" />
  </div>
)
