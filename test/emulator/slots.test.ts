import { describe, expect, it } from 'vitest'
import { Slots } from '../../emulator/slots.ts'
import { nextTurn } from '../../src/real_time.ts'

interface Asked {
  readonly name: string
  readonly team: string | null
  readonly gone?: AbortSignal
}

/**
 * Asks for slots. `began`: names of the callers that got a slot or were gone, in order; `leave` frees the slot of a
 * caller.
 */
async function asked(slots: Slots, ...callers: readonly Asked[]) {
  const began: string[] = []
  const free = new Map<string, () => void>()
  for (const { name, team, gone } of callers) {
    void slots.take(team, gone).then((leave) => {
      began.push(leave ? name : `${name} is gone`)
      if (leave) free.set(name, leave)
    })
  }
  const leave = async (name: string): Promise<void> => {
    free.get(name)?.()
    await nextTurn()
  }
  await nextTurn()
  return { began, leave }
}

describe('slots for expensive work', () => {
  it('are limited, and given first come, first served', async () => {
    const callers = ['a', 'b', 'c', 'd'].map((name) => ({ name, team: null }))
    const { began, leave } = await asked(new Slots(2), ...callers)
    expect(began).toEqual(['a', 'b'])
    await leave('b')
    expect(began).toEqual(['a', 'b', 'c'])
  })

  it('go to a team one at a time', async () => {
    const noisy = ['n1', 'n2', 'n3'].map((name) => ({ name, team: 'noisy' }))
    const { began, leave } = await asked(new Slots(2), ...noisy, { name: 'q1', team: 'quiet' })
    expect(began).toEqual(['n1', 'q1'])
    await leave('q1')
    expect(began).toEqual(['n1', 'q1'])
    await leave('n1')
    expect(began).toEqual(['n1', 'q1', 'n2'])
  })

  it('are free again at once if the client has disconnected', async () => {
    const gone = AbortSignal.abort()
    const { began } = await asked(new Slots(1), { name: 'a', team: null, gone }, { name: 'b', team: null })
    expect(began).toEqual(['a is gone', 'b'])
  })
})
