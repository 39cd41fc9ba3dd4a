import { computed, signal } from '@preact/signals'

/** A place in the page: `#/payments/<id>?status=failed`. */
interface Place {
  /** Segments of the path, decoded. */
  readonly path: readonly string[]
  readonly query: Readonly<Record<string, string>>
}

function placeOf(hash: string): Place {
  const [path = '', search = ''] = hash.replace(/^#\/?/, '').split('?')
  return {
    path: path.split('/').filter(Boolean).map(decoded),
    query: Object.fromEntries(new URLSearchParams(search)),
  }
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

/** The current place. */
export const place = signal<Place>(placeOf(location.hash))

/** Query parameters of the place: the filters of a view. */
export const query = computed(() => place.value.query)

/** Reads the address of the page again. Needed after `history.replaceState`, which fires no event. */
export const readAddress = (): void => {
  place.value = placeOf(location.hash)
}

type Query = Readonly<Record<string, string | number | undefined>>

/** Address of a place, for a link's `href`. Empty parameters are left out. */
export function linkTo(path: readonly (string | number)[], parameters: Query = {}): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined && value !== '') search.set(name, String(value))
  }
  const text = search.toString()
  return `#/${path.map((segment) => encodeURIComponent(segment)).join('/')}${text === '' ? '' : `?${text}`}`
}

export const go = (path: readonly (string | number)[], parameters?: Query): void => {
  location.hash = linkTo(path, parameters)
}

/** Changes the filters without a new entry in the history, so that Back leaves the view. */
export function setQuery(changes: Query): void {
  const { path, query } = place.value
  history.replaceState(null, '', linkTo(path, { ...query, ...changes }))
  readAddress()
}
