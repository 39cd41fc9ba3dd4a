import type { Ora } from 'ora'
import { monotonicClock } from '../real_time.ts'
import { cutTo } from '../run/cell_lines.ts'
import { grouped } from '../run/counts.ts'
import type { Environment, Globals, Io } from '../run/invocation.ts'
import type { Progress, Reporter } from '../run/reporter.ts'
import { printable } from '../run/sanitise.ts'
import { type Marks, marksFor } from '../run/style.ts'
import { inEnglish, say, Text, type Translate } from '../words/text.ts'

interface Place {
  readonly io: Pick<Io, 'stderr'>
  readonly env: Environment
  readonly globals: Globals
  readonly translate?: Translate
}

/** Progress in the language of the run. */
type Shown = string | { readonly done: number; readonly total?: number; readonly detail?: string }

/** Maximum width of a bar, in terminal cells. */
const longestBar = 32

/** Number of milliseconds, or of items, after which another line is printed without a terminal. */
const plainIntervalMs = 10_000
const plainItems = 1000

/**
 * Shows progress on stderr. On a terminal, draws a bar that changes in place and is removed while other text is
 * written; elsewhere prints an occasional line. `--progress` overrides this.
 */
export function progressOn(place: Place): Reporter['progress'] {
  const { translate = inEnglish } = place
  const kind = kindOf(place)
  if (kind === 'none') return () => {}
  const show = kind === 'plain' ? plainProgress(place) : progressBar(place)
  return (state) => {
    if (state === null) show(null)
    else if (typeof state === 'string' || state instanceof Text) show(translate(state))
    else show({ ...state, detail: translate(state.detail ?? '') })
  }
}

function kindOf({ io: { stderr }, env, globals }: Place): 'none' | 'plain' | 'bar' {
  if (globals.quiet || globals.progress === 'none') return 'none'
  if (stderr.isTTY !== true || env.TERM === 'dumb' || globals.progress === 'plain') return 'plain'
  // No bar is needed: the requests that --verbose prints already show progress.
  return globals.verbose && globals.progress === undefined ? 'none' : 'bar'
}

function plainProgress({ io: { stderr }, translate = inEnglish }: Place): (state: Shown | null) => void {
  let pace: Pace | undefined
  let printedAt = Date.now()
  let printedItems = 0
  return (state) => {
    if (state === null) return
    const items = typeof state === 'string' ? 0 : state.done
    pace ??= new Pace(items)
    if (Date.now() - printedAt < plainIntervalMs && items - printedItems < plainItems) return
    printedAt = Date.now()
    printedItems = items
    const parts = typeof state === 'string' ? [state] : [...figures(state, pace, translate), state.detail]
    stderr.write(`${printable(parts.filter((part) => part).join(', '))}\n`)
  }
}

function progressBar({ io: { stderr }, env, translate = inEnglish }: Place): (state: Shown | null) => void {
  const marks = marksFor(env)
  let shown: Shown | null = null
  let pace: Pace | undefined
  let drawing: Ora | undefined
  let isLoading = false
  const draw = () => {
    const room = (stderr.columns || 80) - 3
    if (shown === null || typeof shown === 'string') return cutTo(shown ?? '', room, marks.cut)
    pace ??= new Pace(shown.done)
    const lines = [barLine(shown, pace, { marks, room, translate }), printable(shown.detail ?? '')]
    return lines.flatMap((line) => (line === '' ? [] : ` ${cutTo(line, room, marks.cut)}`)).join('\n')
  }
  const update = () => {
    if (shown === null) return drawing?.stop()
    if (!drawing) return void load()
    if (!drawing.isSpinning) drawing.start()
  }
  const load = async () => {
    if (isLoading) return
    isLoading = true
    const { default: ora } = await import('ora')
    const spinner = { frames: [''], interval: 100 }
    // A function, so that the time advances even without progress.
    drawing = ora({ stream: stderr, isEnabled: true, discardStdin: false, color: false, spinner, prefixText: draw })
    update()
  }
  return (state) => {
    shown = typeof state === 'string' ? printable(state) : state
    update()
  }
}

interface Drawing {
  readonly marks: Marks
  /** Width of a line, in terminal cells. */
  readonly room: number
  readonly translate: Translate
}

function barLine(state: Progress, pace: Pace, { marks, room, translate }: Drawing): string {
  const text = figures(state, pace, translate).join('   ')
  const { done, total } = state
  const length = Math.min(longestBar, room - text.length - 3)
  if (!total || length < 5) return text
  const full = Math.floor((Math.min(done, total) / total) * length)
  return `${marks.full.repeat(full)}${marks.empty.repeat(length - full)}  ${text}`
}

/** Figures to show, such as `612/988`, `62 %`, `8.4/s`, `1:12 left`. */
function figures({ done, total }: Progress, pace: Pace, translate: Translate): string[] {
  const perSecond = pace.perSecond(done)
  const rate = perSecond > 0 ? [`${perSecond.toFixed(perSecond < 10 ? 1 : 0)}/s`] : []
  if (total === undefined) return [grouped(done), ...rate, clock(pace.seconds)]
  const share = total > 0 ? [`${Math.floor((done / total) * 100)} %`] : []
  const left = done < total && perSecond > 0 ? [translate(say`${clock((total - done) / perSecond)} left`)] : []
  return [`${grouped(done)}/${grouped(total)}`, ...share, ...rate, ...(done < total ? left : [clock(pace.seconds)])]
}

/** Rate of progress. Items that were done at the start do not count towards the rate. */
class Pace {
  readonly #start = monotonicClock()
  readonly #before: number

  constructor(before: number) {
    this.#before = before
  }

  get seconds(): number {
    return (monotonicClock() - this.#start) / 1000
  }

  /** Items per second; 0 for the first half second, while the rate is not known. */
  perSecond(done: number): number {
    return this.seconds < 0.5 ? 0 : (done - this.#before) / this.seconds
  }
}

/** `1:12` or `2:01:12`. */
function clock(seconds: number): string {
  const whole = Math.ceil(seconds)
  const two = (part: number) => String(part % 60).padStart(2, '0')
  const minutes = Math.floor(whole / 60)
  return minutes < 60 ? `${minutes}:${two(whole)}` : `${Math.floor(minutes / 60)}:${two(minutes)}:${two(whole)}`
}
