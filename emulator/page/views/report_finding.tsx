import type { ComponentChildren } from 'preact'
import type { ControlOutputOf } from '../../../src/contract/index.ts'
import { counted, text } from '../frame/language.ts'
import { linkTo } from '../frame/router.ts'
import { worldName } from '../frame/session.ts'
import { Amount, HttpStatus, Mark, Moment, ShortId, Status } from '../parts/facts.tsx'
import { effectOf, subjectOf } from './faults.tsx'

export type Report = ControlOutputOf<'control.report'>

/** Names of the report's checks that the page shows, in order. */
export const checks = [
  'paid_twice',
  'suspected',
  'handled_twice',
  'unresolved',
  'never_paid',
  'violations',
  'keys',
  'polling',
  'untaken',
  'unfinished',
  'unfired',
  'late',
  'default_world',
] as const satisfies readonly (keyof Report)[]

export type Check = (typeof checks)[number]
type FindingOf<C extends Check> = Report[C]['first'][number]

/** One finding: its world, and its facts, with links to resources of this page's world. */
export function FindingLine<C extends Check>({
  check,
  finding,
}: {
  readonly check: C
  readonly finding: FindingOf<C>
}) {
  const facts = factsOf[check] as (finding: FindingOf<C>, link: Link) => ComponentChildren
  return (
    <li>
      <bdi class="soft">{finding.world}</bdi> {facts(finding, finding.world === worldName ? linkHere : linkNowhere)}
    </li>
  )
}

/** Renders an id; as a link, if the page shows the world of the id. */
type Link = (view: string, id: string) => ComponentChildren

const linkHere: Link = (view, id) => (
  <a key={id} href={linkTo([view, id])}>
    <ShortId id={id} />
  </a>
)
const linkNowhere: Link = (_, id) => <ShortId key={id} id={id} />

type Facts = { readonly [C in Check]: (finding: FindingOf<C>, link: Link) => ComponentChildren }

const Route = ({ method, path }: { readonly method: string; readonly path: string }) => (
  <span>
    <span class="method">{method}</span> <bdi>{path}</bdi>
  </span>
)

const broken: Facts['violations'] = ({ request, method, path, status, kind, what }, link) => (
  <>
    {link('requests', request)} <Route method={method} path={path} /> <HttpStatus status={status} />{' '}
    <Mark tone="warn">{text(`breach.${kind}`)}</Mark> <bdi class="soft">{what}</bdi>
  </>
)

const factsOf: Facts = {
  paid_twice: ({ requests, amount, payee, because }, link) => (
    <>
      {requests.map((id) => link('requests', id))} <Amount money={amount} /> <bdi>{payee}</bdi>{' '}
      <span class="soft">{text(`report.because.${because}`)}</span>
    </>
  ),
  suspected: ({ requests, amount, payee, because }, link) => (
    <>
      {requests.map((id) => link('requests', id))} <Amount money={amount} /> <bdi>{payee}</bdi>{' '}
      <span class="soft">{text(`report.because.${because}`)}</span>
    </>
  ),
  handled_twice: ({ id, event, method, path, requests }, link) => (
    <>
      {link('webhooks', id)} <code>{event}</code> {requests.map((each) => link('requests', each))}{' '}
      <Route method={method} path={path} />
    </>
  ),
  unresolved: ({ request, payment, amount }, link) => (
    <>
      {link('requests', request)} {link('payments', payment)} <Amount money={amount} />
    </>
  ),
  never_paid: ({ request, amount, payee }, link) => (
    <>
      {link('requests', request)} <Amount money={amount} /> <bdi>{payee}</bdi>
    </>
  ),
  violations: broken,
  keys: broken,
  polling: ({ request, method, path, times }, link) => (
    <>
      {link('requests', request)} <Route method={method} path={path} />{' '}
      <span class="soft">{counted('report.times', times)}</span>
    </>
  ),
  untaken: ({ id, event, url, attempts, error }, link) => (
    <>
      {link('webhooks', id)} <code>{event}</code> <bdi>{url}</bdi>{' '}
      <span class="soft">{counted('report.attempts', attempts)}</span> <bdi class="soft">{error}</bdi>
    </>
  ),
  unfinished: ({ id, status, amount }, link) => (
    <>
      {link('payments', id)} <Status status={status} /> <Amount money={amount} />
    </>
  ),
  unfired: (rule) => (
    <>
      <code>{subjectOf(rule)}</code> <code>{effectOf(rule)}</code>
    </>
  ),
  late: ({ method, path, at }) => (
    <>
      <Route method={method} path={path} /> <Moment at={at} withDay />
    </>
  ),
  default_world: ({ request, method, path }, link) => (
    <>
      {link('requests', request)} <Route method={method} path={path} />
    </>
  ),
}
