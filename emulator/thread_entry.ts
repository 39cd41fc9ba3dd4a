import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { type Compared, compareWorlds } from './comparison/worlds.ts'
import type { Reading } from './control/readings.ts'
import { openRecorded, type RecordedWorld, type WorldCopy } from './observation/recorded_world.ts'
import { storyOf } from './observation/story.ts'
import { type ImageTask, imageResult } from './store/image_tasks.ts'

// A thread runs this file to do one task.

function resultOf(task: ImageTask | Reading) {
  switch (task.kind) {
    case 'story':
      return storyOf(openRecorded(task.world))
    case 'comparison':
      return compareWorlds(opened(task.first), opened(task.second), task)
    default:
      return imageResult(task)
  }
}

const opened = ({ world, shared }: Compared<WorldCopy>): Compared<RecordedWorld> => ({
  world: openRecorded(world),
  shared,
})

;(parentPort as MessagePort).postMessage(resultOf(workerData))
