import type { ComponentChildren } from 'preact'
import { type MessageKey, text } from '../frame/language.ts'

/** A detail beside the list that it belongs to. Escape follows the link that closes the detail. */
export const Detail = ({
  title,
  close,
  children,
}: {
  readonly title: ComponentChildren
  readonly close: string
  readonly children: ComponentChildren
}) => (
  <article class="detail">
    <header class="detail-head">
      <h2 data-heading tabIndex={-1}>
        {title}
      </h2>
      <a class="close" data-leave href={close}>
        <span aria-hidden="true">×</span>
        <span class="visually-hidden">{text('do.close')}</span>
      </a>
    </header>
    {children}
  </article>
)

/** Names and values. A row whose value is null, false or an empty string is left out. */
export const Facts = ({ rows }: { readonly rows: readonly (readonly [MessageKey, ComponentChildren])[] }) => (
  <dl class="facts">
    {rows
      .filter(([, value]) => value !== null && value !== undefined && value !== false && value !== '')
      .map(([name, value]) => (
        <div key={name}>
          <dt>{text(name)}</dt>
          <dd>{value}</dd>
        </div>
      ))}
  </dl>
)
