import { useSignal } from '@preact/signals'
import type { ControlOutputOf } from '../../../src/contract/index.ts'
import { act, useAnswer } from '../frame/answer.ts'
import { control } from '../frame/api.ts'
import { day, duration, type MessageKey, text, time } from '../frame/language.ts'
import { Facts } from '../parts/detail.tsx'
import { Moment } from '../parts/facts.tsx'
import { Command, Heading, Waiting } from '../parts/states.tsx'

type Clock = ControlOutputOf<'control.clock.get'>

/** Stops the world's time, moves it, or lets it run faster. Payments and deliveries follow the world's time. */
export function Time() {
  const clock = useAnswer('control.clock.get', {}, { when: ({ type }) => type === 'clock' })
  const { data, error, reload } = clock
  return (
    <div class="view">
      <Heading>{text('nav.time')}</Heading>
      {data ? <Controls clock={data} reload={reload} /> : <Waiting error={error} retry={reload} />}
      <Command>payctl emulator clock advance 1h</Command>
    </div>
  )
}

function Controls({ clock, reload }: { readonly clock: Clock; readonly reload: () => void }) {
  const { now, frozen, speed, offset_ms } = clock
  const run = async (work: () => Promise<unknown>, done: string) => {
    if (await act(work, done)) reload()
  }
  return (
    <>
      <Facts
        rows={[
          ['time.now', <Moment key="n" at={now} withDay millis />],
          ['time.state', text(frozen ? 'time.frozen' : 'time.running')],
          ['time.speed', `×${speed}`],
          ['time.ahead', offset_ms !== 0 && `${offset_ms < 0 ? '−' : ''}${duration(Math.abs(offset_ms))}`],
        ]}
      />
      <div class="actions time-actions">
        <button
          type="button"
          onClick={() =>
            void run(
              () => control(frozen ? 'control.clock.unfreeze' : 'control.clock.freeze'),
              text(frozen ? 'time.running' : 'time.frozen'),
            )
          }
        >
          {text(frozen ? 'time.run' : 'time.freeze')}
        </button>
        {steps.map(([label, ms]) => (
          <button
            type="button"
            key={ms}
            onClick={() => void run(() => control('control.clock.advance', { body: { ms } }), text('time.advanced'))}
          >
            + {text(label)}
          </button>
        ))}
        <button type="button" onClick={() => void run(untilIdle, text('time.idle'))}>
          {text('time.untilIdle')}
        </button>
      </div>
      <p class="hint">{text('time.hint')}</p>
      <SetTime now={now} run={run} />
      <SetSpeed speed={speed} run={run} />
    </>
  )
}

/** Steps of the buttons that move the clock, in milliseconds. */
const steps: readonly (readonly [MessageKey, number])[] = [
  ['time.minute', 60_000],
  ['time.hour', 3_600_000],
  ['time.day', 86_400_000],
]

/** Moves the clock until nothing is due. Throws if the next step is due later than one move of the clock can reach. */
async function untilIdle(): Promise<void> {
  const { idle, next_due_at } = await control('control.clock.runUntilIdle', { body: {} })
  if (!idle) throw new Error(text('time.notIdle', { time: `${day(next_due_at ?? '')}, ${time(next_due_at)}` }))
}

type Run = (work: () => Promise<unknown>, done: string) => Promise<void>

/** Value of a `datetime-local` field, in the zone of the browser. */
const localValue = (iso: string): string => {
  const date = new Date(iso)
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 19)
}

function SetTime({ now, run }: { readonly now: string; readonly run: Run }) {
  const chosen = useSignal('')
  const shown = chosen.value || localValue(now)
  return (
    <form
      class="form inline"
      onSubmit={(event) => {
        event.preventDefault()
        const time = new Date(shown).toISOString()
        void run(() => control('control.clock.set', { body: { time } }), text('time.advanced'))
      }}
    >
      <label class="field">
        <span>{text('time.set')}</span>
        <input
          type="datetime-local"
          required
          step={1}
          min={localValue(now)}
          value={shown}
          onInput={(event) => {
            chosen.value = event.currentTarget.value
          }}
        />
      </label>
      <button type="submit">{text('time.move')}</button>
    </form>
  )
}

function SetSpeed({ speed, run }: { readonly speed: number; readonly run: Run }) {
  return (
    <form
      class="form inline"
      onSubmit={(event) => {
        event.preventDefault()
        const speed = Number(new FormData(event.currentTarget).get('speed'))
        void run(
          () => control('control.clock.speed', { body: { speed } }),
          text('time.speedSet', { speed: `${speed}` }),
        )
      }}
    >
      <label class="field">
        <span>{text('time.speed')}</span>
        <input type="number" name="speed" required min={0.001} max={100000} step="any" defaultValue={String(speed)} />
      </label>
      <button type="submit">{text('time.setSpeed')}</button>
    </form>
  )
}
