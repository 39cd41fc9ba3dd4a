import { describe, expect, it } from 'vitest'
import { Slots } from '../../emulator/slots.ts'

/** Asks for slots; returns the names of those who got one, in order, and a function for each that frees it. */
function asked(slots: Slots, ...callers: readonly { name: string; team: string | null; gone?: AbortSignal }[]) {
  const began: string[] = []
  const leave: Record<string, () => void> = {}
  for (const { name, team, gone } of callers) {
    void slots.take(team, gone).then((free) => {
      began.push(free ? name : `${name} is gone`)
      if (free) leave[name] = free
    })
  }
  const settle = () => new Promise((resolve) => setImmediate(resolve))
  return { began, leave, settle }
}

describe('slots for expensive work', () => {
  it('are limited, and given first come, first served', async () => {
    const callers = ['a', 'b', 'c', 'd'].map((name) => ({ name, team: null }))
    const { began, leave, settle } = asked(new Slots(2), ...callers)
    await settle()
    expect(began).toEqual(['a', 'b'])
    leave.b?.()
    await settle()
    expect(began).toEqual(['a', 'b', 'c'])
  })

  it('go to a team one at a time', async () => {
    const noisy = ['n1', 'n2', 'n3'].map((name) => ({ name, team: 'noisy' }))
    const { began, leave, settle } = asked(new Slots(2), ...noisy, { name: 'q1', team: 'quiet' })
    await settle()
    expect(began).toEqual(['n1', 'q1'])
    leave.q1?.()
    await settle()
    expect(began).toEqual(['n1', 'q1'])
    leave.n1?.()
    await settle()
    expect(began).toEqual(['n1', 'q1', 'n2'])
  })

  it('are free again at once if the client has disconnected', async () => {
    const gone = AbortSignal.abort()
    const { began, settle } = asked(new Slots(1), { name: 'a', team: null, gone }, { name: 'b', team: null })
    await settle()
    expect(began).toEqual(['a is gone', 'b'])
  })
})
