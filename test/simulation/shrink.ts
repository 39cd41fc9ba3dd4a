import { fewest } from '../../src/commands/emulate/seeds/fewest.ts'
import type { Failure } from './result.ts'
import type { Operation, Script } from './script/script.ts'
import { runScript, type SimulateOptions } from './simulate.ts'

// Shrinks a failing script: removes everything that the failure does not need.

/** Maximum number of runs. */
const mostRuns = 400

/** Shrinks a failure; its invariant stays the same, its message may change. Takes many runs. */
export async function shrink(failure: Failure, options: SimulateOptions = {}): Promise<Failure> {
  let shortest = failure
  let runs = 0
  const stillFails = async (script: Script): Promise<boolean> => {
    if (runs >= mostRuns) return false
    runs += 1
    const { failure: found } = await runScript(script, options)
    if (found?.invariant !== failure.invariant) return false
    shortest = found
    return true
  }
  for (let before = ''; before !== JSON.stringify(shortest.script); ) {
    before = JSON.stringify(shortest.script)
    await fewest(shortest.script.operations, (operations) => stillFails({ ...shortest.script, operations }))
    for (const { id } of shortest.script.operations) await simplify(id, () => shortest.script, stillFails)
    for (const at of shortest.script.receivers.keys()) {
      await fewest(shortest.script.receivers[at] ?? [], (plan) =>
        stillFails({ ...shortest.script, receivers: shortest.script.receivers.with(at, plan) }),
      )
    }
  }
  return shortest
}

/** Removes faults and rows from one operation. */
async function simplify(
  id: number,
  script: () => Script,
  stillFails: (script: Script) => Promise<boolean>,
): Promise<void> {
  const current = () => script().operations.find((operation) => operation.id === id)
  const isEnough = (changes: object) => {
    const operations = script().operations.map((one) => (one.id === id ? ({ ...one, ...changes } as Operation) : one))
    return stillFails({ ...script(), operations })
  }
  const faults = () => {
    const operation = current()
    return operation && 'faults' in operation ? (operation.faults ?? []) : []
  }
  const rows = () => {
    const operation = current()
    return operation?.do === 'batch' ? operation.rows : []
  }
  await fewest(faults(), (rest) => isEnough({ faults: rest }))
  await fewest(rows(), async (rest) => rest.length > 0 && isEnough({ rows: rest }))
}
