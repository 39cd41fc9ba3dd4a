import { type Static, type TSchema, Type } from 'typebox'
import { nullable } from './scalars.ts'

const PageLink = Type.Object({
  url: nullable(Type.String()),
  label: Type.String(),
  page: nullable(Type.Integer()),
  active: Type.Boolean(),
})
export type PageLink = Static<typeof PageLink>

const Url = nullable(Type.String())

/** A numbered slice of a list. `from` and `to` are the 1-based positions of its first and last item. */
export const Page = <S extends TSchema>(item: S) =>
  Type.Object({
    current_page: Type.Integer({ minimum: 1 }),
    data: Type.Array(item),
    first_page_url: Url,
    from: nullable(Type.Integer({ minimum: 1 })),
    last_page: Type.Integer({ minimum: 1 }),
    last_page_url: Url,
    links: Type.Array(PageLink),
    next_page_url: Url,
    path: Url,
    per_page: Type.Integer({ minimum: 0 }),
    prev_page_url: Url,
    to: nullable(Type.Integer({ minimum: 1 })),
    total: Type.Integer({ minimum: 0 }),
  })

export interface Page<T> {
  current_page: number
  data: T[]
  first_page_url: string | null
  from: number | null
  last_page: number
  last_page_url: string | null
  links: PageLink[]
  next_page_url: string | null
  path: string | null
  per_page: number
  prev_page_url: string | null
  to: number | null
  total: number
}

export const pageQuery = {
  per_page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000 })),
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })),
}

export const PageQuery = Type.Object(pageQuery)
