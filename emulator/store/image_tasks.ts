import { inThread, largeWorld, type ThreadCaller } from '../thread.ts'
import { openCopy } from './data_file.ts'
import { UnusableFile } from './file_checks.ts'
import { changed, type Image, imageOf } from './image.ts'

/** `check` verifies the whole content of a file from elsewhere; `compact` removes the bytes of deleted rows. */
export interface ImageTask {
  readonly kind: 'check' | 'compact'
  readonly bytes: Uint8Array
}

type ImageResult = { readonly image: Uint8Array } | { readonly flaw: string; readonly remedy: string | null }

/** Checks the content of a file from elsewhere; returns its image in the current schema. Rejects with UnusableFile. */
export const checkedImage = (file: Uint8Array, caller: ThreadCaller): Promise<Image> =>
  imageFor({ kind: 'check', bytes: file }, caller)

/** Copies an image without the bytes that SQLite keeps of deleted rows. */
export const compacted = (image: Image, caller: ThreadCaller): Promise<Image> =>
  imageFor({ kind: 'compact', bytes: image }, caller)

/** Does a task; for a large image in a separate thread, so that other requests are answered in the meantime. */
async function imageFor(task: ImageTask, caller: ThreadCaller): Promise<Image> {
  const result = task.bytes.length < largeWorld ? imageResult(task) : await inThread<ImageResult>(() => task, caller)
  if ('flaw' in result) throw new UnusableFile(result.flaw, result.remedy)
  return asBuffer(result.image)
}

/** Does a task in the current thread. */
export function imageResult({ kind, bytes }: ImageTask): ImageResult {
  if (kind === 'compact') return { image: changed(asBuffer(bytes), (connection) => connection.exec('VACUUM')) }
  try {
    const connection = openCopy(bytes)
    const image = imageOf(connection)
    connection.close()
    return { image }
  } catch (error) {
    if (!(error instanceof UnusableFile)) throw error
    return { flaw: error.flaw, remedy: error.remedy }
  }
}

const asBuffer = ({ buffer, byteOffset, length }: Uint8Array): Buffer => Buffer.from(buffer, byteOffset, length)
