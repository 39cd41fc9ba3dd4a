import type { ControlOutputOf } from '../../../src/contract/index.ts'
import { useAnswer } from '../frame/answer.ts'
import { counted, type MessageKey, number, text } from '../frame/language.ts'
import { linkTo } from '../frame/router.ts'
import { worldName } from '../frame/session.ts'
import { Mark } from '../parts/facts.tsx'
import { Command, Heading, Waiting } from '../parts/states.tsx'

type Report = ControlOutputOf<'control.report'>

/** Checks of the report, by their members, in its order. */
const checks = [
  'paid_twice',
  'handled_twice',
  'unresolved',
  'violations',
  'keys',
  'polling',
  'untaken',
  'unfinished',
  'unfired',
  'late',
  'default_world',
] as const satisfies readonly (keyof Report)[]

/** Use of all worlds since the emulator was started: findings, and endpoints with their answers. */
export function ReportView() {
  const { data, error, reload } = useAnswer(
    'control.report',
    {},
    { when: ({ type }) => type === 'request' || type === 'delivery' || type === 'world_ended' },
  )
  return (
    <div class="view">
      <Heading>{text('nav.report')}</Heading>
      {data ? <Content report={data} /> : <Waiting error={error} retry={reload} />}
      <Command>payctl emulator report</Command>
    </div>
  )
}

const Content = ({ report }: { readonly report: Report }) => (
  <>
    <p class="soft lead">
      {text('report.use', { requests: report.requests, worlds: report.worlds, unanswered: report.unanswered })}
    </p>
    <ul class="findings">
      {checks.map((check) => (
        <Finding key={check} check={check} findings={report[check]} />
      ))}
    </ul>
    <h2>{text('report.endpoints')}</h2>
    <div class="table-box" tabIndex={0}>
      <table class="table">
        <thead>
          <tr>
            <th scope="col">{text('report.endpoint')}</th>
            <th scope="col" class="number">
              {text('nav.requests')}
            </th>
            <th scope="col">{text('report.statuses')}</th>
            <th scope="col">{text('report.never')}</th>
          </tr>
        </thead>
        <tbody>
          {report.endpoints.map(({ endpoint, requests, statuses, never }) => (
            <tr key={endpoint}>
              <th scope="row">
                <code>{endpoint}</code>
              </th>
              <td class="number">{number(requests)}</td>
              <td>{statuses.map(({ status, requests }) => `${status} (${number(requests)})`).join(', ')}</td>
              <td class="soft">{never.join(', ')}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  </>
)

interface FindingProps {
  readonly check: (typeof checks)[number]
  readonly findings: { readonly count: number; readonly first: readonly object[] }
}

function Finding({ check, findings: { count, first } }: FindingProps) {
  const title = text(`report.${check}` satisfies MessageKey)
  if (count === 0) {
    return (
      <li>
        <Mark tone="good">{title}</Mark>
      </li>
    )
  }
  return (
    <li>
      <details>
        <summary>
          <Mark tone="bad">{title}</Mark> <span class="soft">{counted('report.findings', count)}</span>
        </summary>
        <ul class="plain-list">
          {first.map((finding, at) => (
            <FindingLine key={at} finding={finding} />
          ))}
        </ul>
      </details>
    </li>
  )
}

/** One finding: its own members as text, with a link to its request or payment in this world. */
function FindingLine({ finding }: { readonly finding: object }) {
  const { world, request, requests, payment, id, ...rest } = finding as Record<string, unknown>
  const isHere = world === worldName
  const ids = [request, ...(Array.isArray(requests) ? requests : [])].filter((each) => typeof each === 'string')
  return (
    <li>
      <bdi>{String(world)}</bdi>
      {ids.map((each) => (isHere ? <a href={linkTo(['requests', each])}>{each}</a> : <code>{each}</code>))}
      {typeof payment === 'string' && (isHere ? <a href={linkTo(['payments', payment])}>{payment.slice(-6)}</a> : null)}
      <span class="soft">
        <bdi>{wordsOf({ ...(id !== undefined && { id }), ...rest })}</bdi>
      </span>
    </li>
  )
}

const wordsOf = (members: Readonly<Record<string, unknown>>): string =>
  Object.values(members)
    .filter((value) => value !== null && value !== '' && value !== false)
    .map((value) =>
      typeof value === 'object'
        ? ((value as { formatted?: string }).formatted ?? JSON.stringify(value))
        : String(value),
    )
    .join(' · ')
