import { type Signal, useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import type { ControlOutputOf } from '../../../src/contract/index.ts'
import { useAnswer } from '../frame/answer.ts'
import { AnswerError } from '../frame/api.ts'
import { text } from '../frame/language.ts'
import { keepMoments } from '../frame/moments.ts'
import { go, linkTo, query } from '../frame/router.ts'
import { worldName } from '../frame/session.ts'
import { HttpStatus, Moment, ShortId, Status } from '../parts/facts.tsx'
import { Heading, Waiting } from '../parts/states.tsx'
import { NoRequests } from './requests.tsx'
import { RequestFields, unchanged, useEdited, valuesOf } from './send_again.tsx'
import { Branches } from './what_if_branches.tsx'
import { type Change, carryOut, changes, payerOf } from './what_if_fork.ts'
import { mostLater } from './what_if_later.ts'

type Request = ControlOutputOf<'control.requests.get'>

/**
 * Forks the world before a request or a step of a payment, changes one thing in the fork, and compares the two worlds.
 */
export function WhatIf({ path: [id, fork] }: { readonly path: readonly string[] }) {
  const { change, payment, sent, unknown } = query.value
  return (
    <div class="view what-if">
      <Heading>{text(fork !== undefined && isChange(change) ? `whatIf.${change}` : 'nav.whatIf')}</Heading>
      {id === undefined ? (
        <Recent />
      ) : fork !== undefined ? (
        <Branches
          id={id}
          fork={fork}
          payment={payment ?? null}
          later={sent === undefined ? null : { sent: Number(sent), unknown: Number(unknown ?? 0) }}
        />
      ) : id.startsWith('r') ? (
        <BeforeRequest key={id} id={id} />
      ) : (
        <BeforeStep key={id} moment={id} payment={payment ?? null} />
      )}
    </div>
  )
}

const isChange = (word: string | undefined): word is Change => changes.some((change) => change === word)

/** The latest requests, from which the user chooses one. */
function Recent() {
  const { data, error, reload } = useAnswer(
    'control.requests.list',
    { query: { per_page: 20 } },
    { when: ({ type }) => type === 'request' },
  )
  return (
    <>
      <p class="lead">{text('whatIf.lead')}</p>
      {!data && <Waiting error={error} retry={reload} />}
      {data && data.data.length === 0 && <NoRequests isFiltered={false} />}
      {data && data.data.length > 0 && (
        <>
          <h2>{text('whatIf.choose')}</h2>
          <ul class="what-if-recent">
            {data.data.map(({ id, at, method, path, status, answered }) => (
              <li key={id}>
                <Moment at={at} /> <HttpStatus status={status} answered={answered} />{' '}
                <a href={linkTo(['what-if', id])}>
                  <span class="method">{method}</span> <bdi>{path}</bdi> <code>{id}</code>
                </a>
              </li>
            ))}
          </ul>
          <p class="after">
            <a href={linkTo(['requests'])}>{text('whatIf.more')}</a>
          </p>
        </>
      )}
    </>
  )
}

/** Form for a change before a request, which is then sent again in the fork. */
function BeforeRequest({ id }: { readonly id: string }) {
  const request = useAnswer('control.requests.get', { params: { id } })
  const moments = useAnswer('control.moments.list', { query: { request: id } })
  if (!request.data || !moments.data) {
    const retry = () => {
      request.reload()
      moments.reload()
    }
    return <Waiting error={request.error ?? moments.error} retry={retry} />
  }
  const [found] = moments.data.data
  // A request that changed nothing is logged with the moment whose state it read.
  const before = found && (found.cause.id === id ? found.before : found.id)
  const moment = query.value.at ?? before
  const { at, method, path, status, answered, payment_id } = request.data
  return (
    <>
      <p class="what-if-point">
        {text('whatIf.beforeRequest')}{' '}
        <a href={linkTo(['requests', id])}>
          <code>{id}</code>
        </a>{' '}
        <span class="method">{method}</span> <bdi>{path}</bdi> <HttpStatus status={status} answered={answered} />{' '}
        <Moment at={at} withDay millis />
      </p>
      {moment ? (
        <PlanForm id={id} moment={moment} request={request.data} payment={payment_id} />
      ) : (
        <NotKept id={id} at={at} />
      )}
    </>
  )
}

/** Form for a change before a step of a payment. */
function BeforeStep({ moment, payment }: { readonly moment: string; readonly payment: string | null }) {
  const { data, error, reload } = useAnswer('control.payments.list', { query: { text: payment ?? '-', per_page: 1 } })
  if (!data) return <Waiting error={error} retry={reload} />
  const [found] = data.data
  return (
    <>
      <p class="what-if-point">
        {text('whatIf.atMoment')} <code>{moment}</code>
        {found && (
          <>
            {' · '}
            <a href={linkTo(['payments', found.id])}>
              {text('payment.title')} <ShortId id={found.id} />
            </a>{' '}
            <span class="soft">{text('whatIf.now')}</span> <Status status={found.status} />
          </>
        )}
      </p>
      <PlanForm id={moment} moment={query.value.at ?? moment} request={null} payment={payment} />
    </>
  )
}

/** Says that the state before the request is not saved, and links to the nearest saved moment. */
function NotKept({ id, at }: { readonly id: string; readonly at: string }) {
  const earlier = useAnswer('control.moments.list', { query: { until: at, per_page: 1 } })
  const count = earlier.data?.kept.count ?? 0
  const oldest = useAnswer('control.moments.list', { query: { per_page: 1, page: Math.max(1, count) } })
  useEffect(() => {
    void keepMoments().then(() => {
      earlier.reload()
      oldest.reload()
    })
  }, [])
  const [before] = earlier.data?.data ?? []
  const nearest = before ?? oldest.data?.data[0]
  return (
    <div class="alert" role="alert">
      <p>{text('whatIf.notKept', { id })}</p>
      {earlier.data && nearest && (
        <p>
          {text(before ? 'whatIf.earlier' : 'whatIf.later')} <code>{nearest.id}</code>{' '}
          <Moment at={nearest.at} withDay millis />{' '}
          <a href={linkTo(['what-if', id], { at: nearest.id })}>{text('whatIf.useIt')}</a>
        </p>
      )}
    </div>
  )
}

interface PlanFormProps {
  readonly id: string
  readonly moment: string
  readonly request: Request | null
  readonly payment: string | null
}

/** Form for the change, with choices to send the later requests and to run the fork until nothing is due. */
function PlanForm({ id, moment, request, payment }: PlanFormProps) {
  const offered = changes.filter((change) => isPossible(change, request, payment))
  const change = useSignal<Change>(offered[0] ?? 'nothing')
  const sum = useSignal('0.00')
  const goesOn = useSignal(false)
  const runs = useSignal(true)
  const isBusy = useSignal(false)
  const problem = useSignal<{ readonly message: string; readonly nearest: string | undefined } | null>(null)
  const edited = useEdited(request ?? nothingToSend)
  const start = async (event: SubmitEvent) => {
    event.preventDefault()
    isBusy.value = true
    problem.value = null
    try {
      const plan = {
        ...{ id, moment, request, payment, change: change.value, goesOn: goesOn.value, runs: runs.value },
        sent: request && (change.value === 'edit' ? valuesOf(request, edited) : unchanged(request)),
        balance: Math.round(Number(sum.value) * 100),
      }
      const { name, later } = await carryOut(plan)
      const address = { change: change.value, payment: payment ?? undefined, ...later }
      go(['what-if', id, name], address)
    } catch (error) {
      problem.value = problemOf(error)
    }
    isBusy.value = false
  }
  return (
    <form class="form what-if-form" onSubmit={start}>
      <fieldset>
        <legend>{text('whatIf.change')}</legend>
        {offered.map((each) => (
          <Choice key={each} change={each} chosen={change}>
            {each === 'money' && change.value === 'money' && (
              <label class="field">
                <span>{text('whatIf.balance')}</span>
                <input
                  required
                  inputMode="decimal"
                  pattern="\d+(\.\d{1,2})?"
                  autocomplete="off"
                  value={sum.value}
                  onInput={(event) => {
                    sum.value = event.currentTarget.value
                  }}
                />
              </label>
            )}
            {each === 'edit' && change.value === 'edit' && request && (
              <RequestFields request={request} edited={edited} />
            )}
          </Choice>
        ))}
      </fieldset>
      {request && (
        <Check checked={goesOn} label={text('whatIf.goesOn')}>
          {text('whatIf.hint.goesOn', { most: mostLater })}
        </Check>
      )}
      <Check checked={runs} label={text('whatIf.runs')} />
      {problem.value !== null && (
        <div class="alert" role="alert">
          <p>
            <bdi>{problem.value.message}</bdi>
          </p>
          {problem.value.nearest !== undefined && (
            <p>
              <a href={linkTo(['what-if', id], { at: problem.value.nearest, payment: payment ?? undefined })}>
                {text('whatIf.useMoment', { id: problem.value.nearest })}
              </a>
            </p>
          )}
        </div>
      )}
      <button type="submit" class="primary" disabled={isBusy}>
        {text('do.go')}
      </button>
      <p class="hint">{text('whatIf.untouched', { world: worldName })}</p>
    </form>
  )
}

const Check = ({
  checked,
  label,
  children,
}: {
  readonly checked: Signal<boolean>
  readonly label: string
  readonly children?: string
}) => (
  <label class="check">
    <input
      type="checkbox"
      checked={checked.value}
      onChange={(event) => {
        checked.value = event.currentTarget.checked
      }}
    />
    <span>
      {label}
      {children !== undefined && <span class="hint block">{children}</span>}
    </span>
  </label>
)

/** Stands in for the request in the form if the moment belongs to a step, not to a request. */
const nothingToSend = { path: '/', query: {}, idempotency_key: null } as unknown as Request

function isPossible(change: Change, request: Request | null, payment: string | null): boolean {
  if (change === 'fail') return request ? payerOf(request) !== null : payment !== null
  if (change === 'lose' || change === 'edit') return request !== null
  if (change === 'money') return payerOf(request) !== null
  return true
}

/** Message of an error, and the nearest saved moment if the emulator names it. */
function problemOf(error: unknown): { message: string; nearest: string | undefined } {
  const message = error instanceof Error ? error.message : String(error)
  const isMissing = error instanceof AnswerError && error.status === 404
  return { message, nearest: isMissing ? /\b(m\d+)\.$/.exec(message)?.[1] : undefined }
}

function Choice({
  change,
  chosen,
  children,
}: {
  readonly change: Change
  readonly chosen: { value: Change }
  readonly children: ComponentChildren
}) {
  return (
    <div class="choice">
      <label class="check">
        <input
          type="radio"
          name="change"
          checked={chosen.value === change}
          onChange={() => {
            chosen.value = change
          }}
        />
        <span>
          {text(`whatIf.${change}`)}
          <span class="hint block">{text(`whatIf.hint.${change}`)}</span>
        </span>
      </label>
      {children}
    </div>
  )
}
