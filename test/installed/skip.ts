import { relative } from 'node:path'
import { beforeEach } from 'vitest'
import { leftOut } from './left_out.ts'

// Skips the tests in `leftOut`.

beforeEach(({ task, skip }) => {
  const file = relative(process.cwd(), task.file.filepath)
  const name = task.fullTestName ?? task.name
  const [, , reason] = leftOut.find(([path, start]) => path === file && name.startsWith(start)) ?? []
  if (reason !== undefined) skip(reason)
})
