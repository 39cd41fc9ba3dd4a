import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { Clock, endOfTime } from '../../emulator/clock.ts'
import { Scheduler, type Work } from '../../emulator/scheduler.ts'
import { ManualTime } from '../support/manual_time.ts'

/** Work that is due at a list of times; records when each item was run. */
class Chores implements Work {
  due: number[]
  readonly done: { readonly due: number; readonly at: number }[] = []
  fault: Error | null = null
  settled: Promise<void> | null = null
  readonly #batch: number

  constructor(due: readonly number[], batch = 3) {
    this.due = due.toSorted((a, b) => a - b)
    this.#batch = batch
  }

  nextDue(): number | null {
    return this.due[0] ?? null
  }

  runDue(now: number): void {
    if (this.fault) throw this.fault
    const ripe = this.due.filter((due) => due <= now).slice(0, this.#batch)
    this.due = this.due.slice(ripe.length)
    this.done.push(...ripe.map((due) => ({ due, at: now })))
  }
}

function scheduling(work: Work, automatic = true) {
  const clock = new Clock(undefined, time)
  const faults: unknown[] = []
  const scheduler = new Scheduler({ clock, onFault: (error) => faults.push(error) })
  return { clock, scheduler, faults, takeOn: () => scheduler.add(work, { automatic }) }
}

const start = Date.UTC(2026, 0, 5)

let time: ManualTime

beforeEach(() => {
  time = new ManualTime(start)
})

describe('the scheduler', () => {
  test('picks up at its start all that is overdue, more than a batch too', () => {
    const work = new Chores(Array.from({ length: 20 }, (_, at) => start - at))
    const { takeOn } = scheduling(work)

    takeOn()
    time.advance(100)

    expect(work.done.length).toBe(20)
  })

  test('does each piece of work when it is due, not before', () => {
    const work = new Chores([start + 100, start + 5000, start + 5001])
    const { takeOn } = scheduling(work)

    takeOn()
    time.advance(99)
    expect(work.done.length).toBe(0)
    time.advance(4901)

    expect(work.done).toEqual([
      { due: start + 100, at: start + 100 },
      { due: start + 5000, at: start + 5000 },
    ])
  })

  test('waits longer than a timer can', () => {
    const inTwoMonths = start + 60 * 86_400_000
    const work = new Chores([inTwoMonths])
    const { takeOn } = scheduling(work)

    takeOn()
    time.advance(inTwoMonths - start - 1)
    expect(work.done.length).toBe(0)
    time.advance(1)

    expect(work.done.length).toBe(1)
  })

  test('does not look again and again for work that is due after the end of every clock', () => {
    time = new ManualTime(endOfTime - 1000)
    const work = new Chores([endOfTime, endOfTime + 1])
    const { takeOn } = scheduling(work)
    let looks = 0
    const { nextDue } = work
    work.nextDue = () => {
      looks += 1
      return nextDue.call(work)
    }

    takeOn()
    time.advance(60_000)

    expect(work.done).toEqual([{ due: endOfTime, at: endOfTime }])
    expect(looks).toBeLessThan(10)
  })

  test('goes to earlier work first when it is woken for it', () => {
    const work = new Chores([start + 10_000])
    const { scheduler, takeOn } = scheduling(work)
    takeOn()

    work.due.unshift(start + 50)
    scheduler.wake(start + 50)
    time.advance(50)

    expect(work.done).toEqual([{ due: start + 50, at: start + 50 }])
  })

  test('a dropped wake-up loses nothing: the next one brings all of it', () => {
    const work = new Chores([])
    const { scheduler, takeOn } = scheduling(work)
    takeOn()
    work.due = [start + 10, start + 20]
    time.advance(1000)
    expect(work.done.length).toBe(0)

    scheduler.wake(start + 1000)
    time.advance(1)

    expect(work.done.length).toBe(2)
  })

  test('a dropped wake-up loses nothing: moving the clock brings it too', async () => {
    const work = new Chores([])
    const { scheduler, takeOn } = scheduling(work)
    takeOn()
    work.due = [start + 10, start + 20]

    await scheduler.advance(20)

    expect(work.done).toEqual([
      { due: start + 10, at: start + 10 },
      { due: start + 20, at: start + 20 },
    ])
  })

  test('moving the clock does all that falls due on the way, in order, each at its own time', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 10_000 }), { maxLength: 40 }),
        fc.array(fc.integer({ min: 0, max: 4000 }), { maxLength: 6 }),
        async (offsets, moves) => {
          const work = new Chores(offsets.map((offset) => start + offset))
          const { clock, scheduler, takeOn } = scheduling(work, false)
          takeOn()
          for (const ms of moves) await scheduler.advance(ms)
          const reached = start + moves.reduce((sum, ms) => sum + ms, 0)
          expect(clock.now()).toBe(reached)
          const ripe = moves.length > 0 ? offsets.filter((offset) => start + offset <= reached) : []
          expect(work.done).toEqual(
            ripe.toSorted((a, b) => a - b).map((offset) => ({ due: start + offset, at: start + offset })),
          )
        },
      ),
    )
  })

  test('nothing runs by hand until the clock is moved', async () => {
    const work = new Chores([start - 1, start + 10])
    const { scheduler, takeOn } = scheduling(work, false)

    takeOn()
    scheduler.wake(start)
    time.advance(60_000)
    expect(work.done.length).toBe(0)
    await scheduler.advance(0)

    expect(work.done.length).toBe(2)
  })

  test('after the clock was moved it keeps to the new time', async () => {
    const work = new Chores([start + 10_000])
    const { scheduler, takeOn } = scheduling(work)
    takeOn()

    await scheduler.advance(9000)
    time.advance(999)
    expect(work.done.length).toBe(0)
    time.advance(1)

    expect(work.done.length).toBe(1)
  })

  test('moving the clock waits for what was begun, and does what comes of it', async () => {
    const work = new Chores([start + 10])
    const { scheduler, takeOn } = scheduling(work, false)
    takeOn()
    let begun = 0
    const slow: Work = {
      nextDue: () => null,
      runDue: () => {},
      settled: null,
      async idle() {
        await null
        if (begun++ === 1) work.due.push(start + 20)
      },
    }
    scheduler.add(slow, { automatic: false })

    await scheduler.advance(30)

    expect(work.done).toEqual([
      { due: start + 10, at: start + 10 },
      { due: start + 20, at: start + 20 },
    ])
  })

  test('moves of the clock asked for at once follow each other', async () => {
    const work = new Chores([start + 10, start + 20])
    const { clock, scheduler, takeOn } = scheduling(work, false)
    takeOn()

    await Promise.all([scheduler.advance(15), scheduler.advance(15)])

    expect(clock.now()).toBe(start + 30)
    expect(work.done.map(({ at }) => at)).toEqual([start + 10, start + 20])
  })

  test('a fault is reported and the work tried again until it is done', () => {
    const work = new Chores([start + 10])
    const { faults, takeOn } = scheduling(work)
    work.fault = new Error('disk full')

    takeOn()
    time.advance(5000)
    expect(faults.length).toBeGreaterThan(1)
    expect(new Set(faults)).toEqual(new Set([work.fault]))
    work.fault = null
    time.advance(5000)

    expect(work.done.length).toBe(1)
  })

  test('work is tried again a second of the machine’s time after a fault, whatever its clock does', () => {
    for (const set of [(clock: Clock) => clock.freeze(), (clock: Clock) => clock.setSpeed(100_000)]) {
      const work = new Chores([start])
      const { clock, faults, takeOn } = scheduling(work)
      set(clock)
      work.fault = new Error('disk full')

      takeOn()
      time.advance(4500)
      expect(faults.length).toBe(5)
      work.fault = null
      time.advance(1000)

      expect(work.done.length).toBe(1)
    }
  })

  test('work that is undone after all is reported and tried again', async () => {
    const work = new Chores([start + 10])
    const { faults, takeOn } = scheduling(work)
    const fault = new Error('disk full')
    work.settled = Promise.reject(fault)
    takeOn()
    time.advance(10)
    await work.settled.catch(() => {})
    expect(faults).toEqual([fault])

    work.settled = null
    work.due = [start + 10]
    time.advance(5000)

    expect(work.done.length).toBe(2)
  })

  test('a move of the clock ends with the error of steps that can’t be committed', async () => {
    const work = new Chores([start + 10])
    const { scheduler, faults, takeOn } = scheduling(work)
    takeOn()
    const fault = new Error('disk full')
    let failures = 0
    const commits: Work = {
      nextDue: () => null,
      runDue() {},
      async idle() {
        if (!work.settled || failures === 5) return
        failures += 1
        await work.settled.catch(() => {})
        work.due = [start + 10]
      },
    }
    scheduler.add(commits, { automatic: true })
    work.settled = Promise.reject(fault)

    await expect(scheduler.advance(20)).rejects.toBe(fault)
    expect(faults).toEqual([fault])
  })

  test('stopped, it does nothing more', () => {
    const work = new Chores([start + 10])
    const { scheduler, takeOn } = scheduling(work)
    takeOn()

    scheduler.stop()
    scheduler.wake(start)
    time.advance(60_000)

    expect(work.done.length).toBe(0)
    expect(time.waiting).toBe(0)
  })

  test('stopped after a fault, it tries nothing again', () => {
    const work = new Chores([start])
    const { scheduler, takeOn } = scheduling(work)
    work.fault = new Error('disk full')
    takeOn()
    time.advance(0)

    scheduler.stop()

    expect(time.waiting).toBe(0)
  })
})
