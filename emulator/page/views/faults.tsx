import { useSignal } from '@preact/signals'
import type { ControlInputOf, ControlOutputOf } from '../../../src/contract/index.ts'
import { act, useAnswer } from '../frame/answer.ts'
import { control } from '../frame/api.ts'
import { type MessageKey, number, text } from '../frame/language.ts'
import { Command, Heading, Waiting } from '../parts/states.tsx'

type Rule = ControlOutputOf<'control.faults.list'>[number]
type Body = ControlInputOf<'control.faults.add'>['body']

/** Fault rules and chaos of the world; the rules fire at the next requests and deliveries. */
export function Faults() {
  const when = { when: ({ type }: { readonly type: string }) => type === 'request' || type === 'delivery' }
  const rules = useAnswer('control.faults.list', { query: { which: 'all' } }, when)
  const chaos = useAnswer('control.chaos', {}, when)
  return (
    <div class="view faults">
      <Heading>{text('nav.faults')}</Heading>
      <p class="soft lead">{text('faults.lead')}</p>
      <AddRule reload={rules.reload} />
      {rules.data ? (
        <Rules rules={rules.data} reload={rules.reload} />
      ) : (
        <Waiting error={rules.error} retry={rules.reload} />
      )}
      <section>
        <h2>{text('faults.chaos')}</h2>
        {chaos.data ? <Chaos chaos={chaos.data} /> : <Waiting error={chaos.error} retry={chaos.reload} />}
      </section>
      <Command>payctl emulator faults add --endpoint payments.create --fault lose_answer</Command>
    </div>
  )
}

/** Common rules. The command line can add any other rule. */
const presets = [
  ['faults.preset.lost', { endpoint: 'payments.create', fault: 'lose_answer' }],
  ['faults.preset.reset', { endpoint: 'payments.create', fault: 'reset' }],
  ['faults.preset.tooMany', { endpoint: 'payments.create', status: 429, retry_after: 1 }],
  ['faults.preset.error', { endpoint: 'payments.create', status: 500 }],
  ['faults.preset.slow', { endpoint: 'payments.create', delay_ms: 5000 }],
  ['faults.preset.historyDown', { endpoint: 'payments.history', status: 500 }],
  ['faults.preset.duplicate', { event: '*', fault: 'duplicate' }],
  ['faults.preset.drop', { event: '*', fault: 'drop' }],
] as const satisfies readonly (readonly [MessageKey, Body])[]

function AddRule({ reload }: { readonly reload: () => void }) {
  const chosen = useSignal(0)
  const times = useSignal('1')
  const add = () => {
    const [, rule] = presets[chosen.value] ?? presets[0]
    return control('control.faults.add', { body: { ...rule, times: times.value === '' ? null : Number(times.value) } })
  }
  return (
    <form
      class="form inline"
      onSubmit={async (event) => {
        event.preventDefault()
        if (await act(add, text('faults.added'))) reload()
      }}
    >
      <label class="field">
        <span>{text('faults.what')}</span>
        <select
          value={chosen}
          onChange={(event) => {
            chosen.value = Number(event.currentTarget.value)
          }}
        >
          {presets.map(([label], at) => (
            <option key={label} value={at}>
              {text(label)}
            </option>
          ))}
        </select>
      </label>
      <label class="field">
        <span>{text('faults.times')}</span>
        <input
          type="number"
          min={1}
          max={1_000_000}
          value={times}
          placeholder={text('faults.always')}
          onInput={(event) => {
            times.value = event.currentTarget.value
          }}
        />
      </label>
      <button type="submit" class="primary">
        {text('faults.add')}
      </button>
    </form>
  )
}

function Rules({ rules, reload }: { readonly rules: readonly Rule[]; readonly reload: () => void }) {
  if (rules.length === 0) return <p class="soft">{text('faults.none')}</p>
  return (
    <div class="table-box" tabIndex={0}>
      <table class="table">
        <thead>
          <tr>
            <th scope="col">{text('faults.where')}</th>
            <th scope="col">{text('faults.what')}</th>
            <th scope="col" class="number">
              {text('faults.fired')}
            </th>
            <th scope="col" class="number">
              {text('faults.left')}
            </th>
            <th scope="col">
              <span class="visually-hidden">{text('faults.remove')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {rules.map((rule) => (
            <tr key={rule.id}>
              <th scope="row">
                <code>{subjectOf(rule)}</code>
              </th>
              <td>
                <code>{effectOf(rule)}</code>
              </td>
              <td class="number" data-label={text('faults.fired')}>
                {number(rule.fired)}
              </td>
              <td class="number" data-label={text('faults.left')}>
                {rule.times === null ? text('faults.always') : number(rule.times)}
              </td>
              <td class="row-actions">
                {rule.times !== 0 && (
                  <button
                    type="button"
                    onClick={async () => {
                      const remove = () => control('control.faults.remove', { params: { id: `${rule.id}` } })
                      if (await act(remove, text('faults.removed'))) reload()
                    }}
                  >
                    {text('faults.remove')} <span class="visually-hidden">{rule.id}</span>
                  </button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

export const subjectOf = ({ endpoint, event, method, path, subscription }: Rule): string =>
  endpoint ?? event ?? ([method, path].filter(Boolean).join(' ') || subscription || '*')

export const effectOf = ({ status, error, fault, delay_ms }: Rule): string =>
  [status, error, fault, delay_ms !== undefined && `${number(delay_ms)} ms`].filter(Boolean).join(', ')

function Chaos({ chaos: { seed, profile, counts } }: { readonly chaos: ControlOutputOf<'control.chaos'> }) {
  if (seed === null) return <p class="soft">{text('faults.noChaos')}</p>
  return (
    <>
      <p>{text('faults.seed', { seed: `${seed}`, profile: `${profile}` })}</p>
      <div class="table-box" tabIndex={0}>
        <table class="table">
          <thead>
            <tr>
              <th scope="col">{text('faults.kind')}</th>
              <th scope="col" class="number">
                {text('faults.fired')}
              </th>
              <th scope="col" class="number">
                {text('faults.chances')}
              </th>
            </tr>
          </thead>
          <tbody>
            {counts.map(({ kind, fired, chances }) => (
              <tr key={kind}>
                <th scope="row">
                  <code>{kind}</code>
                </th>
                <td class="number" data-label={text('faults.fired')}>
                  {number(fired)}
                </td>
                <td class="number" data-label={text('faults.chances')}>
                  {number(chances)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  )
}
