import { useAnswer } from '../frame/answer.ts'
import { counted, type MessageKey, number, text } from '../frame/language.ts'
import { Mark } from '../parts/facts.tsx'
import { Command, Heading, Waiting } from '../parts/states.tsx'
import { type Check, checks, FindingLine, type Report } from './report_finding.tsx'

/** Report on all worlds since the emulator was started: findings, and endpoints with their answers. */
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
              <td class="number" data-label={text('nav.requests')}>
                {number(requests)}
              </td>
              <td data-label={text('report.statuses')}>
                {statuses.map(({ status, requests }) => `${status} (${number(requests)})`).join(', ')}
              </td>
              <td class="soft" data-label={text('report.never')}>
                {never.join(', ')}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  </>
)

function Finding({ check, findings: { count, first } }: { readonly check: Check; readonly findings: Report[Check] }) {
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
            <FindingLine key={at} check={check} finding={finding} />
          ))}
        </ul>
      </details>
    </li>
  )
}
