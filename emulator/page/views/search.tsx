import { useEffect } from 'preact/hooks'
import type { ControlOutputOf } from '../../../src/contract/index.ts'
import { useAnswer } from '../frame/answer.ts'
import { counted, day, text, textIfAny, time } from '../frame/language.ts'
import { linkTo, query, readAddress } from '../frame/router.ts'
import { Empty, Heading, Waiting } from '../parts/states.tsx'

type Match = ControlOutputOf<'control.find'>[number]

/** Resources with a given id, key or address. A single match opens at once, unless only its text matched. */
export function Search() {
  const { q = '' } = query.value
  return (
    <div class="view">
      <Heading>{text('search.title')}</Heading>
      {q.trim() === '' ? <p class="soft">{text('search.placeholder')}</p> : <Found key={q} wanted={q.trim()} />}
    </div>
  )
}

function Found({ wanted }: { readonly wanted: string }) {
  const { data, error, reload } = useAnswer('control.find', { query: { id: wanted } })
  const [only, another] = data ?? []
  const target = only && !another && only.matched !== 'text' ? addressOf(only) : null
  useEffect(() => {
    if (target === null) return
    history.replaceState(null, '', target)
    readAddress()
  }, [target])
  if (!data) return <Waiting error={error} retry={reload} />
  if (data.length === 0) {
    return (
      <Empty title={text('search.none')}>
        <p class="soft">
          <bdi>{wanted}</bdi>
        </p>
      </Empty>
    )
  }
  return (
    <>
      <p class="count soft" role="status">
        {counted('search.found', data.length)}
      </p>
      <ul class="found">
        {data.map((match) => (
          <li key={`${match.kind} ${match.id}`}>
            <span class="soft">{text(`kind.${match.kind}`)}</span>
            <a data-row={match.id} href={addressOf(match)}>
              <bdi>{inWords(match) || match.id}</bdi>
            </a>
            <code class="soft">{match.id}</code>
          </li>
        ))}
      </ul>
    </>
  )
}

/** Facts about a match, with times and statuses in the page's format. */
const inWords = ({ kind, about }: Match): string =>
  kind === 'request'
    ? about
    : about
        .split(', ')
        .map((fact) => {
          if (/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(fact)) return `${day(fact)}, ${time(fact)}`
          return textIfAny(`${kind === 'delivery' ? 'delivery' : 'status'}.${fact}`) ?? fact
        })
        .join(', ')

/** View of each kind of resource. */
const viewOf: Readonly<Record<Match['kind'], string>> = {
  payment: 'payments',
  request: 'requests',
  delivery: 'webhooks',
  subscription: 'webhooks',
  account: 'accounts',
  scheduled_credit: 'accounts',
  user: 'people',
  registry_entry: 'people',
}

const addressOf = ({ kind, id }: Match): string => linkTo([viewOf[kind], id])
