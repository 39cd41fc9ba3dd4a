import type { ComponentChildren } from 'preact'
import { type MessageKey, text } from '../frame/language.ts'

/** A detail beside its list. Escape follows the link that closes it. */
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

/** Names and values; a value of null, false or an empty string leaves its row out. */
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
