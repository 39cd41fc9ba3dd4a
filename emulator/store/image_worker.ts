import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { resultOf } from './image_tasks.ts'

// The entry of a thread for one task.
;(parentPort as MessagePort).postMessage(resultOf(workerData))
