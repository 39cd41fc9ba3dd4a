import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { type Compared, compareWorlds } from '../comparison/worlds.ts'
import { openRecorded, type RecordedWorld, type WorldCopy } from '../observation/recorded_world.ts'
import { storyOf } from '../observation/story.ts'
import type { Reading } from './readings.ts'

// A thread runs this file to make one story or comparison.

const opened = ({ world, shared }: Compared<WorldCopy>): Compared<RecordedWorld> => ({
  world: openRecorded(world),
  shared,
})

const reading = workerData as Reading
const result =
  reading.kind === 'story'
    ? storyOf(openRecorded(reading.world))
    : compareWorlds(opened(reading.first), opened(reading.second), reading)
;(parentPort as MessagePort).postMessage(result)
