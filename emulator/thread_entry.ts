import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { type Compared, compareWorlds } from './comparison/worlds.ts'
import { checkLedger, countsIn } from './control/counts.ts'
import type { Reading } from './control/readings.ts'
import { openRecorded, type RecordedWorld, type WorldCopy } from './observation/recorded_world.ts'
import { storyOf } from './observation/story.ts'
import { seedPayments } from './seed_file/export.ts'
import { Statements } from './store/database.ts'
import { openImage } from './store/image.ts'
import { type ImageTask, imageResult } from './store/image_tasks.ts'
import { storeIn } from './store/store.ts'

// A thread runs this file to do one task.

function resultOf(task: ImageTask | Reading) {
  switch (task.kind) {
    case 'story':
      return storyOf(openRecorded(task.world))
    case 'comparison':
      return compareWorlds(opened(task.first), opened(task.second), task)
    case 'ledger':
      return checkLedger({ store: storeOf(task.image) })
    case 'counts':
      return countsIn(storeOf(task.image))
    case 'payments':
      return seedPayments(storeOf(task.image))
    default:
      return imageResult(task)
  }
}

const storeOf = ({ buffer, byteOffset, length }: Uint8Array) =>
  storeIn(new Statements(openImage(Buffer.from(buffer, byteOffset, length))))

const opened = ({ world, shared }: Compared<WorldCopy>): Compared<RecordedWorld> => ({
  world: openRecorded(world),
  shared,
})

;(parentPort as MessagePort).postMessage(resultOf(workerData))
