import type { Failure } from './result.ts'
import type { Operation, Script } from './script/script.ts'
import { runScript, type SimulateOptions } from './simulate.ts'

// Shrinks a failing script: removes everything that the failure does not need.

/** Limit of runs. */
const mostRuns = 400

/** Keeps the broken invariant; the message may change. Takes many runs. */
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
    await takeOut(
      () => shortest.script.operations,
      (operations) => stillFails({ ...shortest.script, operations }),
    )
    for (const { id } of shortest.script.operations) await simplify(id, () => shortest.script, stillFails)
    for (const at of shortest.script.receivers.keys()) {
      await takeOut(
        () => shortest.script.receivers[at] ?? [],
        (plan) => stillFails({ ...shortest.script, receivers: shortest.script.receivers.with(at, plan) }),
      )
    }
  }
  return shortest
}

/**
 * Removes as many items of a list as it can: halves, quarters, then single items from the end, because nothing depends
 * on the last.
 */
async function takeOut<T>(all: () => readonly T[], isEnough: (rest: readonly T[]) => Promise<boolean>): Promise<void> {
  for (let size = Math.ceil(all().length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let end = all().length; end > 0; end -= size) {
      const list = all()
      if (end > list.length) continue
      await isEnough(list.toSpliced(Math.max(0, end - size), Math.min(size, end)))
    }
  }
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
  await takeOut(faults, (rest) => isEnough({ faults: rest }))
  await takeOut(rows, async (rest) => rest.length > 0 && isEnough({ rows: rest }))
}
